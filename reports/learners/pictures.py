"""Regret against energy per decision: a row for each problem, a column for each machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from gnomon.report.canvas import COLOURS
from gnomon.report.canvas import panels as panels_of

from .points import Comparison, Point, front, panels
from .problems import TITLES, Problem

_GAP = 6.5  # points, from a mark to its name


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle, in points of 1/72 inch."""

    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, other: Box) -> float:
        """Return the area that both cover."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(width, 0.0) * max(height, 0.0)


def place_labels(
    marks: Sequence[tuple[float, float]],
    sizes: Sequence[tuple[float, float]],
    obstacles: Sequence[Box],
    frame: Box,
) -> list[tuple[float, float]]:
    """Return lower left corners of the names, in the order of their marks.

    Each takes the first of its candidates with the least area over names placed before, over
    obstacles and outside the frame.
    """
    placed: list[Box] = []
    for (x, y), (width, height) in zip(marks, sizes, strict=True):
        candidates = [
            Box(left, bottom, left + width, bottom + height)
            for distance in (1.0, 2.5, 4.5)
            for left, bottom in _corners(x, y, width, height, _GAP * distance)
        ]
        costs = [
            sum(box.overlap(other) for other in (*placed, *obstacles))
            + 4.0 * (width * height - box.overlap(frame))
            for box in candidates
        ]
        placed.append(candidates[costs.index(min(costs))])
    return [(box.left, box.bottom) for box in placed]


def _corners(
    x: float, y: float, width: float, height: float, gap: float
) -> list[tuple[float, float]]:
    """Return positions at the right, left, above, below, and at the corners."""
    middle, centre = y - height / 2, x - width / 2
    return [
        (x + gap, middle),
        (x - gap - width, middle),
        (centre, y + gap),
        (centre, y - gap - height),
        (x + gap, y + gap / 2),
        (x + gap, y - gap / 2 - height),
        (x - gap - width, y + gap / 2),
        (x - gap - width, y - gap / 2 - height),
    ]


_MARKERS = ("o", "s", "X", "^", "D", "v", "P")
_COLOURS = ("#0072B2", COLOURS[2], COLOURS[0], COLOURS[1], COLOURS[3], COLOURS[4], "#D55E00")
_STYLES = dict(zip(TITLES, zip(_COLOURS, _MARKERS, strict=True), strict=True))
_LABEL_SIZE = 8.0  # points
_CHARACTER = 0.58  # width of one, of its size
_GREY = "#777777"


def comparison_figures(comparison: Comparison) -> dict[str, Callable[[], Figure]]:
    """Draw all panels, and those of some machines one below the other, for narrow screens."""
    shown = {"comparison": comparison.machines}
    shown |= {f"comparison-{machine}": (machine,) for machine in alone(comparison.machines)}
    return {name: partial(_draw, comparison, which) for name, which in shown.items()}


def alone(machines: tuple[str, ...]) -> tuple[str, ...]:
    """Return the machines with their own picture: the first and the last."""
    return tuple(dict.fromkeys((machines[0], machines[-1])))


def _draw(comparison: Comparison, machines: tuple[str, ...]) -> Figure:
    problems = comparison.problems
    size = (3.7 * len(machines) + 0.6, 2.9 * len(problems) + 0.5)
    figure, grid = panels_of(len(problems), len(machines), size=size, sharex=True, sharey="row")
    of_panel = panels(comparison.points)
    panels_drawn = []
    for row, problem in zip(grid, problems, strict=True):
        _limit(row[0], comparison, problem)
        for axes, machine in zip(row, machines, strict=True):
            points = of_panel.get((problem.name, machine), [])
            axes.set_title(f"{problem.title}, {machine}", size=9)
            _level(axes, 1.0, ":", "any arm")
            if problem.name in comparison.known:
                _level(axes, comparison.known[problem.name].value, "--", "who knows the system")
            _marks(axes, points)
            panels_drawn.append((axes, points))
        row[0].set_ylabel("regret over uniform's")
    for axes in grid[-1]:
        axes.set_xlabel("dynamic energy per decision (µJ)")
    figure.canvas.draw()  # positions of points are available after this call
    for axes, points in panels_drawn:
        _name(axes, points)
    return figure


def _level(axes: Axes, regret: float, style: str, name: str) -> None:
    """Draw a line to compare with, named at its right end."""
    axes.axhline(regret, color=_GREY, linewidth=0.9, linestyle=style, zorder=1.5)
    axes.annotate(name, (1.0, regret), xycoords=("axes fraction", "data"), xytext=(-2, 1.5),
                  textcoords="offset points", ha="right", size=6.5, color="#555555")  # fmt: skip


def _limit(axes: Axes, comparison: Comparison, problem: Problem) -> None:
    """Set axis limits: energy as in all panels, regret as in all panels of the problem."""
    axes.set(xscale="log", yscale="log")
    energies = [point.energy_uj.value for point in comparison.points]
    regrets = [point.regret.value for point in comparison.points if point.problem == problem.name]
    axes.set_xlim(min(energies) / 2.5, max(energies) * 2.5)
    known = [value.value for name, value in comparison.known.items() if name == problem.name]
    low, high = min(*regrets, *known, 0.5), max(*regrets, 1.0)
    spare = (high / low) ** 0.12
    axes.set_ylim(low / spare, high * spare)
    ticks = [0.003, 0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 1.0]
    axes.yaxis.set_major_locator(FixedLocator(ticks))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
        axis.set_minor_locator(NullLocator())


def _marks(axes: Axes, points: list[Point]) -> None:
    best = front(points)
    if best:
        top, right = axes.get_ylim()[1], axes.get_xlim()[1]
        x = [best[0].energy_uj.value, *(point.energy_uj.value for point in best), right]
        y = [top, *(point.regret.value for point in best), best[-1].regret.value]
        axes.plot(x, y, drawstyle="steps-post", color="#BBBBBB", linewidth=3.5, zorder=1,
                  solid_capstyle="butt")  # fmt: skip
    for learner, (colour, marker) in _STYLES.items():
        own = [point for point in points if point.learner == learner]
        good = front(own)
        small = [point for point in own if point not in good]
        axes.plot(
            [point.energy_uj.value for point in small],
            [point.regret.value for point in small],
            color=colour, marker=marker, markersize=3.5, markerfacecolor="white",
            markeredgewidth=1.1, linestyle="none", zorder=2,
        )  # fmt: skip
        for point in good:
            energy, regret = point.energy_uj, point.regret
            low = max(regret.low, regret.value / 3)  # a log axis has no 0
            axes.errorbar(
                [energy.value], [regret.value],
                xerr=[[energy.value - energy.low], [energy.high - energy.value]],
                yerr=[[regret.value - low], [regret.high - regret.value]],
                color=colour, marker=marker, markersize=6.5,
                markeredgecolor="black" if point in best else colour, markeredgewidth=1.1,
                elinewidth=0.8, linestyle="none", zorder=4,
            )  # fmt: skip


def _name(axes: Axes, points: list[Point]) -> None:
    """Name each learner once, at the cheapest of its own best; points are obstacles."""
    if not points:
        return
    figure = axes.figure
    dots = 72.0 / figure.dpi

    def at(point: Point) -> tuple[float, float]:
        x, y = axes.transData.transform((point.energy_uj.value, point.regret.value))
        return float(x) * dots, float(y) * dots

    named = [
        (learner, front([point for point in points if point.learner == learner])[0])
        for learner in _STYLES
        if any(point.learner == learner for point in points)
    ]
    named.sort(key=lambda item: (item[1].regret.value, item[0]))
    obstacles = [Box(x - 4, y - 4, x + 4, y + 4) for x, y in (at(point) for point in points)]
    box = axes.get_window_extent()
    frame = Box(box.x0 * dots, box.y0 * dots, box.x1 * dots, box.y1 * dots)
    sizes = [
        (_CHARACTER * _LABEL_SIZE * len(TITLES[learner]), 1.05 * _LABEL_SIZE)
        for learner, _ in named
    ]
    corners = place_labels([at(point) for _, point in named], sizes, obstacles, frame)
    for (learner, _), (left, bottom) in zip(named, corners, strict=True):
        axes.annotate(
            TITLES[learner], (left - frame.left, bottom - frame.bottom), xycoords="axes points",
            size=_LABEL_SIZE, color=_darker(_STYLES[learner][0]), zorder=3,
            bbox={"facecolor": "white", "alpha": 0.7, "edgecolor": "none", "pad": 0.5},
        )  # fmt: skip


def _darker(colour: str) -> str:
    """Darken a colour, because text needs more contrast than a mark."""
    parts = [int(colour[at : at + 2], 16) for at in (1, 3, 5)]
    return "#" + "".join(f"{int(part * 0.6):02X}" for part in parts)
