"""The figures as tables of numbers and as a page."""

from __future__ import annotations

from math import isclose
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from gnomon.base.files import Content, write_files
from gnomon.base.frames import csv_text, frame
from gnomon.bench.learners import LINES, Sizes
from gnomon.content.reports.linucb.tables import published
from gnomon.report.page import render_markdown

from .cells import READINGS
from .memory import ARMS, BUDGET, DISJOINT, HYBRID, SHOWN_D, larger_stack_bytes, shown_sizes
from .pictures import (
    ALGORITHMS,
    KERNEL_TITLES,
    figure8_picture,
    is_shown,
    memory_picture,
    speedups_picture,
)
from .points import COLUMNS, PLATFORMS, PLATFORMS_OF, speedup_points
from .published import stated_speedup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import pandas as pd

    from .figures import Figures, FigureSize
    from .kernels import KernelPoint
    from .memory import Memory, MemoryPoint
    from .points import SpeedupPoint

    Pick = Callable[[MemoryPoint], int | None]

_LAST = 32
"""Size of most published numbers; what they mean is said where it was measured."""
_BYTES = ("static", "select", "update", "peak stack", "together")
_LANES = 4
_AS_STATED = 0.05
"""Part by which a speed-up may be off the published one to count as it."""


def write_figures(figures: Figures, folder: Path) -> tuple[Path, ...]:
    """Write page, tables and pictures into a folder; the same results give the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    points = {n: speedup_points(n, figures.cells, figures.size.params) for n in (9, 11)}
    files: dict[str, Content] = {
        "figures.md": page(figures, points),
        "figure8.csv": csv_text(figure8_rows(figures.kernels)),
        **{f"figure{n}.csv": csv_text(speedup_rows(points[n])) for n in points},
        "figure2-4.csv": csv_text(memory_rows(figures.memory)),
        "figure2-4-python.csv": csv_text(python_rows(figures.memory)),
        "figure8": figure8_picture(figures.kernels),
        **{f"figure{n}": speedups_picture(points[n]) for n in points},
        "figure2-4": memory_picture(figures.memory, figures.size),
    }
    return write_files(folder, files)


def page(figures: Figures, points: dict[int, tuple[SpeedupPoint, ...]]) -> str:
    """The page, in Markdown."""
    kernels, memory, size = figures.kernels, figures.memory, figures.size
    stated = published()["value"]
    hybrid = [Sizes(d, ARMS, f) for d in size.grid for f in size.grid]
    waits = [
        1 - hart.cycles / wall.cycles
        for hart in points[11]
        for wall in points[11]
        if (hart.reading, wall.reading, hart.line) == ("hart", "wall", "tuned")
        and (hart.key, hart.d, hart.line) == (wall.key, wall.d, wall.line)
        and hart.cycles is not None and wall.cycles is not None
    ]  # fmt: skip
    claims = {name: stated[f"memory_saving_{name}"] for name in ("disjoint", "hybrid")}
    is_full = _LAST in size.grid
    return render_markdown(
        Path(__file__).parent,
        "figures.md.j2",
        {
            "compiler": figures.compiler,
            "size": size.name,
            "last": _kernel_facts(kernels),
            "beside": _beside(kernels),
            "cycles": _cycles(kernels),
            "speedups": _speedups(kernels),
            "figures": {n: _figure(n, points[n]) for n in points},
            "waiting": fmean(waits) if waits else None,
            "claims": {name: f"{claim:g}" for name, claim in claims.items()},
            "budget": BUDGET,
            "largest_k": size.largest_k,
            "shown_d": SHOWN_D,
            "numbers": _BYTES,
            "bytes_disjoint": _bytes(memory, DISJOINT, size),
            "bytes_hybrid": _bytes(memory, HYBRID, size),
            "savings_disjoint": _savings(memory, DISJOINT, shown_sizes(size, DISJOINT)),
            "savings_hybrid": _savings(memory, HYBRID, hybrid),
            "memory": _memory_facts(memory, size, hybrid, claims) if is_full else None,
            "refusals": _refusals(memory),
        },
    )


def figure8_rows(points: Iterable[KernelPoint]) -> pd.DataFrame:
    """``figure8.csv``."""
    rows = []
    for point in points:
        stated = stated_speedup(8, point.kernel, "t13", "vcu", point.n)
        for reading in READINGS:
            speedup = point.speedup(reading)
            rows.append([
                *(point.kernel, point.line, point.n, reading),
                *(getattr(run, reading) for run in (point.scalar, point.vector, point.clearing)),
                f"{stated.speedup:g}" if stated else "",
                f"{speedup:.4f}",
                f"{speedup / stated.speedup:.4f}" if stated else "",
                f"{point.speedup_without_clearing(reading):.4f}",
                f"{point.speedup_over_paper(reading):.4f}",
                f"the text: {stated.meaning}" if stated else "",
            ])  # fmt: skip
    return frame(
        ["kernel", "line", "n", "reading", "scalar_cycles", "vector_cycles", "clearing_cycles",
         "published_speedup", "speedup", "ratio", "speedup_without_clearing",
         "speedup_over_paper_scalar", "note"],
        rows,
    )  # fmt: skip


def speedup_rows(points: Iterable[SpeedupPoint]) -> pd.DataFrame:
    """``figure9.csv`` and ``figure11.csv``."""
    return frame(COLUMNS, [point.to_row() for point in points])


def memory_rows(memory: Memory) -> pd.DataFrame:
    """``figure2-4.csv``; an empty cell was not run."""
    return frame(
        ["learner", "line", "variant", "arms", "d", "f", "static_bytes", "select_stack_bytes",
         "update_stack_bytes", "stack_bytes", "total_bytes", "fits_128_kib", "refusal"],
        [
            [*(point.learner, point.line, point.variant), point.sizes.arms, point.sizes.d,
             point.sizes.f or "", *point.numbers, "no" if point.refusal else "yes", point.refusal]
            for point in memory.points
        ],
    )  # fmt: skip


def python_rows(memory: Memory) -> pd.DataFrame:
    """``figure2-4-python.csv``."""
    return frame(
        ["learner", "variant", "arms", "d", "f", "state_size_bytes", "select_peak_bytes",
         "update_peak_bytes"],
        [
            [*(row.name, row.variant, row.sizes.arms, row.sizes.dimensions),
             row.sizes.features or "", *(row.state_size_bytes, row.select_peak_bytes),
             row.update_peak_bytes]
            for row in memory.python
        ],
    )  # fmt: skip


def _pairs(points: Sequence[KernelPoint]) -> list[tuple[KernelPoint, KernelPoint]]:
    tuned = {(point.kernel, point.n): point for point in points if point.line == "tuned"}
    return [(one, tuned[one.kernel, one.n]) for one in points if one.line == "paper"]


def _beside(points: Sequence[KernelPoint]) -> pd.DataFrame:
    rows = []
    for paper, _ in _pairs(points):
        stated = stated_speedup(8, paper.kernel, "t13", "vcu", paper.n)
        if stated is not None:
            words = "up to " if stated.meaning.startswith("up to") else ""
            rows.append([
                *(KERNEL_TITLES[paper.kernel], paper.n, f"{words}{stated.speedup:g}"),
                f"{paper.speedup('hart'):.2f}",
                f"{paper.speedup('hart') / stated.speedup:.2f}",
                f"{paper.speedup('wall'):.2f}",
                *(f"{paper.speedup_without_clearing(reading):.2f}" for reading in READINGS),
            ])  # fmt: skip
    return frame(
        ["kernel", "n", "published", "paper line, hart", "ratio", "wall", "hart, without clearing",
         "wall, without clearing"],
        rows,
    )  # fmt: skip


def _cycles(points: Sequence[KernelPoint]) -> pd.DataFrame:
    return frame(
        ["kernel", "n", "paper scalar, hart", "vector, hart", "scalar, wall", "vector, wall",
         "tuned scalar, hart", "vector, hart ", "scalar, wall ", "vector, wall "],
        [
            [KERNEL_TITLES[pair[0].kernel], pair[0].n]
            + [
                f"{getattr(run, reading):,}"
                for point in pair
                for reading in READINGS
                for run in (point.scalar, point.vector)
            ]
            for pair in _pairs(points)
        ],
    )  # fmt: skip


def _speedups(points: Sequence[KernelPoint]) -> pd.DataFrame:
    return frame(
        ["kernel", "n", "paper, hart", "paper, wall", "tuned, hart", "tuned, wall",
         "tuned vector over paper scalar, hart", "the same, wall"],
        [
            [
                *(KERNEL_TITLES[paper.kernel], paper.n),
                *(f"{p.speedup(reading):.2f}" for p in (paper, tuned) for reading in READINGS),
                *(f"{tuned.speedup_over_paper(reading):.2f}" for reading in READINGS),
            ]
            for paper, tuned in _pairs(points)
        ],
    )  # fmt: skip


def _kernel_facts(points: Sequence[KernelPoint]) -> dict[str, Any] | None:
    """What the numbers of Figure 8 mean, where the published sizes were measured."""
    paper = {(point.kernel, point.n): point for point in points if point.line == "paper"}
    last = max(point.n for point in points)
    if last != _LAST:
        return None

    def readings(point: KernelPoint) -> dict[str, float]:
        found = {f"{reading} cycles": point.speedup(reading) for reading in READINGS}
        return found | {
            f"{reading} cycles without it": point.speedup_without_clearing(reading)
            for reading in READINGS
        }

    def place(point: KernelPoint) -> str:
        stated = stated_speedup(8, point.kernel, "t13", "vcu", point.n)
        assert stated is not None
        ours = (point.speedup("hart"), point.speedup_without_clearing("hart"))
        if stated.speedup < min(ours):
            return "below both of ours,"
        return "above both of ours," if stated.speedup > max(ours) else "between ours"

    sums = [readings(point) for (kernel, _), point in paper.items() if kernel == "add"]
    lanes = [name for name in sums[0] if all(isclose(one[name], _LANES, rel_tol=_AS_STATED)
                                             for one in sums)]  # fmt: skip
    of_sum, of_product, inverse = (paper[name, last] for name in ("add", "multiply", "inverse"))
    ends = [paper["multiply", n] for n in (4, last)]
    inverse_stated = stated_speedup(8, "inverse", "t13", "vcu", last)
    assert inverse_stated is not None
    return {
        "n": last,
        "add_clearing": of_sum.clearing.hart / of_sum.vector.hart,
        "row": (of_product.vector.hart - of_product.clearing.hart) / last**2,
        "mac": (of_product.scalar.hart - of_product.clearing.hart) / last**3,
        "lanes_reading": lanes[0] if lanes else "",
        "product": [(point.n, place(point)) for point in ends],
        "one_region": len({place(point) for point in ends}) == 1,
        "inverse": place(inverse),
        "nearest": min(readings(inverse).items(),
                       key=lambda one: abs(one[1] - inverse_stated.speedup))[0],
    }  # fmt: skip


def _figure(figure: int, points: Sequence[SpeedupPoint]) -> dict[str, Any]:
    tuned = {point.key.algorithm for point in points if point.line == "tuned"}
    return {
        **{name.lower(): _table(figure, [p for p in points if p.key.algorithm == name])
           for name in ALGORITHMS},
        "stated": _stated(points),
        "missing": [name for name in ALGORITHMS if name not in tuned],
        "has_tuned_hybrid": "Hybrid" in tuned,
        "notes": dict.fromkeys(point.note for point in points if point.note),
    }  # fmt: skip


def _table(figure: int, points: Sequence[SpeedupPoint]) -> pd.DataFrame:
    others = [platform for platform in PLATFORMS_OF[figure] if platform != "t13"]
    columns = [("t13", "published", ""), *((other, "published", "") for other in others)]
    columns += [("t13", line, reading) for line in LINES for reading in READINGS]
    titles = ["published", *(PLATFORMS[other] for other in others)]
    titles += [f"{line} line, {reading}" for line in LINES for reading in READINGS]
    # A published count stands next to each d of ours: it has only one.
    at = {
        (p.key.param, p.key.variant, p.key.platform, p.line, p.reading,
         0 if p.line == "published" else p.d): p
        for p in points
    }  # fmt: skip
    sizes = dict.fromkeys(
        (p.d, p.key.param, p.key.variant) for p in points if p.line != "published"
    )
    rows = []
    for d, param, variant in sorted(sizes, key=lambda one: _order(points, one)):
        words = [
            _cell(
                at.get((param, variant, platform, line, reading, 0 if line == "published" else d)),
                speedup_only=platform != "t13",
            )
            for platform, line, reading in columns
        ]
        size = f"d = {d}" + ("" if points[0].key.param_name == "d" else f", f = {param}")
        rows.append([size, variant, *words])
    return frame(["size", "variant", *titles], rows)


def _order(points: Sequence[SpeedupPoint], one: tuple[int, int, str]) -> int:
    """Where a size comes first, published or not."""
    return next(at for at, p in enumerate(points) if (p.d, p.key.param, p.key.variant) == one)


def _cell(point: SpeedupPoint | None, *, speedup_only: bool) -> str:
    if point is None:
        return ""
    if point.line == "published":
        factor = f"{point.published_speedup:.2f}"
        return factor if speedup_only else f"{point.published_cycles:,} ({factor})"
    if point.cycles is None or point.speedup is None:
        return "none"
    return f"{point.cycles:,} ({point.speedup:.2f})"


def _stated(points: Sequence[SpeedupPoint]) -> pd.DataFrame:
    """The text's numbers, those of its own table and ours, in hart cycles."""
    ours = {
        p.key: p.speedup for p in points if (p.line, p.reading) == ("paper", "hart") and is_shown(p)
    }
    rows = []
    for point in points:
        if point.line == "published" and point.stated_speedup is not None:
            key, own = point.key, ours.get(point.key)
            shown = ["", ""] if own is None else [f"{own:.2f}", f"{own / point.stated_speedup:.2f}"]
            rows.append([
                *(key.algorithm, PLATFORMS[key.platform], key.variant),
                f"{key.param_name} = {key.param}",
                *(f"{point.stated_speedup:.2f}", f"{point.published_speedup:.2f}", *shown),
            ])  # fmt: skip
    return frame(
        ["algorithm", "platform", "variant", "size", "text", "table", "paper line, hart", "ratio"],
        rows,
    )


def _bytes(memory: Memory, learner: str, size: FigureSize) -> pd.DataFrame:
    rows = []
    for one in shown_sizes(size, learner):
        rows += [
            [_size(one), point.line, point.variant, *map(_number, point.numbers),
             "**no**" if point.refusal else "yes"]
            for point in memory.points
            if (point.learner, point.sizes) == (learner, one)
        ]  # fmt: skip
        for variant in ("standard", "optimized"):
            row = memory.find_python(learner, one, variant)
            numbers = (
                row.state_size_bytes, row.select_peak_bytes, row.update_peak_bytes, row.peak_bytes,
                row.state_size_bytes + row.peak_bytes,
            )  # fmt: skip
            rows.append([_size(one), "NumPy", variant, *map(_number, numbers), ""])
    return frame(["size", "line", "variant", *_BYTES, BUDGET], rows)


def _savings(memory: Memory, learner: str, sizes: Sequence[Sizes]) -> pd.DataFrame:
    """Peaks of the standard program less those of the optimized one."""
    rows = []
    for one in sizes:
        standard, optimized = (
            memory.find_python(learner, one, variant) for variant in ("standard", "optimized")
        )
        row = [_size(one), f"{standard.select_peak_bytes - optimized.select_peak_bytes:,}",
               f"{standard.peak_bytes - optimized.peak_bytes:,}"]  # fmt: skip
        for end, line in (("", "paper"), ("-vector", "paper"), ("", "tuned")):
            for pick in (_select, larger_stack_bytes):
                saved = _saved(memory, learner, one, pick, end=end, line=line)
                row.append("" if saved is None else f"{saved:,}")
        rows.append(row)
    return frame(
        ["size", "NumPy: select", "larger", "scalar: select", "larger ", "vector: select",
         "larger  ", "to tuned: select", "larger   "],
        rows,
    )  # fmt: skip


def _select(point: MemoryPoint) -> int | None:
    return point.select_stack_bytes


def _update(point: MemoryPoint) -> int | None:
    return point.update_stack_bytes


def _saved(
    memory: Memory, learner: str, sizes: Sizes, pick: Pick, *, end: str = "", line: str = "paper"
) -> int | None:
    """Bytes of the standard program of the paper line less those of an optimized one."""
    points = (
        memory.find(learner, sizes, f"standard{end}"),
        memory.find(learner, sizes, f"optimized{end}", line),
    )
    before, after = (pick(point) if point else None for point in points)
    return None if before is None or after is None else before - after


def _memory_facts(
    memory: Memory, size: FigureSize, hybrid: Sequence[Sizes], claims: dict[str, float]
) -> dict[str, Any]:
    """What the numbers of the full size mean."""

    def saved(learner: str, sizes: Iterable[Sizes], pick: Pick) -> list[int]:
        found = (_saved(memory, learner, one, pick) for one in sizes)
        return [one for one in found if one is not None]

    every = [(DISJOINT, shown_sizes(size, DISJOINT)), (HYBRID, hybrid)]
    selects, updates = (
        [one for learner, sizes in every for one in saved(learner, sizes, pick)]
        for pick in (_select, _update)
    )
    larger, select = (
        {d: saved(DISJOINT, [Sizes(d, ARMS)], pick)[0] for d in (16, 32)}
        for pick in (larger_stack_bytes, _select)
    )
    numpy = [
        memory.find_python(HYBRID, one, "standard").peak_bytes
        - memory.find_python(HYBRID, one, "optimized").peak_bytes
        for one in hybrid
    ]
    of_hybrid = saved(HYBRID, hybrid, _select)
    claim = claims["disjoint"] * 1000
    known = [*larger.values(), *select.values()]
    return {
        "shift": all(one > 0 for one in selects) and all(one < 0 for one in updates),
        "selects_less": sum(one > 0 for one in selects),
        "updates_more": sum(one < 0 for one in updates),
        "sizes": len(selects),
        "larger": larger,
        "select": select,
        "between": min(known) <= claim <= max(known),
        "hybrid_more": sum(one > claims["hybrid"] * 1000 for one in of_hybrid),
        "hybrid_grows": sum(one <= 0 for one in saved(HYBRID, hybrid, larger_stack_bytes)),
        "hybrid_sizes": len(of_hybrid),
        "numpy_grows": all(one <= 0 for one in numpy),
        "tuned_bytes": max(p.stack_bytes or 0 for p in memory.points if p.line == "tuned"),
    }


def _refusals(memory: Memory) -> pd.DataFrame:
    return frame(
        ["learner", "size", "line", "variant", "static", "together", "what it says"],
        [
            [point.learner, f"{_size(point.sizes)}, N = {point.sizes.arms}", point.line,
             point.variant, _number(point.static_bytes), _number(point.total_bytes), point.refusal]
            for point in memory.points
            if point.refusal
        ],
    )  # fmt: skip


def _size(sizes: Sizes) -> str:
    return f"d = {sizes.d}" + (f", f = {sizes.f}" if sizes.f else "")


def _number(number: int | None) -> str:
    return "not run" if number is None else f"{number:,}"
