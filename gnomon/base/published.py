"""The published cells and the gnomon cells that are compared: ``models/published``."""

from functools import cache
from typing import Literal

from pydantic import Field

from gnomon.base.content import content
from gnomon.base.tables import Entry, check_table, read_yaml_table

_FOLDER = ("models", "published")


class ComparisonFile(Entry):
    """The file ``models/published/comparison.yaml``.

    Attributes:
        schema_version: 1.
        printed: table of the published cells, in its folder.
        bands: table of the ratios that count as reproduced, in its folder.
        ours: table of gnomon's cells, a path of content.
        compared: values of columns of the rows of ``ours`` that are compared.
    """

    schema_version: Literal[1] = Field(alias="schema")
    printed: str
    bands: str
    ours: str
    compared: dict[str, str]

    @property
    def bands_path(self) -> str:
        """The table of the ratios that count as reproduced, as a path of content."""
        return "/".join((*_FOLDER, self.bands))

    @property
    def printed_path(self) -> str:
        """The table of the published cells, as a path of content."""
        return "/".join((*_FOLDER, self.printed))


@cache
def read_comparison() -> ComparisonFile:
    """Return the published cells and the gnomon cells that are compared.

    Raises:
        GnomonError: if the file is invalid; with its lines.
    """
    return check_table(read_yaml_table(content(*_FOLDER, "comparison.yaml")), ComparisonFile)
