"""What the area page shows: machines, and what kernels make of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from gnomon.arch import load_architecture
from gnomon.base.frames import worded
from gnomon.content.reports.energy.prices import kernel_energies
from gnomon.cost.area import area

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gnomon.base.interval import Interval
    from gnomon.bench.kernels import Kernel
    from gnomon.cost.area import Area

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

ENDS = {"": "value", "_low": "low", "_high": "high"}
"""How columns of an interval end, and which end of it each holds."""
_COLUMNS = (
    "kernel", "extents", "variant", "simd", "wall_cycles", "time_us",
    *(f"{name}{end}" for name in ("lut", "lut_us") for end in ENDS), "energy_uj",
    *(f"energy_time{end}_uj_us" for end in ENDS),
)  # fmt: skip
_FORMS = {
    "time_us": "g", **dict.fromkeys(_COLUMNS[6:12], ".6g"), **dict.fromkeys(_COLUMNS[12:], ".5g"),
}  # fmt: skip


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


def run_area(
    progress: Callable[[str], None] = lambda _: None, kernels: Sequence[Kernel] | None = None
) -> AreaStudy:
    """Price machines, and run kernels on them.

    Raises:
        CheckFailed: a result differs from its model.
    """
    rows = []
    for each in kernel_energies(progress, kernels):
        machine = "t13" if each.simd is None else f"t13-paper-simd{each.simd}"
        lut, energy = area(load_architecture(machine)).total.lut, each.energy
        rows.append(
            (each.kernel, "x".join(map(str, each.extents)), each.variant, each.simd or 0,
             energy.wall_cycles, energy.time_us, *three(lut), *three(lut * energy.time_us),
             energy.energy_uj.value, *three(energy.energy_delay_uj_us))
        )  # fmt: skip
    return AreaStudy(machines(), pd.DataFrame(rows, columns=_COLUMNS))


def kernels_rows(kernels: pd.DataFrame) -> pd.DataFrame:
    """``kernels.csv``; intervals of products are those of the area and of the energy."""
    table = kernels.assign(simd=kernels["simd"].astype(object).replace(0, ""))
    return worded(table, _FORMS)


def three(interval: Interval) -> list[float]:
    """Value and ends."""
    return [getattr(interval, end) for end in ENDS.values()]
