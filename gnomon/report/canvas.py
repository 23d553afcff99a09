"""How the figures of the report look, and how they become bytes."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.axis import Axis
from matplotlib.figure import Figure

mpl.use("agg")  # files only, on machines without a display, too

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from gnomon.report.page import compact_svg

# Okabe and Ito's colours, which colour-blind readers can tell apart.
COLOURS = ("#000000", "#E69F00", "#56B4E9", "#009E73", "#CC79A7")
VARIANT_STYLES: dict[str, dict[str, Any]] = {
    "standard": {"color": COLOURS[0], "label": "standard"},
    "optimized": {"color": COLOURS[1], "label": "optimized (Algorithms 1, 2)"},
    "corrected": {"color": COLOURS[2], "label": "corrected (section 3.3.3)"},
    "rank-one": {"color": COLOURS[3], "label": "rank-one (ours)"},
}
TITLES = {"linucb-disjoint": "Disjoint", "linucb-hybrid": "Hybrid"}
_SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "gnomon",  # else ids in the file are random
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.6,
    "figure.dpi": 150,
}


def render(draw: Callable[..., Figure], *of: Any) -> dict[str, bytes]:
    """The figure as SVG, in hundredths of a point; the same bytes for the same data."""
    with mpl.rc_context(_SETTINGS):
        figure = draw(*of)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
        plt.close(figure)
    return {"svg": compact_svg(buffer.getvalue()).encode()}


def panels(
    rows: int = 1, columns: int = 1, *, size: tuple[float, float], **settings: Any
) -> tuple[Figure, Any]:
    """A figure of ``size`` inches with a grid of axes, (rows, columns) whatever their number."""
    return plt.subplots(
        rows, columns, figsize=size, squeeze=False, layout="constrained", **settings
    )


def plain_ticks(axis: Axis, ticks: Sequence[float] = (), form: str = "g") -> None:
    """Ticks as plain numbers; at these places and no others, if any are given."""
    if ticks:
        axis.set_major_locator(FixedLocator(list(ticks)))
        axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: format(value, form)))


def size_axis(axes: Axes, sizes: Sequence[int], label: str) -> None:
    """A logarithmic axis with a tick at each size."""
    axes.set_xscale("log", base=2)
    plain_ticks(axes.xaxis, sizes)
    axes.set_xlabel(label)


def log_axis(axes: Axes, form: str = ",g") -> None:
    """A logarithmic vertical axis, its ticks plain numbers."""
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5)))
    axes.yaxis.set_minor_locator(NullLocator())
    plain_ticks(axes.yaxis, form=form)


def round_axis(axes: Axes) -> None:
    """An axis of rounds, in thousands."""
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value / 1000:g}"))
    axes.set_xlabel("rounds (thousands)")


def legend(
    figure: Figure,
    panels: Axes | Iterable[Axes],
    columns: int,
    place: Literal["outside upper center", "outside lower center"] = "outside upper center",
    **settings: Any,
) -> None:
    """One legend of all panels for the whole figure, above or below it; each label once."""
    handles: dict[str, Any] = {}
    for axes in [panels] if isinstance(panels, Axes) else panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(str(label), handle)
    figure.legend(
        list(handles.values()), list(handles), loc=place, ncols=columns, frameon=False, **settings
    )
