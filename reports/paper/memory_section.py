"""Figures 2 and 4 as tables and a section of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.bench.learners import Sizes
from gnomon.content.reports.linucb.tables import published

from .memory import (
    ARMS,
    BUDGET,
    DISJOINT,
    HYBRID,
)
from .words import FIGURES_2_4, READING_2_4

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .memory import Memory, MemoryPoint
    from .sizes import FigureSize

_LAST = 32
SHOWN_D = 4
"""Of the hybrid learners in table and picture: the d that Table 3 fits."""

COLUMNS = (
    "learner", "line", "variant", "arms", "d", "f", "static_bytes", "select_stack_bytes",
    "update_stack_bytes", "stack_bytes", "total_bytes", "fits_128_kib", "refusal",
)  # fmt: skip
PYTHON_COLUMNS = (
    "learner", "variant", "arms", "d", "f", "state_size_bytes", "select_peak_bytes",
    "update_peak_bytes",
)  # fmt: skip


def memory_rows(memory: Memory) -> Iterator[tuple[object, ...]]:
    """The rows of ``figure2-4.csv``; an empty cell was not run."""
    for point in memory.points:
        sizes = point.sizes
        numbers = (
            *(point.static_bytes, point.select_stack_bytes, point.update_stack_bytes),
            *(point.stack_bytes, point.total_bytes),
        )
        yield (
            *(point.learner, point.line, point.variant, sizes.arms, sizes.d, sizes.f or ""),
            *("" if number is None else number for number in numbers),
            "no" if point.refusal else "yes",
            point.refusal,
        )


def python_rows(memory: Memory) -> Iterator[tuple[object, ...]]:
    """The rows of ``figure2-4-python.csv``."""
    for row in memory.python:
        sizes = row.sizes
        yield (
            *(row.name, row.variant, sizes.arms, sizes.dimensions, sizes.features or ""),
            *(row.state_size_bytes, row.select_peak_bytes, row.update_peak_bytes),
        )


def shown_sizes(size: FigureSize, learner: str) -> list[Sizes]:
    """Of the picture and the first tables."""
    if learner == DISJOINT:
        return [Sizes(d, ARMS) for d in size.grid]
    return [Sizes(SHOWN_D, ARMS, f) for f in size.grid]


def memory_section(memory: Memory, size: FigureSize) -> str:
    """The section of the page."""
    stated = published()["value"]
    claims = {name: stated[f"memory_saving_{name}"] for name in ("disjoint", "hybrid")}
    return FIGURES_2_4.format(
        budget=BUDGET,
        largest_k=size.largest_k,
        shown_d=SHOWN_D,
        disjoint_claim=f"{claims['disjoint']:g}",
        hybrid_claim=f"{claims['hybrid']:g}",
        disjoint=_bytes(memory, DISJOINT, shown_sizes(size, DISJOINT)),
        hybrid=_bytes(memory, HYBRID, shown_sizes(size, HYBRID)),
        disjoint_savings=_savings(memory, DISJOINT, shown_sizes(size, DISJOINT)),
        hybrid_savings=_savings(
            memory, HYBRID, [Sizes(d, ARMS, f) for d in size.grid for f in size.grid]
        ),
        refusals=_refusals(memory),
        reading=_reading(memory) if _LAST in size.grid else "",
    )


def _reading(memory: Memory) -> str:
    """What the numbers of the full size mean."""

    def saved(d: int, pick: Callable[[MemoryPoint], int | None]) -> int:
        standard, optimised = (
            memory.find(DISJOINT, Sizes(d, ARMS), variant) for variant in ("standard", "optimized")
        )
        before, after = (pick(point) if point else None for point in (standard, optimised))
        assert before is not None
        assert after is not None
        return before - after

    tuned = [point.stack_bytes or 0 for point in memory.points if point.line == "tuned"]
    return READING_2_4.format(
        larger_16=saved(16, larger_stack_bytes),
        larger_32=saved(32, larger_stack_bytes),
        select_16=saved(16, lambda point: point.select_stack_bytes),
        select_32=saved(32, lambda point: point.select_stack_bytes),
        tuned_bytes=max(tuned),
    )


def _bytes(memory: Memory, learner: str, sizes: Sequence[Sizes]) -> str:
    lines = [
        "| size | line | variant | static | select | update | peak stack | together | 128 KiB |",
        "|---|---|---|---:|---:|---:|---:|---:|---|",
    ]
    for one in sizes:
        for point in memory.points:
            if (point.learner, point.sizes) != (learner, one):
                continue
            numbers = (
                *(point.static_bytes, point.select_stack_bytes, point.update_stack_bytes),
                *(point.stack_bytes, point.total_bytes),
            )
            lines.append(
                f"| {_size(one)} | {point.line} | {point.variant} |"
                f" {' | '.join(_number(number) for number in numbers)} |"
                f" {'**no**' if point.refusal else 'yes'} |"
            )
        for variant in ("standard", "optimized"):
            row = memory.find_python(learner, one, variant)
            peaks = f"{row.select_peak_bytes:,} | {row.update_peak_bytes:,} | {row.peak_bytes:,}"
            total = row.state_size_bytes + row.peak_bytes
            lines.append(
                f"| {_size(one)} | NumPy | {variant} | {row.state_size_bytes:,} | {peaks} |"
                f" {total:,} | |"
            )
    return "\n".join(lines)


def _savings(memory: Memory, learner: str, sizes: Sequence[Sizes]) -> str:
    """Peaks of the standard program less those of the optimised one."""
    pairs = (
        ("standard", "optimized", "paper"),
        ("standard-vector", "optimized-vector", "paper"),
        ("standard", "optimized", "tuned"),
    )
    lines = [
        "| size | NumPy: select | larger | scalar: select | larger | vector: select | larger |",
        "|---|" + "---:|" * 8,
    ]
    lines[0] += " to tuned: select | larger |"
    for one in sizes:
        standard, optimised = (
            memory.find_python(learner, one, variant) for variant in ("standard", "optimized")
        )
        words = [
            f"{standard.select_peak_bytes - optimised.select_peak_bytes:,}",
            f"{standard.peak_bytes - optimised.peak_bytes:,}",
        ]
        for base, other, line in pairs:
            points = memory.find(learner, one, base), memory.find(learner, one, other, line)
            words.append(_saving(points, lambda point: point.select_stack_bytes))
            words.append(_saving(points, larger_stack_bytes))
        lines.append(f"| {_size(one)} | {' | '.join(words)} |")
    return "\n".join(lines)


def larger_stack_bytes(point: MemoryPoint) -> int | None:
    """The larger peak of selection and update."""
    if point.select_stack_bytes is None or point.update_stack_bytes is None:
        return None
    return max(point.select_stack_bytes, point.update_stack_bytes)


def _saving(
    points: tuple[MemoryPoint | None, MemoryPoint | None],
    pick: Callable[[MemoryPoint], int | None],
) -> str:
    before, after = (pick(point) if point else None for point in points)
    return "" if before is None or after is None else f"{before - after:,}"


def _refusals(memory: Memory) -> str:
    lines = ["| learner | size | line | variant | static | together | what it says |"]
    lines.append("|---|---|---|---|---:|---:|---|")
    for point in memory.points:
        if point.refusal:
            static, total = _number(point.static_bytes), _number(point.total_bytes)
            lines.append(
                f"| {point.learner} | {_size(point.sizes)}, N = {point.sizes.arms} | {point.line} |"
                f" {point.variant} | {static} | {total} | {point.refusal} |"
            )
    return "\n".join(lines)


def _size(sizes: Sizes) -> str:
    return f"d = {sizes.d}" + (f", f = {sizes.f}" if sizes.f else "")


def _number(number: int | None) -> str:
    return "not run" if number is None else f"{number:,}"
