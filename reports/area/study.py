"""``gnomon report area``: machines by part, area x time and energy x time of kernels."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from gnomon.arch import load_architecture
from gnomon.base.frames import frame, worded
from gnomon.base.interval import Interval
from gnomon.base.units import format_frequency
from gnomon.cli.study import study_command
from gnomon.content.reports.energy.prices import ends_of, kernel_energies, machine_of
from gnomon.cost.area import KINDS, RESOURCES, Area
from gnomon.measure.kernels import Kernel
from gnomon.report.canvas import COLOURS, legend, panels, plain_ticks
from gnomon.report.study import Steps, StudyReport

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
    def priced(group: str, label: str, machine: str, *change: str) -> MachineArea:
        described = load_architecture(machine, change)
        return MachineArea(group, label, "".join(change), Area.from_architecture(described))

    found = [priced("width", "no vector unit", "t13")]
    found += [priced("width", f"SIMD {n}", f"t13-paper-simd{n}") for n in (1, 2, 4, 8)]
    for group, (key, values, label) in _CHANGED.items():
        found += [priced(group, label.format(each), BASE, f"{key}={each}") for each in values]
    return tuple(found)


def run_area(progress: Steps | None = None, kernels: Sequence[Kernel] | None = None) -> AreaStudy:
    table = kernel_energies(progress, kernels)
    luts = [
        Area.from_architecture(load_architecture(machine_of(simd))).total.lut
        for simd in table["simd"]
    ]
    times = zip(luts, table["time_us"], strict=True)
    own = [[*ends_of(lut), *ends_of(lut * time_us)] for lut, time_us in times]
    table = table.rename(columns=lambda name: name.replace("energy_delay", "energy_time"))
    table = table.join(pd.DataFrame(own, columns=_LUT))
    return AreaStudy(machines(), table[[*table.columns[:6], *_LUT, *_ENERGY]])


def kernels_rows(kernels: pd.DataFrame) -> pd.DataFrame:
    """Return ``kernels.csv``; intervals of products are those of the area and of the energy."""
    table = kernels.assign(simd=kernels["simd"].astype(object).replace(0, ""))
    return worded(table, _FORMS)


_RESOURCE_ENDS = [f"{name}{end}" for name in RESOURCES for end in ENDS]


def machines_rows(machines: Sequence[MachineArea]) -> pd.DataFrame:
    return frame(
        ["machine", "change", *_RESOURCE_ENDS, *(f"lut_{kind}" for kind in KINDS)],
        (
            (each.area.machine, each.change, *_numbers(each.area.total),
             *(f"{each.area.of_kind(kind, 'lut').value:g}" for kind in KINDS))
            for each in machines
        ),
    )  # fmt: skip


def parts_rows(machines: Sequence[MachineArea]) -> pd.DataFrame:
    return frame(
        ["machine", "change", "part", "count", "kind", *_RESOURCE_ENDS],
        (
            (each.area.machine, each.change, part.figure.name, part.count, part.figure.kind,
             *_numbers(part.resources))
            for each in machines
            for part in each.area.parts
        ),
    )  # fmt: skip


def area_report(study: AreaStudy) -> StudyReport:
    lut, best = products(study.kernels)
    energy: Any = study.kernels.pivot_table("energy_time_uj_us", "kernel", "simd", sort=False)
    clocks = dict.fromkeys(load_architecture(each.area.machine).clock for each in study.machines)
    facts = {
        "not_included": study.machines[0].area.not_included,
        "machines": lambda group: _machines([m for m in study.machines if m.group == group]),
        "resources": [name.upper() for name in RESOURCES],
        "base": BASE,
        "clocks": [format_frequency(clock) for clock in clocks],
        "steady": int(best.eq(best["least at"], axis=0).all(axis=1).sum()),
        "kernels": _over_scalar(lut.dropna() / 1000, "scalar, LUT x ms", ".3f").join(best),
        "energies": _over_scalar(energy.dropna(), "scalar, µJ x µs", ".2g"),
    }
    tables = {
        "machines": machines_rows(study.machines),
        "parts": parts_rows(study.machines),
        "kernels": kernels_rows(study.kernels),
    }
    figures = {"machines": _machines_figure, "kernels": _kernels_figure}
    return StudyReport(
        Path(__file__).parent, "area", facts, tables, figures, results=study, packed={"parts"}
    )


def products(kernels: pd.DataFrame) -> tuple[Any, pd.DataFrame]:
    """Return LUT x time of kernels by width, and the width with the least of it at each end."""
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
    """Return one row per kernel: scalar code, and the vector unit relative to it."""
    table = by_width.drop(columns=0).div(by_width[0], axis=0).map(lambda ratio: f"{ratio:{form}}")
    table.columns = [f"SIMD {simd}" for simd in table.columns]
    table.insert(0, head, by_width[0].map("{:,.0f}".format))
    return table


def _machines(machines: Sequence[MachineArea]) -> pd.DataFrame:
    rows = []
    for each in machines:
        luts = (each.area.of_kind(kind, "lut").value for kind in KINDS)
        shares = " / ".join(f"{lut / each.area.total.lut.value:.0%}" for lut in luts)
        sums = (_interval(each.area.total.of(name)) for name in RESOURCES)
        rows.append((each.label, *sums, shares))
    names = (name.upper() for name in RESOURCES)
    return frame(["machine", *names, f"LUT {' / '.join(KINDS)}"], rows)


def _interval(count: Interval) -> str:
    """Return the interval as text: ``4,281 (3,130 to 5,497)``."""
    if count.low == count.high:
        return f"{count.value:,.0f}"
    return f"{count.value:,.0f} ({count.low:,.0f} to {count.high:,.0f})"


def _numbers(resources: Any) -> list[str]:
    return [f"{value:g}" for name in RESOURCES for value in ends_of(resources.of(name))]


SHOWN = ("multiply", "matvec", "invert-symmetric", "woodbury", "add")
_GROUPS = {"core": "core", "vcu": "vector unit", "scratchpad": "scratchpads"}
_MARKERS = "osD^v"


def _machines_figure(study: AreaStudy) -> Figure:
    """Draw LUT by group of components; the whisker is the interval of the sum."""
    groups = list(dict.fromkeys(each.group for each in study.machines))
    own = {name: [each for each in study.machines if each.group == name] for name in groups}
    widths = {"width_ratios": [len(of) for of in own.values()]}
    figure, (row,) = panels(1, len(groups), size=(9.0, 3.6), sharey=True, gridspec_kw=widths)
    for axes, (group, machines) in zip(row, own.items(), strict=True):
        places, bottom = np.arange(len(machines)), np.zeros(len(machines))
        for (part, title), colour in zip(_GROUPS.items(), COLOURS[1:], strict=False):
            luts = np.array([each.area.group(part).lut.value for each in machines])
            axes.bar(places, luts, 0.7, bottom=bottom, color=colour, label=title)
            bottom += luts
        totals = [each.area.total.lut for each in machines]
        ends = [[of.value - of.low for of in totals], [of.high - of.value for of in totals]]
        axes.errorbar(places, bottom, yerr=ends, fmt="none", ecolor=COLOURS[0], elinewidth=1,
                      capsize=2)  # fmt: skip
        labels = [each.label for each in machines]
        axes.set_xticks(places, labels, rotation=40, ha="right", fontsize=7)
        axes.grid(visible=False, axis="x")
        axes.set_title(group)
    row[0].set_ylabel("LUT")
    plain_ticks(row[0].yaxis, form=",.0f")
    legend(figure, row[0], 3)
    return figure


def _kernels_figure(study: AreaStudy) -> Figure:
    """Draw time over LUT; left in time, right as product with the time of scalar code as 1."""
    figure, ((left, right),) = panels(1, 2, size=(9.0, 3.8))
    by_name = study.kernels.groupby("kernel")
    names = [name for name in SHOWN if name in by_name.groups]
    for index, name in enumerate(names):
        own = by_name.get_group(name)
        look = {"color": COLOURS[index], "marker": _MARKERS[index], "linewidth": 1.0}
        time = own["time_us"] / own["time_us"].iloc[0]
        left.plot(own["lut"].tolist(), time.tolist(), label=name, **look)
        places = np.arange(len(own)) + (index - (len(names) - 1) / 2) * 0.08
        product, low, high = (
            (own[f"lut_us{end}"] / own["lut_us"].iloc[0]).to_numpy() for end in ENDS
        )
        right.errorbar(places, product, yerr=[product - low, high - product], elinewidth=0.8,
                       capsize=2, label=name, **look)  # fmt: skip
    left.set(xscale="log", yscale="log")
    plain_ticks(left.xaxis, (4000, 6000, 10000, 20000), ",.0f")
    left.set(xlabel="LUT: no vector unit, SIMD 1, 2, 4, 8",
             ylabel="time over that of scalar code")  # fmt: skip
    right.set_yscale("log")
    right.set_xticks(range(5), ["none", "1", "2", "4", "8"])
    right.set(xlabel="SIMD", ylabel="LUT x time over that of scalar code")
    for axes in (left, right):
        plain_ticks(axes.yaxis)
    legend(figure, left, 5)
    return figure


main = study_command(lambda progress: area_report(run_area(progress)), title="measuring kernels")
