"""From the text of a YAML file to a tree, by the events of PyYAML; imported where one is read.

Anchors, aliases, tags and several documents are refused: they hide where a value comes from. The
tree is built from the parser's events, not by its own composer, so that depth and duplicates are
checked while reading and nothing recurses on hostile input.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import yaml

from gnomon.base.errors import CONTROL, visible
from gnomon.base.yaml import (
    FileError,
    Items,
    Mapping,
    Node,
    Origin,
    Problem,
    Scalar,
    ScalarValue,
    shown,
)

try:  # the parser in C is ten times as fast; both give the same events
    from yaml import CBaseLoader as _Loader
except ImportError:  # pragma: no cover - PyYAML built without libyaml
    from yaml import BaseLoader as _Loader  # type: ignore[assignment]

MAX_DEPTH = 12
_DECIMAL = re.compile(r"[-+]?(0|[1-9][0-9]*)", re.ASCII)
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+(_[0-9a-fA-F]+)*", re.ASCII)
_FLOAT = re.compile(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))([eE][-+]?[0-9]+)?", re.ASCII)
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}

_NOT_TEXT = re.compile(
    "[^\\t\\n\\r\\x20-\\x7e\\x85\\xa0-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]"
)


def parse(
    text: str, where: str, *, line_numbers: bool, what: str
) -> tuple[Node, tuple[Problem, ...]]:
    """See :func:`gnomon.base.yaml.read_yaml`."""

    def origin(line: int) -> Origin:
        return Origin(where, line) if line_numbers else Origin(where)

    try:
        return _build(text, origin, what)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = 1 if mark is None else mark.line + 1
        raise _refused(origin(line), _explain(error, text, line)) from None
    except (yaml.YAMLError, ValueError, OverflowError):  # the last two: escapes beyond Unicode
        message = "not YAML: it contains a character that text files do not have"
        raise _refused(origin(_bad_line(text)), message) from None


def _refused(origin: Origin, message: str) -> FileError:
    return FileError([Problem(origin, "", message)])


@dataclass(slots=True)
class _Frame:
    """A section or list that is still being read, and the key whose value comes next."""

    node: Mapping | Items
    path: str
    key: tuple[str, Origin] | None = None


def _build(
    text: str, origin: Callable[[int], Origin], what: str
) -> tuple[Node, tuple[Problem, ...]]:
    here = origin(1)  # of the event that is read
    frames: list[_Frame] = []
    documents: list[Node] = []
    duplicates: list[Problem] = []

    def place(node: Node) -> str:
        """Put a node where it belongs; return its dotted path."""
        if not frames:
            if documents:
                raise _refused(here, f"a second document; one file describes one {what}")
            documents.append(node)
            return ""
        frame = frames[-1]
        if isinstance(frame.node, Items):
            frame.node.values.append(node)
            return f"{frame.path}.{len(frame.node.values) - 1}"
        if frame.key is None:
            if not isinstance(node, Scalar):
                raise _refused(here, "a key must be a word, not a section or a list")
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
        here = origin(1 if event.start_mark is None else event.start_mark.line + 1)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            instead = "; use extends to share values" if what == "machine" else ""
            raise _refused(here, f"anchors and aliases are not read{instead}")
        if isinstance(event, yaml.ScalarEvent):
            _refuse_tag(event.tag, here)
            if found := CONTROL.search(event.value):
                raise _refused(here, f"contains the control character {visible(found[0])}")
            value = event.value if event.style else _scalar(event.value, here)
            place(Scalar(value, here))
        elif isinstance(event, yaml.CollectionStartEvent):
            _refuse_tag(event.tag, here)
            if len(frames) == MAX_DEPTH:
                raise _refused(here, f"nested deeper than {MAX_DEPTH} levels")
            node = (Mapping if isinstance(event, yaml.MappingStartEvent) else Items)(here)
            frames.append(_Frame(node, place(node)))
        elif isinstance(event, yaml.CollectionEndEvent):
            frames.pop()
    if not documents:
        raise _refused(origin(1), f"empty: it describes no {what}")
    return documents[0], tuple(duplicates)


def _refuse_tag(tag: str | None, here: Origin) -> None:
    if tag is not None:
        raise _refused(here, f"tags are not read; remove {shown(tag)}")


def _scalar(text: str, here: Origin) -> ScalarValue:
    """What an unquoted word means: YAML 1.2 rules, so ``yes`` and ``010`` stay words."""
    if text.lower() in _WORDS and (text in _WORDS or text.istitle() or text.isupper()):
        return _WORDS[text.lower()]
    if len(text) <= 24:
        if _DECIMAL.fullmatch(text):
            return int(text)
        if _HEXADECIMAL.fullmatch(text):
            return int(text, 16)
        if _FLOAT.fullmatch(text):
            return float(text)
    elif text[:24].isdecimal():
        raise _refused(here, f"{shown(text)} is too long for a number")
    return text


def _explain(error: yaml.MarkedYAMLError, text: str, line: int) -> str:
    lines = text.splitlines()
    if line <= len(lines) and "\t" in lines[line - 1]:
        return "not YAML: a tab; indent and separate with spaces"
    if error.problem and "nesting depth" in error.problem:  # libyaml has a limit of its own
        return f"nested deeper than {MAX_DEPTH} levels"
    context = f" {error.context}" if error.context else ""
    return f"not YAML: {error.problem or 'cannot be read'}{context}"


def _bad_line(text: str) -> int:
    match = _NOT_TEXT.search(text)
    return 1 if match is None else text.count("\n", 0, match.start()) + 1
