"""YAML that remembers its lines, for lists of sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from gnomon.base.errors import GnomonError
from gnomon.rtl._sources import read_list_text

if TYPE_CHECKING:
    from pathlib import Path


def read_nodes(path: Path, *, first_line: str | None = None) -> yaml.MappingNode:
    """The mapping at the root of a YAML file.

    Args:
        path: the file.
        first_line: what its first line must be, such as ``CAPI=2:``; it is not YAML and is taken
            away without a change to line numbers.

    Raises:
        GnomonError: not readable, not YAML, or not a mapping; with file and line.
    """
    text = read_list_text(path)
    if first_line is not None:
        head, _, rest = text.partition("\n")
        if head.strip() != first_line:
            raise GnomonError(
                f"{path}:1: must begin with {first_line!r}, not {head.strip()[:40]!r}"
            )
        text = "\n" + rest
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise GnomonError(f"{path}:{line}: not YAML: {error.problem or error.context}") from None
    except (yaml.YAMLError, RecursionError) as error:
        raise GnomonError(f"{path}: not YAML: {str(error).splitlines()[0]}") from None
    if not isinstance(node, yaml.MappingNode):
        raise GnomonError(f"{path}:{line_of(node)}: must be a mapping of names to contents")
    return node


def line_of(node: yaml.Node | None) -> int:
    """The line of a node, from 1."""
    return node.start_mark.line + 1 if node is not None else 1


def entries(node: yaml.MappingNode) -> list[tuple[str, yaml.Node]]:
    """Keys, as text, and values of a mapping."""
    return [(str(getattr(key, "value", "")), value) for key, value in node.value]


def texts(node: yaml.Node, where: Path, what: str) -> list[tuple[str, int]]:
    """The items of a list of plain words, with their lines.

    Raises:
        GnomonError: it is no list, or an item is no word.
    """
    if isinstance(node, yaml.ScalarNode) and not node.value:
        return []
    if not isinstance(node, yaml.SequenceNode):
        raise GnomonError(f"{where}:{line_of(node)}: {what} must be a list")
    found: list[tuple[str, int]] = []
    items: list[Any] = node.value
    for item in items:
        if not isinstance(item, yaml.ScalarNode):
            raise GnomonError(f"{where}:{line_of(item)}: {what}: an item must be a plain name")
        found.append((item.value, line_of(item)))
    return found
