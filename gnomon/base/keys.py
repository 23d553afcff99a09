"""The keys that models declare: their paths, meanings and allowed values."""

import types
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

_OF_UNIT = {"address": "a 32-bit address", "bytes": "such as 4 KiB"}


class Key(NamedTuple):
    """One key of a file, as its model declares it.

    ``default`` is None if the key has no default; ``required`` distinguishes the two cases.
    """

    path: str
    meaning: str
    unit: str
    allowed: str
    why: str
    required: bool
    default: Any
    shown_default: str = ""


@cache
def keys_of(kind: type[BaseModel]) -> tuple[Key, ...]:
    """Return every key that holds a value, in the order of the model, with its dotted path.

    ``NAME`` in a path represents any name. A section whose keys have no meanings is a value.
    """
    return tuple(_walk(kind, ""))


def own_keys(kind: type[BaseModel]) -> tuple[Key, ...]:
    """Return the keys of one section, without those of its subsections."""
    return tuple(
        _describe_key(info.alias or name, info) for name, info in kind.model_fields.items()
    )


def section_at(kind: type[BaseModel], place: Iterable[str | int]) -> type[BaseModel] | None:
    """Return the section at a place (empty: the whole file), or None."""
    place = tuple(place)
    if not place:
        return kind
    info = field_at(kind, place)
    return _find_section(info.annotation) if info is not None else None


def names_in(section: type[BaseModel]) -> list[str]:
    """Return the keys of a section as files spell them."""
    return [info.alias or name for name, info in section.model_fields.items()]


def field_at(kind: type[BaseModel], place: Iterable[str | int]) -> FieldInfo | None:
    """Return the declaration of the key or section at a place, given by names and positions."""
    annotation: Any = kind
    info: FieldInfo | None = None
    for name in place:
        info = _descend(annotation, name)
        if info is None:
            return None
        annotation = info.annotation
    return info


def _descend(annotation: Any, name: str | int) -> FieldInfo | None:
    for each in members_of(annotation):
        if isinstance(each, type) and issubclass(each, BaseModel):
            fields = {f.alias or of: f for of, f in each.model_fields.items()}
            if name in fields:
                return fields[str(name)]
        elif get_origin(each) is dict and isinstance(name, str):
            return FieldInfo.from_annotation(get_args(each)[1])
        elif get_origin(each) in (list, tuple) and isinstance(name, int):
            return FieldInfo.from_annotation(get_args(each)[0])
    return None


def members_of(annotation: Any) -> Iterator[Any]:
    """Yield the types that a value may have."""
    if get_origin(annotation) in (Union, types.UnionType):
        for member in get_args(annotation):
            yield from members_of(member)
    elif get_origin(annotation) is Annotated:
        yield from members_of(get_args(annotation)[0])
    else:
        yield annotation


def _find_section(annotation: Any) -> type[BaseModel] | None:
    types_of = (each for each in members_of(annotation) if isinstance(each, type))
    return next((each for each in types_of if issubclass(each, BaseModel)), None)


def _walk(section: type[BaseModel], prefix: str) -> Iterator[Key]:
    for name, info in section.model_fields.items():
        named = get_origin(info.annotation) is dict
        path = prefix + (info.alias or name) + (".NAME" if named else "")
        inner = _find_section(get_args(info.annotation)[-1] if named else info.annotation)
        if inner is not None and any(each.description for each in inner.model_fields.values()):
            yield from _walk(inner, path + ".")
        else:
            yield _describe_key(path, info)


def extras_of(info: FieldInfo) -> dict[str, Any]:
    """Return the attributes of a key that pydantic has no field for."""
    return info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}


def _describe_key(path: str, info: FieldInfo) -> Key:
    extra = extras_of(info)
    return Key(
        path=path,
        meaning=info.description or "",
        unit=extra.get("unit", ""),
        allowed=allowed_values(info),
        why=extra.get("why", ""),
        required=info.is_required(),
        default=None if info.default is PydanticUndefined else info.default,
        shown_default=extra.get("shown", ""),
    )


def allowed_values(info: FieldInfo) -> str:
    """Return a description of the allowed values of a key."""
    extra = extras_of(info)
    if extra.get("allowed"):
        return str(extra["allowed"])
    annotation = info.annotation
    if get_origin(annotation) is dict:
        annotation = get_args(annotation)[-1]
    if get_origin(annotation) is Literal:
        return ", ".join(str(value) for value in get_args(annotation))
    if extra.get("unit") in _OF_UNIT:
        return _OF_UNIT[extra["unit"]]
    words = {"gt": "above {}", "ge": "{} or more", "lt": "below {}", "le": "at most {}"}
    bounds = {name: getattr(each, name) for each in info.metadata for name in words
              if hasattr(each, name)}  # fmt: skip
    if "ge" in bounds and "le" in bounds:
        return f"{bounds['ge']} to {bounds['le']}"
    if annotation in (int, float):
        limits = [words[name].format(bound) for name, bound in bounds.items()]
        return ", ".join([f"a {'whole ' if annotation is int else ''}number", *limits])
    plain: dict[Any, str] = {bool: "true, false", str: "text"}
    if annotation in plain:
        return plain[annotation]
    if get_origin(annotation) is list:
        return "a list"
    section = _find_section(annotation)
    ends = section.model_fields.items() if section is not None else ()
    return ", ".join(f"{name} {allowed_values(end)}" for name, end in ends if not end.description)
