"""The reader of YAML: text to a tree that knows its lines.

A user's file is JSON-compatible data, so the reader accepts only mappings, lists and scalars. It
rejects anchors, aliases, tags and several documents: they hide where a value comes from. The tree
is built from PyYAML's parser events instead of its composer, so that depth and duplicates are
checked while reading and hostile input causes no recursion.
:mod:`gnomon.base.schema` checks the values of the tree.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import yaml

from gnomon.base.errors import CONTROL, GnomonError, visible

try:  # the parser in C is ten times as fast; both give the same events
    from yaml import CBaseLoader as _Loader
except ImportError:  # pragma: no cover - PyYAML built without libyaml
    from yaml import BaseLoader as _Loader  # type: ignore[assignment]

MAX_FILE_BYTES = 256 * 1024
MAX_DEPTH = 12
_NUMBER = re.compile(
    r"(?P<float>[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?)"
    r"|[-+]?(?:0|[1-9][0-9]*)|(?P<hexadecimal>0x[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)",
    re.ASCII,
)
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}

_NOT_TEXT = "[^\\t\\n\\r\\x20-\\x7e\\x85\\xa0-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]"

ScalarValue: TypeAlias = "bool | int | float | str | None"
Place: TypeAlias = "tuple[str | int, ...]"
"""Keys and list positions that lead to an entry."""


class Origin(NamedTuple):
    """The place of a value: a line of a file, or a ``--set`` option (``line`` is None)."""

    where: str
    line: int | None = None

    def __str__(self) -> str:
        return self.where if self.line is None else f"{self.where}:{self.line}"


class Problem(NamedTuple):
    """One error: its place, its key (dotted, empty for the whole file), and its message."""

    origin: Origin
    path: str
    message: str

    def __str__(self) -> str:
        return ": ".join(part for part in (str(self.origin), self.path, self.message) if part)


class FileError(GnomonError):
    """An unusable file; ``problems`` lists all problems found."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


def shown(value: object) -> str:
    """Return a value as error messages quote it: at most 60 characters on one line."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "a section"
    if isinstance(value, list | tuple):
        return "a list"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


@dataclass(slots=True)
class Scalar:
    """One value and its place."""

    value: ScalarValue
    origin: Origin


@dataclass(slots=True)
class Items:
    """A list."""

    origin: Origin
    values: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class Mapping:
    """A section: key to (line of the key, value)."""

    origin: Origin
    entries: dict[str, tuple[Origin, Node]] = field(default_factory=dict)

    def at(self, name: str) -> Node | None:
        """Return the value of a key; None if the key is absent."""
        return self.entries[name][1] if name in self.entries else None

    def with_value(self, names: Sequence[str], value: Node, origin: Origin) -> Mapping:
        """Return a copy with the value at the path ``names``, whose lines are ``origin``."""
        head, *rest = names
        at, old = self.entries.get(head, (origin, None)) if rest else (origin, None)
        if rest and isinstance(old, Mapping):
            value = old.with_value(rest, value, origin)
        elif rest:
            at, value = origin, Mapping(origin).with_value(rest, value, origin)
        return Mapping(self.origin, self.entries | {head: (at, value)})


Node: TypeAlias = "Scalar | Items | Mapping"


def strip_lines(node: Node) -> Any:
    """Return the values of a tree without their lines."""
    if isinstance(node, Mapping):
        return {name: strip_lines(value) for name, (_, value) in node.entries.items()}
    if isinstance(node, Items):
        return [strip_lines(value) for value in node.values]
    return node.value


def tree_of(value: Any, where: str) -> Node:
    """Convert JSON-compatible data to a tree without lines, as if it had been read."""
    origin = Origin(where)
    if isinstance(value, dict):
        return Mapping(origin, {str(n): (origin, tree_of(v, where)) for n, v in value.items()})
    if isinstance(value, list | tuple):
        return Items(origin, [tree_of(each, where) for each in value])
    return Scalar(value, origin)


def down(node: Node, place: Iterable[str | int]) -> Iterator[tuple[str | int, Origin, Node]]:
    """Yield the steps of a path into a tree, each with its line, as far as the tree has them."""
    for name in place:
        if isinstance(node, Mapping) and name in node.entries:
            origin, node = node.entries[str(name)]
        elif isinstance(node, Items) and isinstance(name, int) and name < len(node.values):
            node = node.values[name]
            origin = node.origin
        else:
            return
        yield name, origin, node


def origin_of(tree: Node, place: Iterable[str | int]) -> Origin:
    """Return the line of the value at a place, or of the nearest section above it."""
    origin = tree.origin
    for _, below, _ in down(tree, place):
        origin = below
    return origin


def places(node: Node, above: Place = ()) -> Iterator[tuple[Place, Origin]]:
    """Yield every key and list position of a tree, in order, with its line."""
    if isinstance(node, Mapping):
        for name, (origin, value) in node.entries.items():
            yield (*above, name), origin
            yield from places(value, (*above, name))
    elif isinstance(node, Items):
        for position, value in enumerate(node.values):
            yield (*above, position), value.origin
            yield from places(value, (*above, position))


def read_file(
    path: Path | str, what: str, where: str | None = None
) -> tuple[Mapping, tuple[Problem, ...]]:
    """Read a file of keys.

    Args:
        path: of the file.
        what: kind of description, such as ``machine``; for messages.
        where: name of the file in messages; ``path`` if None.

    Returns:
        The tree, and the keys written twice (the last one is in the tree).

    Raises:
        GnomonError: if there is no such file.
        FileError: if it is not plain YAML, or holds no keys; with the line.
    """
    where = os.fspath(path) if where is None else where
    path = Path(path)
    try:
        if not path.is_file():
            raise GnomonError(f"{where}: no such file" if not path.exists() else
                              f"{where}: not a file; a {what} is one YAML file")  # fmt: skip
        with path.open("rb") as file:
            raw = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise GnomonError(f"{where}: cannot be read: {error.strerror}") from None
    except ValueError:
        raise GnomonError(f"{shown(where)}: no such file") from None
    if len(raw) > MAX_FILE_BYTES:
        message = f"longer than {MAX_FILE_BYTES // 1024} KiB; this is not a {what} description"
        raise FileError([Problem(Origin(where, 1), "", message)])
    return _parse_bytes(raw, where, what)


@lru_cache(maxsize=64)
def _parse_bytes(raw: bytes, where: str, what: str) -> tuple[Mapping, tuple[Problem, ...]]:
    # No caller changes a parsed tree, so equal bytes share one: families read their base once.
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        message = f"not UTF-8 text: byte 0x{raw[error.start]:02x}"
        raise FileError([Problem(Origin(where, line), "", message)]) from None
    node, duplicates = read_yaml(text, where, what=what)
    if not isinstance(node, Mapping):
        given = "a list" if isinstance(node, Items) else shown(node.value)
        if isinstance(node, Scalar) and node.value is None:
            given = "nothing"
        message = f"a {what} is a list of 'key: value' lines, not {given}"
        raise FileError([Problem(node.origin, "", message)])
    return node, duplicates


def read_yaml(
    text: str, where: str, *, line_numbers: bool = True, what: str = "table"
) -> tuple[Node, tuple[Problem, ...]]:
    """Parse one document.

    Returns:
        The tree, and the keys written twice (the last one is in the tree).

    Raises:
        FileError: if it is not plain YAML data; with the line.
    """

    def origin(line: int) -> Origin:
        return Origin(where, line) if line_numbers else Origin(where)

    try:
        return _build_tree(text, origin, what)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = 1 if mark is None else mark.line + 1
        raise _make_error(origin(line), _explain(error, text, line)) from None
    except (yaml.YAMLError, ValueError, OverflowError):  # the last two: escapes beyond Unicode
        message = "not YAML: it contains a character that text files do not have"
        raise _make_error(origin(_find_bad_line(text)), message) from None


def _make_error(origin: Origin, message: str) -> FileError:
    return FileError([Problem(origin, "", message)])


@dataclass(slots=True)
class _Frame:
    """A section or list that is still being read, and the key whose value comes next."""

    node: Mapping | Items
    path: str
    key: tuple[str, Origin] | None = None


def _build_tree(
    text: str, origin: Callable[[int], Origin], what: str
) -> tuple[Node, tuple[Problem, ...]]:
    line, here = 1, origin(1)  # of the current event
    frames: list[_Frame] = []
    documents: list[Node] = []
    duplicates: list[Problem] = []

    def place(node: Node) -> str:
        """Put a node where it belongs; return the dotted path of a section or list."""
        if not frames:
            if documents:
                raise _make_error(here, f"a second document; one file describes one {what}")
            documents.append(node)
            return ""
        frame = frames[-1]
        if isinstance(frame.node, Items):
            frame.node.values.append(node)
            at = len(frame.node.values) - 1
            return "" if isinstance(node, Scalar) else f"{frame.path}.{at}"
        if frame.key is None:
            if not isinstance(node, Scalar):
                raise _make_error(here, "a key must be a word, not a section or a list")
            word = node.value if isinstance(node.value, str) else shown(node.value)
            frame.key = (word, here)
            return frame.path
        (name, key_origin), frame.key = frame.key, None
        path = f"{frame.path}.{name}" if frame.path else name
        if name in frame.node.entries:
            first = frame.node.entries[name][0]
            duplicates.append(Problem(key_origin, path, f"written twice, first at {first}"))
        frame.node.entries[name] = (key_origin, node)
        return path

    for event in yaml.parse(text, Loader=_Loader):
        mark = event.start_mark
        if mark is not None and mark.line + 1 != line:
            line = mark.line + 1
            here = origin(line)
        if isinstance(event, yaml.NodeEvent) and event.anchor is not None:  # an alias has one
            instead = "; use extends to share values" if what == "machine" else ""
            raise _make_error(here, f"anchors and aliases are not read{instead}")
        if isinstance(event, yaml.ScalarEvent):
            _refuse_tag(event.tag, here)
            value = event.value
            if not value.isprintable() and (found := CONTROL.search(value)):
                raise _make_error(here, f"contains the control character {visible(found[0])}")
            place(Scalar(value if event.style else _parse_scalar(value, here), here))
        elif isinstance(event, yaml.CollectionStartEvent):
            _refuse_tag(event.tag, here)
            if len(frames) == MAX_DEPTH:
                raise _make_error(here, f"nested deeper than {MAX_DEPTH} levels")
            node = (Mapping if isinstance(event, yaml.MappingStartEvent) else Items)(here)
            frames.append(_Frame(node, place(node)))
        elif isinstance(event, yaml.CollectionEndEvent):
            frames.pop()
    if not documents:
        raise _make_error(origin(1), f"empty: it describes no {what}")
    return documents[0], tuple(duplicates)


def _refuse_tag(tag: str | None, here: Origin) -> None:
    if tag is not None:
        raise _make_error(here, f"tags are not read; remove {shown(tag)}")


def _parse_scalar(text: str, here: Origin) -> ScalarValue:
    """Return the value of an unquoted word by YAML 1.2 rules, so ``yes`` and ``010`` stay words."""
    if text.lower() in _WORDS and (text in _WORDS or text.istitle() or text.isupper()):
        return _WORDS[text.lower()]
    if len(text) <= 24:
        number = _NUMBER.fullmatch(text)
        if number is not None:
            if number.lastgroup == "float":
                return float(text)
            return int(text, 10 if number.lastgroup is None else 16)
    elif text[:24].isdecimal():
        raise _make_error(here, f"{shown(text)} is too long for a number")
    return text


def _explain(error: yaml.MarkedYAMLError, text: str, line: int) -> str:
    lines = text.splitlines()
    if line <= len(lines) and "\t" in lines[line - 1]:
        return "not YAML: a tab; indent and separate with spaces"
    if error.problem and "nesting depth" in error.problem:  # libyaml has its own limit
        return f"nested deeper than {MAX_DEPTH} levels"
    context = f" {error.context}" if error.context else ""
    return f"not YAML: {error.problem or 'cannot be read'}{context}"


def _find_bad_line(text: str) -> int:
    match = re.search(_NOT_TEXT, text)
    return 1 if match is None else text.count("\n", 0, match.start()) + 1
