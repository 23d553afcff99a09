"""A merged tree to an ``Architecture``, or to every error in it, each at its own line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from gnomon.arch._keys import Key, all_keys, names_in, section_at
from gnomon.arch._model import ProblemAt
from gnomon.arch._problems import ArchitectureError, Origin, Problem, shown
from gnomon.arch._schema import Architecture
from gnomon.arch._yaml import Items, Mapping, Node
from gnomon.base.errors import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic_core import ErrorDetails


def check(tree: Mapping, known: Iterable[Problem] = ()) -> Architecture:
    """Validate a merged tree.

    Raises:
        ArchitectureError: with the problems already known, then those of the values, in the
            order of the schema.
    """
    problems = list(known)
    try:
        architecture = Architecture.model_validate(_plain(tree))
    except ValidationError as error:
        said = {problem.path for problem in problems}
        for detail in error.errors(include_url=False):
            problem = _problem(tree, detail)
            if problem.path not in said or detail["type"] != "missing":
                problems.append(problem)
    if problems:
        raise ArchitectureError(problems)
    return architecture


def origin_of(tree: Mapping, path: Iterable[str]) -> Origin:
    """Where the value at a path was written, or the nearest section above it."""
    node: Node = tree
    origin = tree.origin
    for name in path:
        if not isinstance(node, Mapping) or name not in node.entries:
            break
        origin, node = node.entries[name]
    return origin


def is_written(tree: Mapping, path: Iterable[str]) -> bool:
    """Whether a file or an override holds this key, as opposed to its default."""
    node: Node = tree
    for name in path:
        if not isinstance(node, Mapping) or name not in node.entries:
            return False
        _, node = node.entries[name]
    return True


def _plain(node: Node) -> Any:
    if isinstance(node, Mapping):
        return {name: _plain(value) for name, (_, value) in node.entries.items()}
    if isinstance(node, Items):
        return [_plain(value) for value in node.values]
    return node.value


def _problem(tree: Mapping, detail: ErrorDetails) -> Problem:
    path = [str(part) for part in detail["loc"]]
    raised = detail.get("ctx", {}).get("error")
    if isinstance(raised, ProblemAt):
        path.extend(raised.subkey.split("."))
    return Problem(origin_of(tree, path), ".".join(path), _message(path, detail))


def _message(path: list[str], detail: ErrorDetails) -> str:
    kind, given = detail["type"], detail["input"]
    if kind == "value_error":
        return str(detail.get("ctx", {}).get("error"))
    if kind == "extra_forbidden":
        section = section_at(".".join(path[:-1]))
        known = names_in(section) if section is not None else []
        if len(path) == 1:
            known = [*known, "extends"]
        return f"unknown key (allowed: {', '.join(known)}{did_you_mean(path[-1], known)})"
    key = _find_key(".".join(path))
    if kind == "missing":
        section = section_at(".".join(path))
        if section is not None:
            return f"missing (a section with {', '.join(names_in(section))})"
        return f"missing{_hint(key)}"
    if kind in ("model_type", "model_attributes_type", "dict_type"):
        return f"must be a section with keys of its own, not {shown(given)}"
    return f"must not be {shown(given)}{_hint(key, given)}"


def _find_key(path: str) -> Key | None:
    return next((key for key in all_keys() if key.path == path), None)


def _hint(key: Key | None, given: object = None) -> str:
    if key is None:
        return ""
    near = did_you_mean(given, key.allowed.split(", ")) if isinstance(given, str) else ""
    why = f"; {key.why}" if key.why else ""
    return f" (allowed: {key.allowed}{why}{near})"
