"""Models of key files, with pydantic; every problem is reported with its line.

A model is the only description of its file format. It checks the file, lists the keys for the
reference pages and ``arch show`` (:mod:`gnomon.base.keys`), and gives the JSON Schema of editors.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, ValidationInfo
from pydantic.config import JsonDict
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, PydanticCustomError, PydanticUndefined

from gnomon.base.errors import GnomonError, allowed_hint, did_you_mean
from gnomon.base.keys import allowed_values, extras_of, field_at, names_in, section_at
from gnomon.base.yaml import FileError, Mapping, Place, Problem, down, origin_of, shown, strip_lines

_NOT_SECTIONS = ("model_type", "model_attributes_type", "dict_type")


class Section(BaseModel):
    """A frozen group of keys. Unknown keys and values of another type are errors."""

    # pydantic builds the validator of a section at the first check, not at import.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)

    rejected: ClassVar[dict[str, str]] = {}
    """Keys that users try but that cannot exist, with the reason."""

    def to_dict(self) -> dict[str, Any]:
        """Return all values by key, in JSON types; sizes in bytes, clock in hertz."""
        return self.model_dump(mode="json", by_alias=True)


_T = TypeVar("_T")
_Section = TypeVar("_Section", bound=Section)


class Problems(ValueError):  # noqa: N818 - pydantic asks for a ValueError, users never see it
    """Several broken rules, each with its place in the section of the checked field.

    ``own``: the checked value is the section itself.
    """

    def __init__(self, found: Iterable[tuple[Place, str]], *, own: bool = False) -> None:
        self.found = list(found)
        self.own = own
        super().__init__("; ".join(message for _, message in self.found))


class ProblemAt(Problems):
    """A broken rule between keys; the message belongs to ``subkey`` of the checked field."""

    def __init__(self, subkey: str | int, message: str) -> None:
        place = (subkey,) if isinstance(subkey, int) else tuple(subkey.split("."))
        super().__init__([(place, message)], own=True)


@dataclass(slots=True)
class ParseContext:
    """Context of the validators of a file, which also note problems here: pydantic's ``context``.

    A problem noted here with its place in the file does not stop validation. Validators of nested
    sections do not know that place; they raise ``ValueError``, :class:`ProblemAt` or
    :class:`Problems`.

    ``found``: the problems noted so far, with their places.
    """

    folder: Path | None = None  # where relative paths start; None: the current folder
    found: list[tuple[Place, str]] = field(default_factory=list)
    shared: dict[str, Any] = field(default_factory=dict)  # data that sections share

    def note(self, message: str, *place: str | int) -> None:
        """Note a problem; validation continues."""
        self.found.append((place, message))

    def placed(self, path: str) -> str:
        """Resolve a path that the file contains."""
        return path if self.folder is None else os.path.normpath(self.folder / path)

    def machine(self, text: str) -> str:
        """Resolve a machine, which is given by name or path."""
        return self.placed(text) if "/" in text or text.endswith((".yaml", ".yml")) else text

    def parse_or_note(self, parse: Callable[[], _T], *place: str | int) -> _T | None:
        """Return the result of ``parse``; note its ``GnomonError`` and return None if it fails."""
        try:
            return parse()
        except GnomonError as error:
            self.note(str(error), *place)
            return None


def context_of(info: ValidationInfo) -> ParseContext:
    """Return the context of the file that a validator checks."""
    return info.context if isinstance(info.context, ParseContext) else ParseContext()


def key(
    meaning: str,
    *,
    unit: str = "",
    why: str = "",
    allowed: str = "",
    default: Any = PydanticUndefined,
    shown_default: str = "",
    **options: Any,
) -> Any:
    """Declare one key: its meaning and unit, and for errors the reason of its range.

    Args:
        meaning: one line.
        unit: of the value.
        why: reason of the range.
        allowed: allowed values, if the type alone does not list them.
        default: value if the key is omitted; none if the key is required.
        shown_default: the default as reference pages write it.
        options: of :func:`pydantic.Field`, such as ``default_factory`` for a section by default:
            its class then builds no validator at import.
    """
    extra: JsonDict = {"unit": unit, "why": why, "allowed": allowed, "shown": shown_default}
    return Field(default, description=meaning, json_schema_extra=extra, **options)


def given(parse: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Convert a parser to a pydantic validator: its ``GnomonError`` becomes a ``ValueError``."""

    def checked(value: Any) -> Any:
        try:
            return parse(value)
        except GnomonError as error:
            raise ValueError(str(error)) from None

    return checked


def none_word(value: object) -> object:
    """Convert the word ``none`` to None, which YAML's own null also gives."""
    return None if value == "none" else value


def names_tuple(value: object) -> object:
    """Convert a list, as YAML gives it, to a tuple, as a frozen model holds it."""
    return tuple(value) if isinstance(value, list) else value


def items(value: object) -> object:
    """Convert a single value or a list to a tuple, None to an empty one; keep a section."""
    if value is None:
        return ()
    if isinstance(value, dict):
        return value
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def whole_number(value: object) -> object:
    """Reject ``true`` and ``4.0``, which compare equal to 1 and 4 in a list of allowed values."""
    if type(value) is not int:
        raise PydanticCustomError("not_allowed", "not a whole number")
    return value


Version = Annotated[Literal[1], BeforeValidator(whole_number)]
"""Version of a file format; the key ``schema``."""

NAME_ALLOWED = "lower-case letters, digits, '.', '_', '-', at most 64"
NAME_PATTERN = r"^[a-z0-9][a-z0-9._-]{0,63}$"


def version_key() -> Any:
    """Declare the key ``schema``, which is the first of every file."""
    return key(
        "version of this file format",
        alias="schema",
        why="other versions are not known to this program",
    )


def validate_tree(
    tree: Mapping,
    kind: type[_Section],
    known: Iterable[Problem] = (),
    *,
    reading: ParseContext | None = None,
    also: tuple[str, ...] = (),
    in_order: bool = False,
) -> _Section:
    """Validate a tree.

    Args:
        tree: of a file, or of several merged files.
        kind: model of the file.
        known: problems found before.
        reading: context of the validators.
        also: keys that the whole file may have in addition, for messages.
        in_order: sort problems by line, not by the order of the model.

    Raises:
        FileError: if there are problems; those already known come first.
    """
    problems = list(known)
    section = None
    reading = reading or ParseContext()
    try:
        section = kind.model_validate(strip_lines(tree), context=reading)
    except ValidationError as error:
        reported = {problem.path for problem in problems}
        for detail in error.errors(include_url=False):
            problems += [
                problem
                for problem in _convert_error(tree, kind, detail, also)
                if problem.path not in reported or detail["type"] != "missing"
            ]
    problems += problems_at(tree, reading.found)
    if problems or section is None:
        if in_order:
            problems.sort(key=lambda each: each.origin.line or 0)
        raise FileError(problems)
    return section


def _convert_error(
    tree: Mapping, kind: type[Section], detail: ErrorDetails, also: tuple[str, ...]
) -> Iterator[Problem]:
    place = _strip_location(tree, kind, detail["loc"])
    raised = detail.get("ctx", {}).get("error")
    if isinstance(raised, Problems):
        above = place if raised.own else place[:-1]
        yield from problems_at(tree, [((*above, *below), text) for below, text in raised.found])
        return
    yield from problems_at(tree, [(place, _format_message(kind, place, detail, also))])


def problems_at(tree: Mapping, found: Iterable[tuple[Place, str]]) -> Iterator[Problem]:
    """Yield a problem for each message, with the line of its place."""
    for place, message in found:
        yield Problem(origin_of(tree, place), ".".join(map(str, place)), message)


def _strip_location(tree: Mapping, kind: type[Section], loc: Place) -> Place:
    """Return the keys of a pydantic location, without names of validators and union members."""
    place: Place = ()
    for part in loc:
        here = (*place, part)
        there = len(list(down(tree, here))) == len(here) or field_at(kind, here) is not None
        if there or (part == loc[-1] and isinstance(part, str) and _is_key(part)):
            place = here
    return place


def _is_key(part: str) -> bool:
    return "[" not in part and not part.startswith(("function-", "constrained-", "literal"))


def _format_message(
    kind: type[Section], place: Place, detail: ErrorDetails, also: tuple[str, ...]
) -> str:
    what, value = detail["type"], detail["input"]
    if what == "value_error":
        return str(detail.get("ctx", {}).get("error"))
    if what == "extra_forbidden":
        section = section_at(kind, place[:-1])
        if section is not None and issubclass(section, Section) and place[-1] in section.rejected:
            return section.rejected[str(place[-1])]
        names = names_in(section) if section is not None else []
        names += also if len(place) == 1 else ()
        return f"unknown key {allowed_hint(str(place[-1]), names)}"
    info = field_at(kind, place)
    if what == "missing":
        section = section_at(kind, place)
        if section is not None:
            return f"missing (a section with {', '.join(names_in(section))})"
        hint = _format_hint(info)
        return f"missing{hint}" if hint else f"missing: {info.description if info else ''}"
    if what in _NOT_SECTIONS:
        return f"must be a section with keys of its own, not {shown(value)}"
    if what in ("too_short", "too_long") and not (info and extras_of(info).get("allowed")):
        bound = detail["ctx"]["min_length" if what == "too_short" else "max_length"]
        needs = "needs at least" if what == "too_short" else "takes at most"
        has = f"{needs} {bound:,} item{'s' * (bound != 1)}, not {detail['ctx']['actual_length']:,}"
        return f"{has}: {info.description}" if info and info.description else has
    return f"must not be {shown(value)}{_format_hint(info, value)}"


def _format_hint(info: FieldInfo | None, value: object = None) -> str:
    if info is None:
        return ""
    allowed = allowed_values(info)
    if not allowed:
        return ""
    near = did_you_mean(value, allowed.split(", ")) if isinstance(value, str) else ""
    why = extras_of(info).get("why")
    return f" (allowed: {allowed}{f'; {why}' if why else ''}{near})"
