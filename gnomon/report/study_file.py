"""``study.yaml``: the title of a study and the command that runs it.

Apart from ``study.py``: each start of the command line reads these files, and runs no study.
"""

from typing import Literal

from pydantic import Field

from gnomon.base.content import ContentItem
from gnomon.base.tables import Entry, check_table, read_yaml_table


class StudyFile(Entry):
    """``study.yaml``."""

    schema_version: Literal[1] = Field(alias="schema")
    title: str
    command: Literal["experiment", "report", "study"] = "experiment"


def read_study(study: ContentItem) -> StudyFile:
    """Read ``study.yaml``.

    Raises:
        GnomonError: if it has an error.
    """
    return check_table(read_yaml_table(study.folder / "study.yaml"), StudyFile)
