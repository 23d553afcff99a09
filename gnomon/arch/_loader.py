"""Loading of machines by name or path: ``extends`` chains, ``--set`` overrides, origins."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from gnomon.arch._schema import Architecture
from gnomon.arch.keys import (
    NAMED,
    all_keys,
    general_path,
    is_unit_key,
    key_paths,
    meaning_of,
    named_section,
    nearest_key,
    optional_sections,
    written,
)
from gnomon.base.content import content, found_machines
from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.files import is_file
from gnomon.base.keys import Key, names_in, section_at
from gnomon.base.schema import ParseContext, validate_tree
from gnomon.base.yaml import (
    FileError,
    Items,
    Mapping,
    Node,
    Origin,
    Problem,
    Scalar,
    down,
    origin_of,
    read_file,
    read_yaml,
    shown,
    strip_lines,
)

MAX_CHAIN = 16
# Each machine has its own name and title; inheriting these would mislabel results.
NOT_INHERITED = ("name", "title", "extends")
_LISTS = ("core.divider_table.cycles", "vcu.extensions", "vcu.divider_table.cycles")


class Described(NamedTuple):
    """One key of a loaded machine.

    ``value`` and ``default`` are spelled as in a machine file; ``default`` is None for keys that
    every machine must give. ``origin`` is ``file:line``, a ``--set`` option or ``default``.
    """

    path: str
    value: str
    default: str | None
    unit: str
    allowed: str
    meaning: str
    origin: str

    @staticmethod
    def list_keys(name_or_path: str | Path, overrides: Sequence[str] = ()) -> tuple[Described, ...]:
        """Return every key of a machine: value, default, unit, meaning and origin.

        Keys of sections that the machine does not have (``vcu: none``) share one row.

        Raises:
            GnomonError: as ``load_architecture``.
        """
        tree, problems, _ = read_chain(find_machine_file(name_or_path), overrides)
        architecture = _check_tree(tree, problems)
        rows: dict[str, Described] = {}
        for key in all_keys():
            if key.path == "units":
                rows |= {each.path: each for each in _describe_units(architecture, tree)}
                continue
            of_link = key.path.startswith("memory.link.") and not architecture.memory.regions
            if named_section(key.path) or of_link:
                continue
            names = key.path.split(".")
            depth, value = _get_value(architecture, names)
            path = ".".join(names[:depth])
            default = None if key.required else written(key.default, key.unit)
            columns = written(value, key.unit), default, key.unit, key.allowed, key.meaning
            if depth < len(names):
                columns = ("none", "none", "", "a section, none", meaning_of(path))
            is_written = len(list(down(tree, names[:depth]))) == depth
            origin = str(origin_of(tree, names)) if is_written else "default"
            rows.setdefault(path, Described(path, *columns, origin))
        named = {each.path: each for each in _describe_named(architecture, tree)}
        return tuple((named | rows).values()) if named else tuple(rows.values())


def _describe_named(architecture: Architecture, tree: Mapping) -> Iterator[Described]:
    """Yield the keys of the regions of the memory, then of the devices; none without any."""
    for section, held in (
        ("memory.regions", architecture.memory.regions), ("devices", architecture.devices)
    ):  # fmt: skip
        infos = [each for each in all_keys() if named_section(each.path) == section]
        for name, info in product(held, infos):
            names = [*section.split("."), name, info.path.removeprefix(f"{section}.NAME.")]
            if names[-1].endswith(".NAME"):
                yield from _describe_parameters(held[name], names, info, tree)
                continue
            value = getattr(held[name], names[-1])
            default = None if info.required else written(info.default, info.unit)
            is_written = len(list(down(tree, names))) == len(names)
            yield Described(
                ".".join(names), written(value, info.unit), default, info.unit, info.allowed,
                info.meaning, str(origin_of(tree, names)) if is_written else "default",
            )  # fmt: skip


def _describe_parameters(
    device: Any, place: Sequence[str], info: Key, tree: Mapping
) -> Iterator[Described]:
    """Yield the parameters of a user-defined device; none for others."""
    names = [*place[:-1], place[-1].removesuffix(".NAME")]
    for name, value in () if device.code is None else device.code.parameters:
        path = [*names, name]
        origin = str(origin_of(tree, path)) if name in device.parameters else "default"
        yield Described(".".join(path), str(value), None, "", "", info.meaning, origin)


def _describe_units(architecture: Architecture, tree: Mapping) -> Iterator[Described]:
    """Yield the parameters of the units; one row for all if there is none."""
    info = next(each for each in all_keys() if each.path == "units")
    if not architecture.units:
        given = "units" in tree.entries
        origin = str(origin_of(tree, ["units"])) if given else "default"
        yield Described("units", "none", "none", "", info.allowed, info.meaning, origin)
    for unit in architecture.units:
        place = f"units.{unit.name}"
        origin = str(origin_of(tree, ["units", unit.name]))
        yield Described(place, unit.title, "none", "", "{}, none", "functional unit", origin)
        for each in unit.parameters:
            names = ["units", unit.name, each.name]
            written_there = len(list(down(tree, names))) == len(names)
            yield Described(
                f"{place}.{each.name}", str(each.value), str(each.default), "",
                f"{each.least} to {each.most}", each.meaning or "parameter of the unit",
                str(origin_of(tree, names)) if written_there else "default",
            )  # fmt: skip


def load_architecture(name_or_path: str | Path, overrides: Sequence[str] = ()) -> Architecture:
    """Load a shipped machine by name, or a file by path, with ``dotted.path=value`` overrides.

    Raises:
        GnomonError: if there are problems; one per line: ``file:line: key: problem``.
    """
    tree, problems, _ = read_chain(find_machine_file(name_or_path), overrides)
    return _check_tree(tree, problems)


def variants(name_or_path: str | Path) -> Callable[[Sequence[str]], Architecture]:
    """Return a function from overrides to variants of a machine; its files are read once, now.

    Raises:
        GnomonError: as ``load_architecture``; the returned function raises it too.
    """
    tree, problems, _ = read_chain(find_machine_file(name_or_path))
    return _Variants(tree, problems)


_SECTIONS = ("memory", "core", "vcu")
_UNRELATED = ("clock", "power", "area")
"""Keys that no rule of another key reads."""
_MOST_PARTS = 4096


class _Variants:
    """Variants of a machine, derived from parts.

    Each value of a key of ``_UNRELATED``, and each section with its overrides, is checked once, in
    the machine that differs in nothing else. A variant is a combination of these. The rules between
    sections are checked for each combination. If a part or a combination has a problem, the whole
    machine is checked as any other, so messages are the same.
    """

    def __init__(self, tree: Mapping, problems: tuple[Problem, ...]) -> None:
        self._tree, self._problems, self._values = tree, problems, strip_lines(tree)
        self._parts: dict[tuple[str, tuple[str, ...]], Any] = {}
        self._combined: dict[tuple[tuple[str, tuple[str, ...]], ...], Architecture | None] = {}

    def __call__(self, overrides: Sequence[str]) -> Architecture:
        """Return the variant with these overrides, see ``load_architecture``."""
        of_key: dict[str, tuple[str, ...]] = {}
        for text in overrides:
            name = text.partition("=")[0].strip().partition(".")[0]
            of_key[name] = (*of_key.get(name, ()), text)
        if not of_key.keys() <= {*_SECTIONS, *_UNRELATED}:
            return self._check(overrides)
        sections = tuple(each for each in of_key.items() if each[0] in _SECTIONS)
        if sections not in self._combined:
            if len(self._combined) >= _MOST_PARTS:
                self._combined.pop(next(iter(self._combined)))
            self._combined[sections] = self._combine(sections)
        machine = self._combined[sections]
        values: dict[str, Any] = {}
        for name in _UNRELATED:
            if name in of_key:
                values[name] = self._part(name, of_key[name])
        if machine is None or any(isinstance(each, GnomonError) for each in values.values()):
            return self._check(overrides)
        return machine.model_copy(update=values) if values else machine

    def _combine(self, sections: Sequence[tuple[str, tuple[str, ...]]]) -> Architecture | None:
        parts = {name: self._part(name, texts) for name, texts in sections}
        parts |= {name: self._part(name, ()) for name in _SECTIONS if name not in parts}
        if self._problems or any(isinstance(each, GnomonError) for each in parts.values()):
            return None
        reading = ParseContext()
        try:
            machine = Architecture.model_validate(self._values | parts, context=reading)
        except ValidationError:
            return None
        return None if reading.found else machine

    def _part(self, name: str, texts: tuple[str, ...]) -> Any:
        """Return the value of a key with its overrides, or the error of a machine with it."""
        if (name, texts) not in self._parts:
            if len(self._parts) >= _MOST_PARTS:
                self._parts.pop(next(iter(self._parts)))
            try:
                self._parts[name, texts] = getattr(self._check(texts), name)
            except GnomonError as error:
                self._parts[name, texts] = error
        return self._parts[name, texts]

    def _check(self, overrides: Sequence[str]) -> Architecture:
        changed, refused = _apply_overrides(self._tree, overrides)
        return _check_tree(changed, (*self._problems, *refused))


def _check_tree(tree: Mapping, known: Sequence[Problem]) -> Architecture:
    return validate_tree(tree, Architecture, known, also=("extends",))


def _get_value(architecture: Architecture, names: Sequence[str]) -> tuple[int, Any]:
    """Return the value at a path and its depth, which is smaller if a section is absent."""
    value: Any = architecture
    for depth, name in enumerate(names):
        if value is None:
            return depth, None
        fields = {info.alias or field: field for field, info in type(value).model_fields.items()}
        value = getattr(value, fields[name])
    return len(names), value


class MachineFile(NamedTuple):
    """A machine file: its path, and its name in messages."""

    path: Path
    shown: str


def list_architectures() -> list[str]:
    """Return the names of all machines found, shipped and user-defined, sorted."""
    return sorted(found_machines())


def find_machine_file(name_or_path: str | Path) -> MachineFile:
    text = os.fspath(name_or_path)
    machines = found_machines()
    if isinstance(name_or_path, str) and text in machines:
        own = machines[text] == content("arch", f"{text}.yaml")
        return MachineFile(machines[text], f"arch/{text}.yaml" if own else str(machines[text]))
    path = Path(text)
    try:
        if path.is_file():
            return MachineFile(path, text)
        exists = bool(text) and path.exists()
    except (OSError, ValueError):  # a name that is too long for the system, or contains a NUL
        exists = False
    if exists:
        raise GnomonError(f"{text}: not a file; a machine is one YAML file")
    if "/" in text or path.suffix in (".yaml", ".yml"):
        raise GnomonError(f"{text if text.isprintable() else shown(text)}: no such file")
    raise GnomonError(
        f"{_describe_unknown(text)}; give a user-defined file by its path, such as ./mine.yaml"
    )


def _describe_unknown(text: str) -> str:
    if is_file(content("models", "platforms") / f"{text}.yaml"):
        return f"{text} is a cost model, for `gnomon learner` only: it runs no program"
    names = list_architectures()
    return f"no machine is called {shown(text)} {allowed_hint(text, names, 'known')}"


def read_chain(
    source: MachineFile, overrides: Sequence[str] = ()
) -> tuple[Mapping, tuple[Problem, ...], list[Path]]:
    """Merge a file with the files it extends, then apply ``dotted.path=value`` overrides in order.

    Returns the tree, the problems that do not prevent further checks of its values, and the paths
    of the files that it extends.

    Raises:
        FileError: if a file cannot be read, or a chain has no end.
    """
    layers: list[Mapping] = []
    sources, problems = [source], list[Problem]()
    while not layers or "extends" in layers[-1].entries:
        if layers:
            origin, node = layers[-1].entries["extends"]
            parent = _find_parent(sources[-1], origin, node)
            circle = parent.path.resolve() in [each.path.resolve() for each in sources]
            sources.append(parent)
            if circle or len(layers) == MAX_CHAIN:
                what = "a circle" if circle else f"a chain of more than {MAX_CHAIN} files"
                names = " -> ".join(each.shown for each in sources)
                raise FileError([Problem(origin, "extends", f"{what}: {names}")])
        layer, twice = read_file(sources[-1].path, "machine", sources[-1].shown)
        layers.append(layer)
        problems += twice
    merged = layers[-1]
    for layer in reversed(layers[:-1]):
        kept = {k: v for k, v in merged.entries.items() if k not in NOT_INHERITED}
        merged = _merge(Mapping(merged.origin, kept), layer)
    if "schema" not in layers[-1].entries:
        first_line = Origin(sources[-1].shown, 1)
        message = "missing; a file that extends no other starts with 'schema: 1'"
        problems.append(Problem(first_line, "schema", message))
    entries = {name: entry for name, entry in merged.entries.items() if name != "extends"}
    tree, refused = _apply_overrides(Mapping(Origin(source.shown, 1), entries), overrides)
    return tree, (*problems, *refused), [each.path for each in sources[1:]]


def _apply_overrides(tree: Mapping, overrides: Sequence[str]) -> tuple[Mapping, list[Problem]]:
    problems: list[Problem] = []
    for override in overrides:
        try:
            tree = apply_override(tree, override)
        except FileError as error:
            problems.extend(error.problems)
    return tree, problems


def _find_parent(child: MachineFile, origin: Origin, node: Node) -> MachineFile:
    if not isinstance(node, Scalar) or not isinstance(node.value, str) or not node.value:
        message = "must be the name of a shipped machine or the path of a file"
        raise FileError([Problem(origin, "extends", message)])
    text = node.value
    if text in list_architectures():
        return find_machine_file(text)
    if "/" in text or text.endswith((".yaml", ".yml")):
        path = child.path.parent / text
        display = os.path.normpath(Path(child.shown).parent / text)
        if is_file(path):
            return MachineFile(path, display)
        raise FileError([Problem(origin, "extends", f"no such file: {display}")])
    raise FileError([Problem(origin, "extends", _describe_unknown(text))])


def _merge(base: Mapping, child: Mapping) -> Mapping:
    """Merge two trees key by key; values of the child other than sections replace the base."""
    entries = dict(base.entries)
    for name, (origin, node) in child.entries.items():
        old = base.at(name)
        value = (
            _merge(old, node) if isinstance(node, Mapping) and isinstance(old, Mapping) else node
        )
        entries[name] = (origin, value)
    return Mapping(child.origin, entries)


def apply_override(tree: Mapping, override: str) -> Mapping:
    """Return the tree with one value replaced; the given tree is unchanged."""
    path, origin, value = _read_override(override)
    refusal = _find_override_problem(tree, path, value)
    if refusal:
        raise FileError([Problem(origin, path, refusal)])
    return tree.with_value(path.split("."), value, origin)


@lru_cache(maxsize=1024)
def _read_override(override: str) -> tuple[str, Origin, Node]:
    shown_text = override if override.isprintable() else repr(override)
    origin = Origin(f"--set {shown_text if len(shown_text) <= 80 else shown_text[:77] + '...'}")
    path, equals, text = override.partition("=")
    path = path.strip()
    if not equals or not path:
        message = "write dotted.path=value, such as core.harts=3"
        raise FileError([Problem(origin, "", message)])
    value: Node = Scalar(None, origin)
    problems: tuple[Problem, ...] = ()
    try:
        if text.strip():
            value, problems = read_yaml(text, str(origin), line_numbers=False, what="machine")
    except FileError as error:
        problems = error.problems
    if problems:
        raise FileError(Problem(p.origin, path, p.message) for p in problems)
    return path, origin, value


def _find_override_problem(tree: Mapping, path: str, value: Node) -> str:
    """Return why an override is invalid, or an empty text."""
    paths = key_paths()
    removes = isinstance(value, Scalar) and value.value in (None, "none")
    if path in ("extends", "schema") or is_unit_key(path):
        # The validator knows the units and their parameters.
        return "" if is_unit_key(path) else "cannot be overridden; it belongs to the file"
    refusal = _find_named_problem(tree, path)
    if path == "units" and not removes:
        refusal = "a section; set one unit, such as units.NAME={}, or units=none to remove all"
    if path == "devices" and not removes:
        refusal = "a section; set one key of a device, such as devices.NAME.base, or devices=none"
    if refusal or path == "devices":
        return refusal
    if section_at(Architecture, path.split(".")) is not None:
        if path in optional_sections():
            return "" if removes else f"a section; set one of its keys, or {path}=none to remove it"
        first = next(known for known in paths if known.startswith(general_path(path) + "."))
        own = path + first.removeprefix(general_path(path))
        return f"a section; set one of its keys, such as {own}"
    if general_path(path) not in paths:
        above, _, name = path.rpartition(".")
        section = section_at(Architecture, above.split("."))
        why = getattr(section, "rejected", {}).get(name, "")
        near = nearest_key(path, paths)
        if named_section(path) and section is not None:
            near = f" {allowed_hint(name, names_in(section))}"
        return why or f"unknown key{near}"
    if isinstance(value, Mapping) or (isinstance(value, Items) and path not in _LISTS):
        return "takes one value, not a section or a list"
    if path.startswith("vcu.") and not isinstance(tree.at("vcu"), Mapping):
        return "this machine has no vcu; extend one with a vcu, such as t13-simd4"
    return ""


def _find_named_problem(tree: Mapping, path: str) -> str:
    """Return why a key of a region, a memory or a device cannot be set, or an empty text."""
    memory = tree.at("memory")
    regions = _list_names(memory.at("regions") if isinstance(memory, Mapping) else None)
    held = {"memory.regions": regions, "devices": _list_names(tree.at("devices"))}
    section = named_section(path)
    if section:
        name = path.removeprefix(f"{section}.").split(".")[0]
        if held[section] and name not in held[section]:
            hint = allowed_hint(name, held[section], section)
            return f"no {NAMED[section]} is called {shown(name)} {hint}"
        if section == "devices" and not held[section]:
            return "this machine has no devices; list them in a machine file that extends it"
    if regions and path.rpartition(".")[0] in ("memory.instruction", "memory.data"):
        return f"this machine has regions {allowed_hint('', regions, 'memory.regions')}"
    if path == "memory.regions":
        return "a section; set one key of a region, such as memory.regions.NAME.waits"
    return ""


def _list_names(section: Node | None) -> list[str]:
    """Return the keys of a section of the file."""
    return [*section.entries] if isinstance(section, Mapping) else []
