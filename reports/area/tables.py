"""The tables of the area study, and its page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from gnomon.arch import load_architecture
from gnomon.base.frames import frame
from gnomon.base.units import format_frequency
from gnomon.cost.area import RESOURCES
from gnomon.report.page import listed
from gnomon.report.study import study_page

from .measure import BASE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pandas as pd

    from gnomon.base.interval import Interval

    from .measure import AreaStudy, KernelArea, MachineArea

KINDS: tuple[Literal["published", "synthesised", "estimate"], ...] = (
    "published", "synthesised", "estimate",
)  # fmt: skip
_ENDS = ("value", "low", "high")


def machines_rows(machines: Sequence[MachineArea]) -> pd.DataFrame:
    """Totals of every machine with their intervals."""
    return frame(
        ["machine", "change", *_ends(*RESOURCES), *(f"lut_{kind}" for kind in KINDS)],
        [
            [
                each.area.machine,
                each.change,
                *_three("g", *(each.area.total.of(name) for name in RESOURCES)),
                *(f"{each.area.of_kind(kind, 'lut').value:g}" for kind in KINDS),
            ]
            for each in machines
        ],
    )


def parts_rows(machines: Sequence[MachineArea]) -> pd.DataFrame:
    """Parts of every machine, with kind and origin."""
    return frame(
        ["machine", "change", "part", "count", "kind", *_ends(*RESOURCES)],
        [
            [
                *(each.area.machine, each.change, part.figure.name, part.count, part.figure.kind),
                *_three("g", *(part.resources.of(name) for name in RESOURCES)),
            ]
            for each in machines
            for part in each.area.parts
        ],
    )


def kernels_rows(kernels: Sequence[KernelArea]) -> pd.DataFrame:
    """Area x time and energy x time; their intervals are those of the area and of the energy."""
    return frame(
        ["kernel", "extents", "variant", "simd", "wall_cycles", "time_us", *_ends("lut", "lut_us"),
         "energy_uj", "energy_time_uj_us", "energy_time_low_uj_us", "energy_time_high_uj_us"],
        [
            [
                *(run.kernel, "x".join(map(str, run.extents)), run.variant, run.simd or ""),
                *(run.energy.wall_cycles, f"{run.energy.time_us:g}"),
                *_three(".6g", each.area.total.lut, each.lut_us),
                f"{run.energy.energy_uj.value:.5g}",
                *_three(".5g", run.energy.energy_delay_uj_us),
            ]
            for each in kernels
            for run in [each.kernel]
        ],
    )  # fmt: skip


def area_page(study: AreaStudy) -> str:
    """The page as Markdown."""
    kernels = _products(study)
    clocks = dict.fromkeys(load_architecture(each.area.machine).clock for each in study.machines)
    ends = kernels[["least at", "at low ends", "at high ends"]]
    return study_page(
        Path(__file__).parent,
        not_included=study.machines[0].area.not_included,
        machines=lambda group: _machines([m for m in study.machines if m.group == group]),
        resources=[name.upper() for name in RESOURCES],
        base=BASE,
        clocks=listed(map(format_frequency, clocks)) + " for all" * (len(clocks) == 1),
        steady=int(ends.eq(kernels["least at"], axis=0).all(axis=1).sum()),
        kernels=kernels,
        energies=_energies(study),
        numbers=["scalar, LUT x ms", "scalar, µJ x µs", *_widths(study)],
    )


def least_at(kernels: Sequence[KernelArea], end: str) -> str:
    """Which machine has the least LUT x time, at one end of all areas."""
    best = min(kernels, key=lambda k: getattr(k.lut_us, end))
    return "scalar" if best.kernel.simd is None else f"SIMD {best.kernel.simd}"


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


def _products(study: AreaStudy) -> pd.DataFrame:
    """LUT x time over that of scalar code, and where it is least."""
    rows = []
    for name in study.names():
        scalar, vector = study.scalar(name), study.vector(name)
        ratios = (f"{k.lut_us.value / scalar.lut_us.value:.3f}" for k in vector)
        least = (least_at([scalar, *vector], end) for end in _ENDS)
        rows.append([name, f"{scalar.lut_us.value / 1000:,.0f}", *ratios, *least])
    widths = _widths(study)
    return frame(
        ["kernel", "scalar, LUT x ms", *widths, "least at", "at low ends", "at high ends"], rows
    )


def _energies(study: AreaStudy) -> pd.DataFrame:
    """Energy x time over that of scalar code."""
    rows = []
    for name in study.names():
        whole = study.scalar(name).kernel.energy.energy_delay_uj_us.value
        products = (k.kernel.energy.energy_delay_uj_us.value for k in study.vector(name))
        rows.append([name, f"{whole:,.0f}", *(f"{product / whole:.2g}" for product in products)])
    return frame(["kernel", "scalar, µJ x µs", *_widths(study)], rows)


def _widths(study: AreaStudy) -> list[str]:
    return [f"SIMD {each.kernel.simd}" for each in study.vector(study.names()[0])]


def _interval(count: Interval) -> str:
    """``4,281 (3,130 to 5,497)``."""
    if count.low == count.high:
        return f"{count.value:,.0f}"
    return f"{count.value:,.0f} ({count.low:,.0f} to {count.high:,.0f})"


def _three(form: str, *values: Interval) -> Iterable[str]:
    return [format(getattr(each, end), form) for each in values for end in _ENDS]


def _ends(*names: str) -> list[str]:
    return [f"{name}{'' if end == 'value' else f'_{end}'}" for name in names for end in _ENDS]
