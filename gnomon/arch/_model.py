"""What every section of a machine file has in common, and how one key is declared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import PydanticUndefined

if TYPE_CHECKING:
    from pydantic.config import JsonDict


class Section(BaseModel):
    """A frozen group of keys. Unknown keys and values of another type are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ProblemAt(ValueError):  # noqa: N818 - pydantic asks for a ValueError, users never see it
    """A rule between keys is broken; the message belongs to ``subkey`` of the checked field."""

    def __init__(self, subkey: str, message: str) -> None:
        super().__init__(message)
        self.subkey = subkey


def key(
    meaning: str,
    *,
    unit: str = "",
    why: str = "",
    allowed: str = "",
    default: Any = PydanticUndefined,
    **options: Any,
) -> Any:
    """Declare one key: its meaning, its unit, and for errors why the range is what it is.

    ``allowed`` describes the values where the type alone does not list them.
    """
    extra: JsonDict = {"unit": unit, "why": why, "allowed": allowed}
    return Field(default, description=meaning, json_schema_extra=extra, **options)
