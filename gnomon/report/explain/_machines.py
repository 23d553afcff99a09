"""Explanations of machines: a key of a machine, and its area by part."""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypeVar

from gnomon.arch import Described, list_architectures, load_architecture
from gnomon.base.content import shipped_machines
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.interval import Interval
from gnomon.base.tables import read_yaml_table
from gnomon.base.values import parse_digits
from gnomon.base.yaml import strip_lines
from gnomon.cost.area import RESOURCES, Area
from gnomon.report.explain._chain import Chain, ChainStep
from gnomon.report.explain._sources import table_path

_FILE = re.compile(r"(.+?\.ya?ml)(?:\.(.*))?")
"""User machine: a path, and the rest after it."""
_BY_KEY = "by key: the remarks of the file state what is measured, published or chosen"
_BRACKETS = re.compile(r"\[([^\]]*)\]")
T = TypeVar("T")
_UNITS = {"lut": "LUT", "ff": "flip-flops", "dsp": "DSP blocks", "bram": "BRAM of 36 Kbit"}


def split_machine(rest: str, prefix: str) -> tuple[str, str]:
    """Return machine and rest of ``t13-simd4.core.divider`` or ``mine/one.yaml.core.divider``."""
    own = _FILE.fullmatch(rest)
    if own is not None:
        if not Path(own[1]).is_file():
            raise GnomonError(f"{prefix}.{rest}: {own[1]} does not exist")
        return own[1], own[2] or ""
    known = list_architectures()
    for name in sorted(known, key=len, reverse=True):
        if rest == name or rest.startswith(name + "."):
            return name, rest[len(name) + 1 :]
    near = did_you_mean(rest.partition(".")[0], known)
    raise GnomonError(
        f"{prefix}.{rest}: no machine has this name (known: {', '.join(known)}{near}; or the path"
        " of a machine file, with .yaml)"
    )


def _once(make: Callable[..., T]) -> Callable[..., T]:
    """Return a function that caches results of shipped machines; a user file may change."""
    kept = cache(make)
    return lambda machine, *more: (kept if machine in shipped_machines() else make)(machine, *more)


@_once
def _described(machine: str) -> dict[str, Described]:
    return {row.path: row for row in Described.list_keys(machine)}


@_once
def _area(machine: str, settings: str) -> Area:
    return Area.from_architecture(
        load_architecture(machine, settings.split(",") if settings else [])
    )


def explain_machine(rest: str) -> Chain:
    """Explain ``arch.NAME`` or ``arch.NAME.KEY``; NAME may be a path that ends in .yaml."""
    machine, key = split_machine(rest, "arch")
    rows = _described(machine)
    if not key:
        step = ChainStep("machine", f"{machine}: {rows['title'].value}", _start_of(machine))
        source = ChainStep(
            "source", rows["source"].value, _from_top(rows["source"].origin), _BY_KEY, 1
        )
        return Chain(f"arch.{machine}", machine, "", (step, source))
    if key not in rows:
        section = [path for path in rows if path.startswith(key + ".")]
        if section:
            raise GnomonError(f"arch.{rest}: is a section; name a key: {', '.join(section)}")
        near = did_you_mean(key, rows)
        raise GnomonError(f"arch.{machine}: has no key {key!r}{near}")
    row = rows[key]
    where = _from_top(row.origin)
    steps = [
        ChainStep("value", f"{key} of {machine}: {row.value}", where),
        ChainStep("machine", f"{row.meaning} ({row.unit or 'no unit'})", depth=1),
    ]
    remark = _remark(where)
    if remark:
        steps.append(ChainStep("source", remark, where, "as stated by the remark", depth=1))
    elif row.origin == "default":
        steps.append(ChainStep("source", "the default of the key, chosen by gnomon", "gnomon/arch",
                          "chosen", depth=1))  # fmt: skip
    if where:
        steps += _source_of(where, remark)
    return Chain(f"arch.{machine}.{key}", row.value, row.unit, tuple(steps))


def _start_of(machine: str) -> str:
    return f"{machine}:1" if _FILE.fullmatch(machine) else f"arch/{machine}.yaml:1"


def _from_top(origin: str) -> str:
    """Return ``file:line``; an empty text for a default, which is in no file."""
    return origin if ":" in origin else ""


def _file_of(where: str) -> tuple[str, Path]:
    """Return the file of a line, as displayed and as a path."""
    file = where.rpartition(":")[0]
    shipped = table_path(file)
    return file, shipped if shipped.is_file() else Path(file)


def _remark(where: str) -> str:
    """Return the remark after ``#`` in the line."""
    number = parse_digits(where.rpartition(":")[2])
    if number is None:
        return ""
    text = _file_of(where)[1].read_text(encoding="utf-8").splitlines()[number - 1]
    return text.partition(" #")[2].strip()


def _source_of(where: str, remark: str) -> list[ChainStep]:
    """Return the source that a file states for its keys, which excludes inherited keys."""
    file, path = _file_of(where)
    source = read_yaml_table(path, "machine").tree.entries.get("source")
    if source is not None:
        origin, text = source
        return [
            ChainStep("source", str(strip_lines(text)), f"{file}:{origin.line}", _BY_KEY, depth=1)
        ]
    unsourced = f"set in {file}, which names no source"
    return (
        []
        if remark
        else [ChainStep("source", unsourced, where, "stated by this file alone", depth=1)]
    )


def explain_area(rest: str) -> Chain:
    """Explain ``area.MACHINE``, ``area.MACHINE.PART`` or either with a resource, such as ``.lut``.

    Changed keys follow the machine in brackets: ``area.t13-simd4[vcu.simd=8].vcu.adder``.
    """
    settings = _BRACKETS.search(rest)
    machine, path = split_machine(_BRACKETS.sub("", rest), "area")
    changed = settings[1] if settings else ""
    found = _area(machine, changed)
    resource = next((name for name in RESOURCES if path.split(".")[-1] == name), None)
    part_name = path.removesuffix(resource or "").rstrip(".") if resource else path
    parts = [p for p in found.parts if not part_name or p.figure.name == part_name]
    if not parts:
        known = [p.figure.name for p in found.parts]
        near = did_you_mean(part_name, known)
        raise GnomonError(f"area.{machine}: no part {part_name!r} ({', '.join(known)}{near})")
    sums = parts[0].resources if part_name else found.total
    shown = [resource] if resource else list(RESOURCES)
    text = ", ".join(f"{_interval(sums.of(name))} {_UNITS[name]}" for name in shown)
    value = f"{sums.of(resource).value:g}" if resource else text
    what = f"{part_name or 'all parts'} of {machine} {changed}".rstrip()
    steps = [
        ChainStep("value", f"{what}: {text}", _start_of(machine)),
        ChainStep(
            "table", f"area table {found.table}; not included: {found.not_included}", depth=1
        ),
    ]
    for part in parts:
        if resource and not part.resources.of(resource).high:
            continue
        figure = part.figure
        counts = ", ".join(
            f"{_interval(figure.resources.of(name))} {_UNITS[name]}"
            for name in shown
            if figure.resources.of(name).high
        )
        text = f"{part.count} x {figure.name} ({part.counted}), each {counts or 'none'}"
        steps.append(ChainStep("table", text, figure.origins[0], depth=1))
        where = ", ".join(figure.origins)
        text = f"{figure.source}; {figure.reasoning}"
        steps.append(ChainStep("source", text, where, figure.kind, depth=2))
    unit = _UNITS[resource] if resource else ""
    return Chain(f"area.{rest}", value, unit, tuple(steps))


def _interval(count: Interval) -> str:
    if count.low == count.high:
        return f"{count.value:g}"
    return f"{count.value:g} [{count.low:g}, {count.high:g}]"
