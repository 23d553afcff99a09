"""From a name or path to one merged tree: files, ``extends`` chains and ``--set`` overrides."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.arch._overrides import apply_override
from gnomon.arch._problems import ArchitectureError, Origin, Problem, shown
from gnomon.arch._schema import SCHEMA_VERSION
from gnomon.arch._yaml import Items, Mapping, Node, Scalar, read_yaml
from gnomon.base.content import content, found_machines
from gnomon.base.errors import GnomonError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_FILE_BYTES = 256 * 1024
MAX_CHAIN = 16
# Each machine names and titles itself; inheriting these would mislabel results.
NOT_INHERITED = ("name", "title", "extends")


@dataclass(frozen=True, slots=True)
class Source:
    """A machine file: where it is, and how messages call it."""

    path: Path
    shown: str


def list_architectures() -> list[str]:
    """Names of the machines that are found, shipped and users' own, in order of name."""
    return sorted(found_machines())


def find(name_or_path: str | Path) -> Source:
    """Resolve the name of a machine that is found, or a path.

    Raises:
        GnomonError: no machine has the name and no such file exists.
    """
    text = os.fspath(name_or_path)
    machines = found_machines()
    if isinstance(name_or_path, str) and text in machines:
        own = machines[text] == content("arch", f"{text}.yaml")
        return Source(machines[text], f"arch/{text}.yaml" if own else str(machines[text]))
    path = Path(text)
    try:
        if path.is_file():
            return Source(path, text)
        exists = bool(text) and path.exists()
    except (OSError, ValueError):  # a name longer than the system takes, or with a NUL in it
        exists = False
    if exists:
        raise GnomonError(f"{text}: not a file; a machine is one YAML file")
    if "/" in text or path.suffix in (".yaml", ".yml"):
        raise GnomonError(f"{text if text.isprintable() else shown(text)}: no such file")
    names = list_architectures()
    raise GnomonError(
        f"no machine is called {shown(text)} "
        f"(shipped: {', '.join(names)}{did_you_mean(text, names)}); "
        "a file of your own is given by its path, such as ./mine.yaml"
    )


def read_chain(
    source: Source, overrides: Sequence[str] = ()
) -> tuple[Mapping, tuple[Problem, ...]]:
    """Merge a file over those it extends, then apply ``dotted.path=value`` overrides in order.

    Returns the tree, and the problems that do not keep its values from being checked too.

    Raises:
        ArchitectureError: a file cannot be read, or a chain has no end.
    """
    first, twice = _read_file(source)
    layers, problems = [first], list(twice)
    sources = [source]
    seen = {source.path.resolve()}
    while "extends" in layers[-1].entries:
        origin, node = layers[-1].entries["extends"]
        parent = _parent(sources[-1], origin, node)
        resolved = parent.path.resolve()
        if resolved in seen or len(layers) == MAX_CHAIN:
            names = " -> ".join([*(s.shown for s in sources), parent.shown])
            what = "a circle" if resolved in seen else f"a chain of more than {MAX_CHAIN} files"
            raise ArchitectureError([Problem(origin, "extends", f"{what}: {names}")])
        seen.add(resolved)
        sources.append(parent)
        layer, twice = _read_file(parent)
        layers.append(layer)
        problems.extend(twice)
    merged = layers[-1]
    for layer in reversed(layers[:-1]):
        merged = _merge(_heritage(merged), layer)
    if "schema" not in layers[-1].entries:
        first_line = Origin(sources[-1].shown, 1)
        message = f"missing; a file that extends no other starts with 'schema: {SCHEMA_VERSION}'"
        problems.append(Problem(first_line, "schema", message))
    entries = {name: entry for name, entry in merged.entries.items() if name != "extends"}
    tree = Mapping(Origin(source.shown, 1), entries)
    for override in overrides:
        try:
            tree = apply_override(tree, override)
        except ArchitectureError as error:
            problems.extend(error.problems)
    return tree, tuple(problems)


def _read_file(source: Source) -> tuple[Mapping, tuple[Problem, ...]]:
    first_line = Origin(source.shown, 1)
    try:
        with source.path.open("rb") as file:
            raw = file.read(MAX_FILE_BYTES + 1)
    except OSError as error:
        raise GnomonError(f"{source.shown}: cannot be read: {error.strerror}") from None
    if len(raw) > MAX_FILE_BYTES:
        message = f"longer than {MAX_FILE_BYTES // 1024} KiB; this is no machine description"
        raise ArchitectureError([Problem(first_line, "", message)])
    return _parse(raw, source.shown)


@lru_cache(maxsize=64)
def _parse(raw: bytes, where: str) -> tuple[Mapping, tuple[Problem, ...]]:
    # Nobody changes a parsed tree, so equal bytes share one: families read their base once.
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        message = f"not UTF-8 text: byte 0x{raw[error.start]:02x}"
        raise ArchitectureError([Problem(Origin(where, line), "", message)]) from None
    node, duplicates = read_yaml(text, where)
    if not isinstance(node, Mapping):
        what = "a list" if isinstance(node, Items) else shown(node.value)
        if isinstance(node, Scalar) and node.value is None:
            what = "nothing"
        message = f"a machine is a list of 'key: value' lines, not {what}"
        raise ArchitectureError([Problem(node.origin, "", message)])
    return node, duplicates


def _parent(child: Source, origin: Origin, node: Node) -> Source:
    if not isinstance(node, Scalar) or not isinstance(node.value, str) or not node.value:
        message = "must be the name of a shipped machine or the path of a file"
        raise ArchitectureError([Problem(origin, "extends", message)])
    text = node.value
    if text in list_architectures():
        return find(text)
    if "/" in text or text.endswith((".yaml", ".yml")):
        path = child.path.parent / text
        display = os.path.normpath(Path(child.shown).parent / text)
        try:
            if path.is_file():
                return Source(path, display)
        except (OSError, ValueError):
            pass
        raise ArchitectureError([Problem(origin, "extends", f"no such file: {display}")])
    names = list_architectures()
    message = (
        f"no machine is called {shown(text)} "
        f"(shipped: {', '.join(names)}{did_you_mean(text, names)})"
    )
    raise ArchitectureError([Problem(origin, "extends", message)])


def _heritage(base: Mapping) -> Mapping:
    kept = {k: v for k, v in base.entries.items() if k not in NOT_INHERITED}
    return Mapping(base.origin, kept)


def _merge(base: Mapping, child: Mapping) -> Mapping:
    """Key by key: sections merge, everything else of the child replaces the base."""
    entries = dict(base.entries)
    for name, (origin, node) in child.entries.items():
        old = entries.get(name)
        if old is not None and isinstance(node, Mapping) and isinstance(old[1], Mapping):
            entries[name] = (origin, _merge(old[1], node))
        else:
            entries[name] = (origin, node)
    return Mapping(child.origin, entries)
