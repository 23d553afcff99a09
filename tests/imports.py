"""The imports of a Python file, read from its syntax tree."""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


def module_name(root: Path, file: Path) -> str:
    """Return the dotted name of a file below ``root``; a package is its ``__init__.py``."""
    parts = file.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(file: Path) -> Iterator[tuple[str, str]]:
    """Return what ``imports_in`` returns for a file, imports for types included."""
    return iter(_imports_of_text(file.read_text(encoding="utf-8")))


@cache
def _imports_of_text(text: str) -> tuple[tuple[str, str], ...]:
    return tuple(imports_in(ast.walk(ast.parse(text))))


def imports_in(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    """Yield module and name of each absolute import; ``import module`` has an empty name."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from ((node.module, each.name) for each in node.names)
        elif isinstance(node, ast.Import):
            yield from ((each.name, "") for each in node.names)


def nodes_that_run(node: ast.AST) -> Iterator[ast.AST]:
    """Yield every node below one, except those under ``if TYPE_CHECKING``."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            for other in child.orelse:
                yield from (other, *nodes_that_run(other))
            continue
        yield child
        yield from nodes_that_run(child)
