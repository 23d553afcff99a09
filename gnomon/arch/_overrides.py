"""``--set dotted.path=value``: one value of a merged tree replaced from the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.arch._keys import key_paths, nearest_key, optional_sections, section_at
from gnomon.arch._problems import ArchitectureError, Origin, Problem
from gnomon.arch._yaml import Items, Mapping, Node, Scalar, read_yaml

if TYPE_CHECKING:
    from collections.abc import Sequence

_LISTS = ("core.divider_table.cycles", "vcu.extensions", "vcu.divider_table.cycles")


def apply_override(tree: Mapping, override: str) -> Mapping:
    """Return the tree with one value replaced; the given tree stays as it is.

    Raises:
        ArchitectureError: not ``dotted.path=value``, an unknown key, or not one value.
    """
    origin = Origin(_flag(override))
    path, equals, text = override.partition("=")
    path = path.strip()
    if not equals or not path:
        message = "write dotted.path=value, such as core.harts=3"
        raise ArchitectureError([Problem(origin, "", message)])
    try:
        value: Node = Scalar(None, origin)
        if text.strip():
            value, _ = read_yaml(text, str(origin), line_numbers=False)
    except ArchitectureError as error:
        raise ArchitectureError(
            Problem(p.origin, path, p.message) for p in error.problems
        ) from None
    refusal = _refusal(tree, path, value)
    if refusal:
        raise ArchitectureError([Problem(origin, path, refusal)])
    return _with(tree, path.split("."), value, origin)


def _refusal(tree: Mapping, path: str, value: Node) -> str:
    """Why this override makes no sense, or an empty text."""
    paths = key_paths()
    removes = isinstance(value, Scalar) and value.value in (None, "none")
    if path in ("extends", "schema"):
        return "cannot be overridden; it belongs to the file"
    if section_at(path) is not None:
        if path in optional_sections():
            if removes:
                return ""
            return f"a section; set one of its keys, or {path}=none to do without it"
        first = next(known for known in paths if known.startswith(path + "."))
        return f"a section; set one of its keys, such as {first}"
    if path not in paths:
        return f"unknown key{nearest_key(path, paths)}"
    if isinstance(value, Mapping) or (isinstance(value, Items) and path not in _LISTS):
        return "takes one value, not a section or a list"
    if path.startswith("vcu.") and not isinstance(_node_at(tree, "vcu"), Mapping):
        return "this machine has no vcu; start from one that has, such as t13-simd4"
    return ""


def _node_at(tree: Mapping, name: str) -> Node | None:
    return tree.entries[name][1] if name in tree.entries else None


def _with(tree: Mapping, names: Sequence[str], value: Node, origin: Origin) -> Mapping:
    entries = dict(tree.entries)
    head, *rest = names
    if rest:
        old = _node_at(tree, head)
        section = old if isinstance(old, Mapping) else Mapping(origin)
        key_origin = entries[head][0] if isinstance(old, Mapping) else origin
        entries[head] = (key_origin, _with(section, rest, value, origin))
    else:
        entries[head] = (origin, value)
    return Mapping(tree.origin, entries)


def _flag(override: str) -> str:
    text = override if override.isprintable() else repr(override)
    return f"--set {text if len(text) <= 80 else text[:77] + '...'}"
