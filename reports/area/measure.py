"""What the area page shows: machines, and what kernels make of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from gnomon.arch import load_architecture
from gnomon.base.frames import worded
from gnomon.content.reports.energy.prices import ends_of, kernel_energies, machine_of
from gnomon.cost.area import area

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.bench.kernels import Kernel
    from gnomon.cost.area import Area
    from gnomon.report.study import Steps

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
    """Price machines, and run kernels on them.

    Raises:
        CheckFailed: a result differs from its model.
    """
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
