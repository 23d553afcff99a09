"""What the area page shows: machines, and what kernels make of them; its tables and its words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from gnomon.arch import load_architecture
from gnomon.base.frames import frame, worded
from gnomon.base.interval import Interval
from gnomon.base.units import format_frequency
from gnomon.bench.kernels import Kernel
from gnomon.content.reports.energy.prices import ends_of, kernel_energies, machine_of
from gnomon.cost.area import KINDS, RESOURCES, Area, area
from gnomon.report.study import Steps, study_page

BASE = "t13-paper-simd4"
"""The machine that one key at a time is changed of."""
_CHANGED = {
    "sharing": ("vcu.sharing", ("shared", "replicated", "multithreaded"), "{}"),
    "divider": (
        "vcu.divider",
        ("restoring_r2", "restoring_r4", "unrolled_4", "early_clz_r2", "klessydra_vl_std",
         "klessydra_vl_hf", "combinational"),
        "{}",
    ),
    "scratchpads": ("vcu.scratchpads.count", (1, 2, 4, 8), "{} of 16 KiB"),
}  # fmt: skip
"""By group: the key, its values, and how they are called."""

ENDS = ("", "_low", "_high")
"""How columns of an interval end: value, lower and upper end."""
_LUT = tuple(f"{name}{end}" for name in ("lut", "lut_us") for end in ENDS)
_ENERGY = ("energy_uj", *(f"energy_time{end}_uj_us" for end in ENDS))
_FORMS = {"time_us": "g", **dict.fromkeys(_LUT, ".6g"), **dict.fromkeys(_ENERGY, ".5g")}


@dataclass(frozen=True, slots=True)
class MachineArea:
    """One machine: a shipped one, or the base with one key changed (``change``)."""

    group: str
    label: str
    change: str
    area: Area


@dataclass(frozen=True, slots=True, eq=False)
class AreaStudy:
    """Machines, and ``kernels.csv`` in numbers; its ``simd`` is 0 for scalar code on the core."""

    machines: tuple[MachineArea, ...]
    kernels: pd.DataFrame


def machines() -> tuple[MachineArea, ...]:
    """All machines, by group."""

    def priced(group: str, label: str, machine: str, *change: str) -> MachineArea:
        described = load_architecture(machine, change)
        return MachineArea(group, label, "".join(change), area(described))

    found = [priced("width", "no vector unit", "t13")]
    found += [priced("width", f"SIMD {n}", f"t13-paper-simd{n}") for n in (1, 2, 4, 8)]
    for group, (key, values, label) in _CHANGED.items():
        found += [
            priced(group, label.format(value), BASE, f"{key}={value}") for value in values
        ]  # fmt: skip
    return tuple(found)


def run_area(progress: Steps | None = None, kernels: Sequence[Kernel] | None = None) -> AreaStudy:
    """Price machines, and run kernels on them."""
    table = kernel_energies(progress, kernels)
    luts = [area(load_architecture(machine_of(simd))).total.lut for simd in table["simd"]]
    times = zip(luts, table["time_us"], strict=True)
    own = [[*ends_of(lut), *ends_of(lut * time_us)] for lut, time_us in times]
    table = table.rename(columns=lambda name: name.replace("energy_delay", "energy_time"))
    table = table.join(pd.DataFrame(own, columns=_LUT))
    return AreaStudy(machines(), table[[*table.columns[:6], *_LUT, *_ENERGY]])


def kernels_rows(kernels: pd.DataFrame) -> pd.DataFrame:
    """``kernels.csv``; intervals of products are those of the area and of the energy."""
    table = kernels.assign(simd=kernels["simd"].astype(object).replace(0, ""))
    return worded(table, _FORMS)


_RESOURCE_ENDS = [f"{name}{end}" for name in RESOURCES for end in ENDS]


def machines_rows(machines: Sequence[MachineArea]) -> pd.DataFrame:
    """Totals of every machine with their intervals."""
    return frame(
        ["machine", "change", *_RESOURCE_ENDS, *(f"lut_{kind}" for kind in KINDS)],
        [
            [
                *(each.area.machine, each.change, *_numbers(each.area.total)),
                *(f"{each.area.of_kind(kind, 'lut').value:g}" for kind in KINDS),
            ]
            for each in machines
        ],
    )


def parts_rows(machines: Sequence[MachineArea]) -> pd.DataFrame:
    """Parts of every machine, with kind and origin."""
    return frame(
        ["machine", "change", "part", "count", "kind", *_RESOURCE_ENDS],
        [
            [
                *(each.area.machine, each.change, part.figure.name, part.count, part.figure.kind),
                *_numbers(part.resources),
            ]
            for each in machines
            for part in each.area.parts
        ],
    )


def area_page(study: AreaStudy) -> str:
    """The page as Markdown."""
    lut, best = products(study.kernels)
    energy: Any = study.kernels.pivot_table("energy_time_uj_us", "kernel", "simd", sort=False)
    clocks = dict.fromkeys(load_architecture(each.area.machine).clock for each in study.machines)
    return study_page(
        Path(__file__).parent,
        not_included=study.machines[0].area.not_included,
        machines=lambda group: _machines([m for m in study.machines if m.group == group]),
        resources=[name.upper() for name in RESOURCES],
        base=BASE,
        clocks=[format_frequency(clock) for clock in clocks],
        steady=int(best.eq(best["least at"], axis=0).all(axis=1).sum()),
        kernels=_over_scalar(lut.dropna() / 1000, "scalar, LUT x ms", ".3f").join(best),
        energies=_over_scalar(energy.dropna(), "scalar, µJ x µs", ".2g"),
    )


def products(kernels: pd.DataFrame) -> tuple[Any, pd.DataFrame]:
    """LUT x time of kernels by width, and the width that has the least of it at each end."""
    by_end: Any = {
        end: kernels.pivot_table(f"lut_us{end}", "kernel", "simd", sort=False).dropna()
        for end in ENDS
    }
    heads = ("least at", "at low ends", "at high ends")
    best = {
        head: of.idxmin(axis=1).map(lambda simd: f"SIMD {simd}" if simd else "scalar")
        for head, of in zip(heads, by_end.values(), strict=True)
    }
    return by_end[""], frame(heads, zip(*best.values(), strict=True)).set_axis(by_end[""].index)


def _over_scalar(by_width: Any, head: str, form: str) -> Any:
    """That of scalar code, and of the vector unit over it, one row for each kernel."""
    table = by_width.drop(columns=0).div(by_width[0], axis=0).map(lambda ratio: f"{ratio:{form}}")
    table.columns = [f"SIMD {simd}" for simd in table.columns]
    table.insert(0, head, by_width[0].map("{:,.0f}".format))
    return table


def _machines(machines: Sequence[MachineArea]) -> pd.DataFrame:
    return frame(
        ["machine", *(name.upper() for name in RESOURCES), f"LUT {' / '.join(KINDS)}"],
        [
            [
                each.label,
                *(_interval(each.area.total.of(name)) for name in RESOURCES),
                " / ".join(
                    f"{each.area.of_kind(kind, 'lut').value / each.area.total.lut.value:.0%}"
                    for kind in KINDS
                ),
            ]
            for each in machines
        ],
    )


def _interval(count: Interval) -> str:
    """``4,281 (3,130 to 5,497)``."""
    if count.low == count.high:
        return f"{count.value:,.0f}"
    return f"{count.value:,.0f} ({count.low:,.0f} to {count.high:,.0f})"


def _numbers(resources: Any) -> list[str]:
    return [f"{value:g}" for name in RESOURCES for value in ends_of(resources.of(name))]
