"""Figure 8 as a picture, a table and a section of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from gnomon.bench.learners import LINES
from gnomon.content.algorithms.linucb_paper.kernels import PAPER_KERNELS
from gnomon.report.canvas import legend, render

from .cells import READINGS
from .look import style
from .stated import stated_speedup
from .words import FIGURE_8, READING_8

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .kernels import KernelPoint
    from .stated import Stated

TITLES = {"add": "sum", "multiply": "product", "inverse": "inverse"}
_LAST = 32  # size of most published numbers
_TICKS = (1, 2, 5, 10, 20, 50, 100, 200)

COLUMNS = (
    "kernel", "line", "n", "reading", "scalar_cycles", "vector_cycles", "clearing_cycles",
    "published_speedup", "speedup", "ratio", "speedup_without_clearing",
    "speedup_over_paper_scalar", "note",
)  # fmt: skip


def figure8(points: Sequence[KernelPoint]) -> dict[str, bytes]:
    """Speed-ups over the matrix size, as SVG."""
    return render(lambda: _draw(points))


def figure8_rows(points: Sequence[KernelPoint]) -> Iterator[tuple[object, ...]]:
    """The rows of ``figure8.csv``."""
    for point in points:
        stated = _stated(point)
        for reading in READINGS:
            speedup = point.speedup(reading)
            yield (
                *(point.kernel, point.line, point.n, reading),
                *(getattr(run, reading) for run in (point.scalar, point.vector, point.clearing)),
                f"{stated.speedup:g}" if stated else "",
                f"{speedup:.4f}",
                f"{speedup / stated.speedup:.4f}" if stated else "",
                f"{point.speedup_without_clearing(reading):.4f}",
                f"{point.speedup_over_paper(reading):.4f}",
                f"the text: {stated.meaning}" if stated else "",
            )


def figure8_section(points: Sequence[KernelPoint]) -> str:
    """The section of the page; what the numbers mean is said where the published sizes are."""
    reading = ""
    last = max(point.n for point in points)
    if last == _LAST:
        of_sum, of_product = (
            next(p for p in points if (p.kernel, p.line, p.n) == (kernel, "paper", last))
            for kernel in ("add", "multiply")
        )
        reading = READING_8.format(
            n=last,
            add_clearing=of_sum.clearing.hart / of_sum.vector.hart,
            row=(of_product.vector.hart - of_product.clearing.hart) / last**2,
            mac=(of_product.scalar.hart - of_product.clearing.hart) / last**3,
        )
    return FIGURE_8.format(
        reading=reading,
        beside=_table(points, _BESIDE, only_stated=True),
        cycles=_table(points, _CYCLES),
        speedups=_table(points, _SPEEDUPS),
    )


def _stated(point: KernelPoint) -> Stated | None:
    return stated_speedup(8, point.kernel, "t13", "vcu", point.n)


def _draw(points: Sequence[KernelPoint]) -> Figure:
    figure, grid = plt.subplots(1, 3, figsize=(8.0, 3.9), layout="constrained")
    for axes, kernel in zip(grid, PAPER_KERNELS, strict=True):
        for line in LINES:
            of_line = [point for point in points if (point.kernel, point.line) == (kernel, line)]
            sizes = [point.n for point in of_line]
            for reading in READINGS:
                axes.plot(
                    sizes,
                    [point.speedup(reading) for point in of_line],
                    label=f"{line} line, {reading} cycles",
                    **style(line, reading),
                )
        stated = [(n, _stated_at(points, kernel, n)) for n in sizes]
        known = [(n, value) for n, value in stated if value is not None]
        axes.plot(*zip(*known, strict=True), label="published, in numbers", **style("published"))
        axes.set_title(TITLES[kernel])
        _axes(axes, sizes)
    grid[0].set_ylabel("speed-up by the vector unit, SIMD 4")
    legend(figure, grid[0], 3)
    return figure


def _stated_at(points: Sequence[KernelPoint], kernel: str, n: int) -> float | None:
    point = next(point for point in points if (point.kernel, point.n) == (kernel, n))
    stated = _stated(point)
    return stated.speedup if stated else None


def _axes(axes: Axes, sizes: Sequence[int]) -> None:
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(FixedLocator(_TICKS))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_xlabel("n (matrices of n x n)")
    axes.xaxis.set_major_locator(FixedLocator([n for n in sizes if n % 8 == 0 or n == sizes[0]]))


def _table(
    points: Sequence[KernelPoint],
    header: tuple[str, ...],
    *,
    only_stated: bool = False,
) -> str:
    lines = [
        f"| {' | '.join(header)} |",
        "|---|" + "---:|" * (len(header) - 1),
    ]
    paper = [point for point in points if point.line == "paper"]
    for one in paper:
        if only_stated and _stated(one) is None:
            continue
        (tuned,) = (
            point
            for point in points
            if (point.kernel, point.n, point.line) == (one.kernel, one.n, "tuned")
        )
        cells = _ROWS[header](one, tuned)
        lines.append(f"| {TITLES[one.kernel]} | {one.n} | {' | '.join(cells)} |")
    return "\n".join(lines)


_BESIDE = (
    "kernel", "n", "published", "paper line, hart", "ratio", "wall", "hart, without clearing",
    "wall, without clearing",
)  # fmt: skip
_CYCLES = (
    "kernel", "n", "paper scalar, hart", "vector, hart", "scalar, wall", "vector, wall",
    "tuned scalar, hart", "vector, hart ", "scalar, wall ", "vector, wall ",
)  # fmt: skip
_SPEEDUPS = (
    "kernel", "n", "paper, hart", "paper, wall", "tuned, hart", "tuned, wall",
    "tuned vector over paper scalar, hart", "the same, wall",
)  # fmt: skip


def _beside(paper: KernelPoint, _: KernelPoint) -> list[str]:
    stated = _stated(paper)
    assert stated is not None
    words = "up to " if stated.meaning.startswith("up to") else ""
    return [
        f"{words}{stated.speedup:g}",
        f"{paper.speedup('hart'):.2f}",
        f"{paper.speedup('hart') / stated.speedup:.2f}",
        f"{paper.speedup('wall'):.2f}",
        *(f"{paper.speedup_without_clearing(reading):.2f}" for reading in READINGS),
    ]


def _cycles(paper: KernelPoint, tuned: KernelPoint) -> list[str]:
    return [
        f"{getattr(run, reading):,}"
        for point in (paper, tuned)
        for reading in READINGS
        for run in (point.scalar, point.vector)
    ]


def _speedups(paper: KernelPoint, tuned: KernelPoint) -> list[str]:
    own = [f"{point.speedup(reading):.2f}" for point in (paper, tuned) for reading in READINGS]
    return [*own, *(f"{tuned.speedup_over_paper(reading):.2f}" for reading in READINGS)]


_ROWS = {_BESIDE: _beside, _CYCLES: _cycles, _SPEEDUPS: _speedups}
