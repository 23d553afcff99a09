"""The list of keys, read off the schema: for ``arch show``, overrides and error messages."""

from __future__ import annotations

import types
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin

from pydantic_core import PydanticUndefined

from gnomon.arch._model import Section
from gnomon.arch._schema import Architecture
from gnomon.base.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pydantic.fields import FieldInfo


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a machine file, as the schema declares it.

    ``default`` is None where the key has no default; look at ``required`` to tell.
    """

    path: str
    meaning: str
    unit: str
    allowed: str
    why: str
    required: bool
    default: Any


@cache
def all_keys() -> tuple[Key, ...]:
    """Every key that holds a value, in the order of the schema."""
    return tuple(_walk(Architecture, ""))


@cache
def key_paths() -> tuple[str, ...]:
    """The dotted paths of ``all_keys``."""
    return tuple(key.path for key in all_keys())


@cache
def optional_sections() -> tuple[str, ...]:
    """Sections that a machine may do without: their value is then ``none``."""
    parts = [path.split(".") for path in key_paths()]
    sections = dict.fromkeys(".".join(p[:n]) for p in parts for n in range(1, len(p)))
    return tuple(path for path in sections if _is_optional(path))


def meaning_of(path: str) -> str:
    """What the key or section at a dotted path means."""
    info = _field_at(path)
    return (info.description or "") if info is not None else ""


def section_at(path: str) -> type[Section] | None:
    """The section class at a dotted path (empty: the whole file), or None."""
    if not path:
        return Architecture
    info = _field_at(path)
    return _section(info.annotation) if info is not None else None


def _is_optional(path: str) -> bool:
    info = _field_at(path)
    return info is not None and not info.is_required() and info.default is None


def _field_at(path: str) -> FieldInfo | None:
    section: type[Section] | None = Architecture
    info: FieldInfo | None = None
    for name in path.split("."):
        fields = {} if section is None else section.model_fields
        info = {f.alias or field: f for field, f in fields.items()}.get(name)
        section = _section(info.annotation) if info is not None else None
    return info


def names_in(section: type[Section]) -> list[str]:
    """The keys of a section as a file spells them."""
    return [field.alias or name for name, field in section.model_fields.items()]


def nearest_key(path: str, paths: Sequence[str]) -> str:
    """``", did you mean 'core.harts'?"`` for a whole path or for its last part alone."""
    whole = did_you_mean(path, paths)
    if whole:
        return whole
    last = path.rsplit(".", 1)[-1]
    by_last = {known.rsplit(".", 1)[-1]: known for known in paths}
    return f", did you mean {by_last[last]!r}?" if last in by_last else ""


def _walk(section: type[Section], prefix: str) -> Iterator[Key]:
    for name, info in section.model_fields.items():
        path = prefix + (info.alias or name)
        inner = _section(info.annotation)
        if inner is not None:
            yield from _walk(inner, path + ".")
        else:
            yield _key(path, info)


def _key(path: str, info: FieldInfo) -> Key:
    extra = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
    return Key(
        path=path,
        meaning=info.description or "",
        unit=str(extra.get("unit", "")),
        allowed=str(extra.get("allowed", "")) or _allowed(info),
        why=str(extra.get("why", "")),
        required=info.is_required(),
        default=None if info.default is PydanticUndefined else info.default,
    )


def _allowed(info: FieldInfo) -> str:
    if get_origin(info.annotation) is Literal:
        return ", ".join(str(value) for value in get_args(info.annotation))
    if info.annotation is bool:
        return "true, false"
    bounds = {type(m).__name__: m for m in info.metadata}
    low, high = bounds.get("Ge"), bounds.get("Le")
    if low is not None and high is not None:
        return f"{low.ge} to {high.le}"
    return {"address": "a 32-bit address", "bytes": "such as 4 KiB"}.get(
        (info.json_schema_extra or {}).get("unit", ""),  # type: ignore[union-attr,arg-type]
        "a name, none",
    )


def _section(annotation: Any) -> type[Section] | None:
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return annotation
    if get_origin(annotation) in (Union, types.UnionType):
        for member in get_args(annotation):
            if isinstance(member, type) and issubclass(member, Section):
                return member
    return None
