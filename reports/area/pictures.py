"""The pictures of the area page."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gnomon.report.canvas import COLOURS, legend, plain_ticks, render

from .measure import MachineArea

SHOWN = ("multiply", "matvec", "invert-symmetric", "woodbury", "add")
_GROUPS = {"core": "core", "vcu": "vector unit", "scratchpad": "scratchpads"}
_MARKERS = "osD^v"


def machines_figure(machines: Sequence[MachineArea]) -> dict[str, bytes]:
    """LUT by group of parts; the whisker is the interval of the sum."""

    def draw() -> Figure:
        groups = list(dict.fromkeys(each.group for each in machines))
        sizes = [sum(each.group == group for each in machines) for group in groups]
        figure, row = plt.subplots(
            1, len(groups), figsize=(9.0, 3.6), sharey=True, layout="constrained",
            gridspec_kw={"width_ratios": sizes},
        )  # fmt: skip
        for axes, group in zip(row, groups, strict=True):
            _stack(axes, [each for each in machines if each.group == group])
            axes.set_title(group)
        row[0].set_ylabel("LUT")
        plain_ticks(row[0].yaxis, form=",.0f")
        legend(figure, row[0], 3)
        return figure

    return render(draw)


def _stack(axes: Axes, machines: Sequence[MachineArea]) -> None:
    places = np.arange(len(machines))
    bottom = np.zeros(len(machines))
    for index, (group, title) in enumerate(_GROUPS.items()):
        own = np.array([each.area.group(group).lut.value for each in machines])
        axes.bar(places, own, 0.7, bottom=bottom, color=COLOURS[index + 1], label=title)
        bottom += own
    low = [each.area.total.lut.value - each.area.total.lut.low for each in machines]
    high = [each.area.total.lut.high - each.area.total.lut.value for each in machines]
    axes.errorbar(
        places, bottom, yerr=[low, high], fmt="none", ecolor=COLOURS[0], elinewidth=1, capsize=2
    )
    axes.set_xticks(places, [each.label for each in machines], rotation=40, ha="right", fontsize=7)
    axes.grid(visible=False, axis="x")


def kernels_figure(kernels: pd.DataFrame) -> dict[str, bytes]:
    """Time over LUT; left in time, right as product with the time of scalar code as 1."""

    def draw() -> Figure:
        figure, (left, right) = plt.subplots(1, 2, figsize=(9.0, 3.8), layout="constrained")
        by_name = kernels.groupby("kernel")
        names = [name for name in SHOWN if name in by_name.groups]
        for index, name in enumerate(names):
            own = by_name.get_group(name)
            look = {"color": COLOURS[index], "marker": _MARKERS[index], "linewidth": 1.0}
            time = own["time_us"] / own["time_us"].iloc[0]
            left.plot(own["lut"].tolist(), time.tolist(), label=name, **look)
            places = np.arange(len(own)) + (index - (len(names) - 1) / 2) * 0.08
            product, low, high = (
                (own[column] / own["lut_us"].iloc[0]).to_numpy()
                for column in ("lut_us", "lut_us_low", "lut_us_high")
            )
            right.errorbar(places, product, yerr=[product - low, high - product], elinewidth=0.8,
                           capsize=2, label=name, **look)  # fmt: skip
        left.set_xscale("log")
        left.set_yscale("log")
        plain_ticks(left.xaxis, (4000, 6000, 10000, 20000), ",.0f")
        left.set_xlabel("LUT: no vector unit, SIMD 1, 2, 4, 8")
        left.set_ylabel("time over that of scalar code")
        right.set_yscale("log")
        right.set_xticks(range(5), ["none", "1", "2", "4", "8"])
        right.set_xlabel("SIMD")
        right.set_ylabel("LUT x time over that of scalar code")
        for axes in (left, right):
            plain_ticks(axes.yaxis)
        legend(figure, left, 5)
        return figure

    return render(draw)
