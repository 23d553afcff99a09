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
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from gnomon.base.frames import csv_text, frame
from gnomon.report.svg import PHONE_LETTERS_PT, Mark, compact_svg, with_marks

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
_PHONE = {"font.size": PHONE_LETTERS_PT, "axes.titlesize": PHONE_LETTERS_PT}


def render(
    draw: Callable[..., Figure],
    *of: Any,
    with_values: bool = False,
    with_data: bool = False,
    for_phones: bool = False,
) -> dict[str, bytes]:
    """Return the figure as SVG, in hundredths of a point; the same bytes for the same data.

    ``with_values`` adds the values of points and bars, which pages show under the pointer;
    ``with_data`` adds a CSV file of all that is drawn. ``for_phones`` is for figures that are
    :data:`gnomon.report.svg.PHONE_WIDTH_IN` wide: their letters are larger.
    """
    with mpl.rc_context(_SETTINGS | (_PHONE if for_phones else {})):
        figure = draw(*of)
        if for_phones:
            sizes_pt = [float(each.get_fontsize()) for each in figure.findobj(Text)]
            assert min(sizes_pt) >= PHONE_LETTERS_PT
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
        svg = compact_svg(buffer.getvalue())
        if with_values:
            svg = with_marks(svg, _marks(figure))
        data = {"csv": _data(figure).encode()} if with_data else {}
        plt.close(figure)
    return {"svg": svg.encode(), **data}


def _data(figure: Figure) -> str:
    """Return the points of lines, bars and intervals as CSV; each row once."""
    rows: dict[tuple[str, ...], None] = {}
    labels = [{axes.get_xlabel() for axes in figure.axes},
              {axes.get_ylabel() for axes in figure.axes}]  # fmt: skip
    heads = [names.pop() if len(names := of_one - {""}) == 1 else head
             for of_one, head in zip(labels, "xy", strict=True)]  # fmt: skip
    for at, axes in enumerate(figure.axes, 1):
        panel = axes.get_title()
        if not panel and len(figure.axes) > 1:
            panel = axes.get_ylabel() or str(at)
        drawn = [*_lines(axes), *_bars(axes)]
        for each in axes.collections:
            drawn += [("interval", np.asarray(path.vertices)) for path in each.get_paths()]
        texts = [_names_of(axis) for axis in (axes.xaxis, axes.yaxis)]
        for label, points in drawn:
            for point in points:
                x, y = (of_one.get(float(place), f"{place:.9g}")
                        for of_one, place in zip(texts, point, strict=True))  # fmt: skip
                series = "" if label.startswith("_") else label
                rows[panel, series, x, y] = None
    return csv_text(frame(("panel", "series", *heads), list(rows)))


def _names_of(axis: Axis) -> dict[float, str]:
    """Return the texts of an axis that has a text for each place."""
    if not isinstance(axis.get_major_locator(), FixedLocator):
        return {}
    texts = [" ".join(each.get_text().split()) for each in axis.get_ticklabels()]
    named = dict(zip(map(float, axis.get_ticklocs()), texts, strict=True))
    numeric = all(text.replace(",", "").replace(".", "").isdigit() for text in texts)
    return {} if numeric else named


def _lines(axes: Axes) -> list[tuple[str, np.ndarray]]:
    """Return labels and points of the lines in units of the axes."""
    return [
        (str(line.get_label()), np.asarray(line.get_xydata(), float))
        for line in axes.lines
        if line.get_transform() == axes.transData
    ]


def _bars(axes: Axes, *, vertical_only: bool = False) -> list[tuple[str, np.ndarray]]:
    """Return labels and ends of the bars."""
    found = []
    for bars in axes.containers:
        if isinstance(bars, BarContainer) and bars.orientation == "vertical":
            ends = [(bar.get_x() + bar.get_width() / 2, bar.get_y() + bar.get_height())
                    for bar in bars]  # fmt: skip
        elif isinstance(bars, BarContainer) and not vertical_only:
            ends = [(end, bar.get_y() + bar.get_height() / 2)
                    for bar in bars
                    for end in (bar.get_x(), bar.get_x() + bar.get_width()) if end]  # fmt: skip
        else:
            continue
        found.append((str(bars.get_label()), np.array(ends)))
    return found


_MOST_MARKS = 60  # marks per line; a longer line has marks at some of its points only
_SOME_MARKS = 20


def _marks(figure: Figure) -> Iterator[Mark]:
    """Yield positions of points and bars, in % from the left and the top, with their values."""
    for axes in figure.axes:
        found = [
            (label, points[:: 1 if (n := len(points)) <= _MOST_MARKS else -(-n // _SOME_MARKS)])
            for label, points in _lines(axes)
        ]
        found += _bars(axes, vertical_only=True)
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
