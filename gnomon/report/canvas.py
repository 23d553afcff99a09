"""Style of the figures of a report, and their rendering to bytes."""

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

import matplotlib as mpl
import numpy as np
from matplotlib.axis import Axis
from matplotlib.container import BarContainer
from matplotlib.figure import Figure

mpl.use("agg")  # files only, also on hosts without a display

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from gnomon.report.svg import Mark, compact_svg, with_marks

# Okabe and Ito's colors, which color-blind readers can distinguish.
COLOURS = ("#000000", "#E69F00", "#56B4E9", "#009E73", "#CC79A7")
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


def render(draw: Callable[..., Figure], *of: Any, with_values: bool = False) -> dict[str, bytes]:
    """Return the figure as SVG, in hundredths of a point; the same bytes for the same data.

    ``with_values`` adds the values of points and bars, which pages show under the pointer.
    """
    with mpl.rc_context(_SETTINGS):
        figure = draw(*of)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
        svg = compact_svg(buffer.getvalue())
        if with_values:
            svg = with_marks(svg, _marks(figure))
        plt.close(figure)
    return {"svg": svg.encode()}


_MOST_MARKS = 60  # marks per line; a longer line has marks at some of its points only
_SOME_MARKS = 20


def _marks(figure: Figure) -> Iterator[Mark]:
    """Yield positions of points and bars, in % from the left and the top, with their values."""
    for axes in figure.axes:
        found = [
            (
                str(line.get_label()),
                points[:: 1 if (n := len(points)) <= _MOST_MARKS else -(-n // _SOME_MARKS)],
            )
            for line in axes.lines
            if line.get_transform() == axes.transData
            for points in [np.asarray(line.get_xydata(), float)]
        ]
        for bars in axes.containers:
            if isinstance(bars, BarContainer) and bars.orientation == "vertical":
                ends = [(bar.get_x() + bar.get_width() / 2, bar.get_y() + bar.get_height())
                        for bar in bars]  # fmt: skip
                found.append((str(bars.get_label()), np.array(ends)))
        for label, points in found:
            names = [label] if not label.startswith("_") else []
            for (x, y), (left, up) in zip(points, axes.transData.transform(points), strict=True):
                place = 100 * left / figure.bbox.width, 100 - 100 * up / figure.bbox.height
                if not all(0 <= each <= 100 for each in place):  # also excludes NaN
                    continue
                values = [
                    f"{axis.get_label_text() or name} {value:,.6g}"
                    for name, axis, value in (
                        ("at", axes.xaxis, x),
                        (axes.get_title() or "value", axes.yaxis, y),
                    )
                ]
                words = " ".join(": ".join([*names, ", ".join(values)]).split())
                yield round(place[0], 1), round(place[1], 1), words


def panels(
    rows: int = 1, columns: int = 1, *, size: tuple[float, float], **settings: Any
) -> tuple[Figure, Any]:
    """Return a figure of ``size`` inches with its axes, always an array (rows, columns)."""
    return plt.subplots(
        rows, columns, figsize=size, squeeze=False, layout="constrained", **settings
    )


def plain_ticks(axis: Axis, ticks: Sequence[float] = (), form: str = "g") -> None:
    """Format ticks as plain numbers; put ticks at these places only, if any are given."""
    if ticks:
        axis.set_major_locator(FixedLocator(list(ticks)))
        axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: format(value, form)))


def size_axis(axes: Axes, sizes: Sequence[int], label: str) -> None:
    """Set a logarithmic axis with a tick at each size."""
    axes.set_xscale("log", base=2)
    plain_ticks(axes.xaxis, sizes)
    axes.set_xlabel(label)


def log_axis(axes: Axes, form: str = ",g") -> None:
    """Set a logarithmic vertical axis with ticks as plain numbers."""
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5)))
    axes.yaxis.set_minor_locator(NullLocator())
    plain_ticks(axes.yaxis, form=form)


def legend(
    figure: Figure,
    panels: Axes | Iterable[Axes],
    columns: int,
    place: Literal["outside upper center", "outside lower center"] = "outside upper center",
    **settings: Any,
) -> None:
    """Add one legend of all panels above or below the figure; each label once."""
    handles: dict[str, Any] = {}
    for axes in [panels] if isinstance(panels, Axes) else panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(str(label), handle)
    figure.legend(
        list(handles.values()), list(handles), loc=place, ncols=columns, frameon=False, **settings
    )
