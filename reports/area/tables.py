"""The tables of the area page, as CSV and as text."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from gnomon.cost.area import RESOURCES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gnomon.base.interval import Interval

    from .measure import AreaStudy, KernelArea, MachineArea

_ENDS = ("value", "low", "high")


def machines_csv(machines: Sequence[MachineArea]) -> str:
    """Totals of every machine with their intervals."""
    header = ["machine", "change"]
    header += [f"{name}{_suffix(end)}" for name in RESOURCES for end in _ENDS]
    header += ["lut_published", "lut_synthesised", "lut_estimate"]
    rows = []
    for each in machines:
        found = each.area
        row = [found.machine, each.change]
        row += [f"{getattr(found.total.of(name), end):g}" for name in RESOURCES for end in _ENDS]
        row += [
            f"{found.of_kind(kind, 'lut').value:g}"
            for kind in ("published", "synthesised", "estimate")
        ]
        rows.append(row)
    return _csv(header, rows)


def parts_csv(machines: Sequence[MachineArea]) -> str:
    """Parts of every machine, with kind and origin."""
    header = ["machine", "change", "part", "count", "kind"]
    header += [f"{name}{_suffix(end)}" for name in RESOURCES for end in _ENDS]
    rows = [
        [
            each.area.machine,
            each.change,
            part.figure.name,
            str(part.count),
            part.figure.kind,
            *(f"{getattr(part.resources.of(name), end):g}" for name in RESOURCES for end in _ENDS),
        ]
        for each in machines
        for part in each.area.parts
    ]
    return _csv(header, rows)


def kernels_csv(kernels: Sequence[KernelArea]) -> str:
    """Area x time and energy x time; their intervals are those of the area and of the energy."""
    header = ["kernel", "extents", "variant", "simd", "wall_cycles", "time_us"]
    header += ["lut", "lut_low", "lut_high", "lut_us", "lut_us_low", "lut_us_high"]
    header += ["energy_uj", "energy_time_uj_us", "energy_time_low_uj_us", "energy_time_high_uj_us"]
    rows = []
    for each in kernels:
        run, energy, delay = each.kernel, each.kernel.energy, each.kernel.energy.energy_delay_uj_us
        rows.append(
            [run.kernel, "x".join(map(str, run.extents)), run.variant, str(run.simd or ""),
             str(energy.wall_cycles), f"{energy.time_us:g}", *_three(each.area.total.lut),
             *_three(each.lut_us), f"{energy.energy_uj.value:.5g}",
             *(f"{getattr(delay, end):.5g}" for end in _ENDS)]
        )  # fmt: skip
    return _csv(header, rows)


def machines_table(machines: Sequence[MachineArea], group: str) -> str:
    """One group of machines for people."""
    lines = ["| machine | LUT | FF | DSP | BRAM | LUT published / synthesised / estimate |"]
    lines.append("|---|---:|---:|---:|---:|---|")
    for each in machines:
        if each.group != group:
            continue
        cells = " | ".join(interval(each.area.total.of(name)) for name in RESOURCES)
        whole = each.area.total.lut.value
        shares = " / ".join(
            f"{each.area.of_kind(kind, 'lut').value / whole:.0%}"
            for kind in ("published", "synthesised", "estimate")
        )
        lines.append(f"| {each.label} | {cells} | {shares} |")
    return "\n".join([*lines, ""])


def kernels_table(study: AreaStudy) -> str:
    """LUT x time over that of scalar code, and where it is least."""
    widths = [k.kernel.simd for k in study.vector(study.names()[0])]
    heads = " | ".join(f"SIMD {simd}" for simd in widths)
    lines = [
        f"| kernel | scalar, LUT x ms | {heads} | least at | at low ends | at high ends |",
        "|---|---:|" + "---:|" * len(widths) + "---|---|---|",
    ]
    for name in study.names():
        scalar, vector = study.scalar(name), study.vector(name)
        ratios = " | ".join(f"{k.lut_us.value / scalar.lut_us.value:.3f}" for k in vector)
        least = " | ".join(least_at([scalar, *vector], end) for end in _ENDS)
        lines.append(f"| {name} | {scalar.lut_us.value / 1000:,.0f} | {ratios} | {least} |")
    return "\n".join([*lines, ""])


def energy_table(study: AreaStudy) -> str:
    """Energy x time over that of scalar code."""
    widths = [k.kernel.simd for k in study.vector(study.names()[0])]
    heads = " | ".join(f"SIMD {simd}" for simd in widths)
    lines = [
        f"| kernel | scalar, µJ x µs | {heads} |",
        "|---|---:|" + "---:|" * len(widths),
    ]
    for name in study.names():
        whole = study.scalar(name).kernel.energy.energy_delay_uj_us.value
        ratios = " | ".join(
            f"{k.kernel.energy.energy_delay_uj_us.value / whole:.2g}" for k in study.vector(name)
        )
        lines.append(f"| {name} | {whole:,.0f} | {ratios} |")
    return "\n".join([*lines, ""])


def least_at(kernels: Sequence[KernelArea], end: str) -> str:
    """Which machine has the least LUT x time, at one end of all areas."""
    best = min(kernels, key=lambda k: getattr(k.lut_us, end))
    return "scalar" if best.kernel.simd is None else f"SIMD {best.kernel.simd}"


def interval(count: Interval) -> str:
    """``4,281 (3,130 to 5,497)``."""
    if count.low == count.high:
        return f"{count.value:,.0f}"
    return f"{count.value:,.0f} ({count.low:,.0f} to {count.high:,.0f})"


def _three(count: Interval) -> list[str]:
    return [f"{getattr(count, end):.6g}" for end in _ENDS]


def _suffix(end: str) -> str:
    return "" if end == "value" else f"_{end}"


def _csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
