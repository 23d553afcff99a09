"""From a name or path to one merged tree: files, ``extends`` chains and ``--set`` overrides."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gnomon.arch._keys import key_paths, nearest_key
from gnomon.arch._problems import ArchitectureError, Origin, Problem, shown
from gnomon.arch._yaml import Items, Mapping, Node, Scalar, read_yaml
from gnomon.content import content
from gnomon.errors import GnomonError, did_you_mean

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
    """Names of the shipped machines, in order of name."""
    return sorted(path.stem for path in content("arch").glob("*.yaml"))


def find(name_or_path: str | Path) -> Source:
    """Resolve a shipped name or a path.

    Raises:
        GnomonError: the name is not shipped and no such file exists.
    """
    text = os.fspath(name_or_path)
    if isinstance(name_or_path, str) and text in list_architectures():
        return Source(content("arch", f"{text}.yaml"), f"arch/{text}.yaml")
    path = Path(text)
    try:
        if path.is_file():
            return Source(path, text)
        exists = path.exists()
    except (OSError, ValueError):
        exists = False
    if exists:
        raise GnomonError(f"{text}: not a file; a machine is one YAML file")
    if "/" in text or path.suffix in (".yaml", ".yml"):
        raise GnomonError(f"{text}: no such file")
    names = list_architectures()
    raise GnomonError(
        f"no machine is called {shown(text)} "
        f"(shipped: {', '.join(names)}{did_you_mean(text, names)}); "
        "a file of your own is given by its path, such as ./mine.yaml"
    )


def read_chain(source: Source, overrides: Sequence[str] = ()) -> Mapping:
    """Merge a file over those it extends, then apply ``dotted.path=value`` overrides in order.

    Raises:
        ArchitectureError: a file cannot be read, a chain has no end, an override makes no sense.
    """
    layers = [_read_file(source)]
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
        layers.append(_read_file(parent))
    merged = layers[-1]
    for layer in reversed(layers[:-1]):
        merged = _merge(_heritage(merged), layer)
    problems: list[Problem] = []
    if "schema" not in layers[-1].entries:
        root_origin = Origin(sources[-1].shown, 1)
        problems.append(Problem(root_origin, "schema", "missing; the first line is 'schema: 1'"))
    merged = Mapping(Origin(source.shown, 1), dict(merged.entries))
    merged.entries.pop("extends", None)
    for override in overrides:
        try:
            merged = _override(merged, override)
        except ArchitectureError as error:
            problems.extend(error.problems)
    if problems:
        raise ArchitectureError(problems)
    return merged


def _read_file(source: Source) -> Mapping:
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
def _parse(raw: bytes, where: str) -> Mapping:
    # Nobody changes a parsed tree, so equal bytes share one: families read their base once.
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        message = f"not UTF-8 text: byte 0x{raw[error.start]:02x}"
        raise ArchitectureError([Problem(Origin(where, line), "", message)]) from None
    node = read_yaml(text, where)
    if not isinstance(node, Mapping):
        what = "a list" if isinstance(node, Items) else shown(node.value)
        if isinstance(node, Scalar) and node.value is None:
            what = "nothing"
        message = f"a machine is a list of 'key: value' lines, not {what}"
        raise ArchitectureError([Problem(node.origin, "", message)])
    return node


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


def _override(tree: Mapping, override: str) -> Mapping:
    origin = Origin(f"--set {override}")
    path, equals, text = override.partition("=")
    path = path.strip()

    def refuse(message: str) -> ArchitectureError:
        return ArchitectureError([Problem(origin, path, message)])

    if not equals or not path:
        message = "write dotted.path=value, such as core.harts=3"
        raise ArchitectureError([Problem(origin, "", message)])
    paths = key_paths()
    names = path.split(".")
    if path == "extends" or path == "schema":
        raise refuse("cannot be overridden; it belongs to the file")
    if path not in paths and path != "vcu":
        if any(known.startswith(path + ".") for known in paths):
            raise refuse("a section; set one of its keys, such as " + _first_key(path, paths))
        raise refuse(f"unknown key{nearest_key(path, paths)}")
    value = (
        read_yaml(text, str(origin), line_numbers=False) if text.strip() else Scalar(None, origin)
    )
    if isinstance(value, Mapping) or (isinstance(value, Items) and path != "vcu.extensions"):
        raise refuse("takes one value, not a section or a list")
    if path == "vcu" and not (isinstance(value, Scalar) and value.value in (None, "none")):
        raise refuse("a section; set one of its keys, such as vcu.simd, or vcu=none to remove it")
    if names[0] == "vcu" and len(names) > 1:
        vcu = tree.entries.get("vcu")
        if vcu is None or (isinstance(vcu[1], Scalar) and vcu[1].value in (None, "none")):
            raise refuse("this machine has no vcu; start from one that has, such as t13-simd4")
    return _with(tree, names, value, origin)


def _first_key(section: str, paths: Sequence[str]) -> str:
    return next(known for known in paths if known.startswith(section + "."))


def _with(tree: Mapping, names: Sequence[str], value: Node, origin: Origin) -> Mapping:
    entries = dict(tree.entries)
    head, *rest = names
    if rest:
        old = entries.get(head)
        section = old[1] if old is not None and isinstance(old[1], Mapping) else Mapping(origin)
        entries[head] = (origin if old is None else old[0], _with(section, rest, value, origin))
    else:
        entries[head] = (origin, value)
    return Mapping(tree.origin, entries)
