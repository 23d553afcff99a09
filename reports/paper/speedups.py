"""Figures 9 and 11 as sections of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.bench.learners import LINES

from .cells import FITTED_D, READINGS
from .cells_tuned import TUNED_HYBRID
from .points import PLATFORMS, PLATFORMS_OF
from .words import FIGURE_9, FIGURE_11

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .points import SpeedupPoint

ALGORITHMS = ("Disjoint", "Hybrid")
_WORDS = {9: FIGURE_9, 11: FIGURE_11}


def speedups_section(figure: int, points: Sequence[SpeedupPoint]) -> str:
    """The section of the page."""
    tables = {
        algorithm.lower(): _table(
            figure, [point for point in points if point.key.algorithm == algorithm]
        )
        for algorithm in ALGORITHMS
    }
    return _WORDS[figure].format(**tables, stated=_stated(points), missing=_missing(points))


def is_shown(point: SpeedupPoint) -> bool:
    """Whether the published counts fit its d."""
    return point.key.table == 2 or point.d == FITTED_D


def _table(figure: int, points: Sequence[SpeedupPoint]) -> str:
    others = [platform for platform in PLATFORMS_OF[figure] if platform != "t13"]
    columns = [("t13", "published", ""), *((other, "published", "") for other in others)]
    columns += [("t13", line, reading) for line in LINES for reading in READINGS]
    titles = ["published", *(PLATFORMS[other] for other in others)]
    titles += [f"{line} line, {reading}" for line in LINES for reading in READINGS]
    lines = [f"| size | variant | {' | '.join(titles)} |", "|---|---|" + "---:|" * len(titles)]
    sizes = dict.fromkeys((p.d, p.key.param, p.key.variant) for p in points)
    of_ours = {(p.d, p.key.param, p.key.variant) for p in points if p.line != "published"}
    for d, param, variant in sizes:
        if (d, param, variant) not in of_ours:
            continue
        words = []
        for platform, line, reading in columns:
            # A published count stands beside each d of ours: it has only one.
            cell = next(
                (
                    p
                    for p in points
                    if (p.key.param, p.key.variant, p.key.platform) == (param, variant, platform)
                    and (p.line, p.reading) == (line, reading)
                    and (line == "published" or p.d == d)
                ),
                None,
            )
            words.append(_cell(cell, speedup_only=platform != "t13"))
        name = points[0].key.param_name
        size = f"d = {d}" if name == "d" else f"d = {d}, f = {param}"
        lines.append(f"| {size} | {variant} | {' | '.join(words)} |")
    return "\n".join(lines)


def _cell(point: SpeedupPoint | None, *, speedup_only: bool) -> str:
    if point is None:
        return ""
    if point.line == "published":
        factor = f"{point.published_speedup:.2f}"
        return factor if speedup_only else f"{point.published_cycles:,} ({factor})"
    if point.cycles is None or point.speedup is None:
        return "none"
    return f"{point.cycles:,} ({point.speedup:.2f})"


def _stated(points: Sequence[SpeedupPoint]) -> str:
    """The text's numbers beside those of its own table and ours, in hart cycles."""
    lines = [
        "| algorithm | platform | variant | size | text | table | paper line, hart | ratio |",
        "|---|---|---|---|---:|---:|---:|---:|",
    ]
    for point in points:
        if point.line != "published" or point.stated_speedup is None:
            continue
        key = point.key
        ours = next(
            (
                p.speedup
                for p in points
                if p.key == key and (p.line, p.reading) == ("paper", "hart") and is_shown(p)
            ),
            None,
        )
        shown = ("", "") if ours is None else (f"{ours:.2f}", f"{ours / point.stated_speedup:.2f}")
        words = [
            *(
                key.algorithm,
                PLATFORMS[key.platform],
                key.variant,
                f"{key.param_name} = {key.param}",
            ),
            *(f"{point.stated_speedup:.2f}", f"{point.published_speedup:.2f}", *shown),
        ]
        lines.append(f"| {' | '.join(words)} |")
    return "\n".join(lines)


def _missing(points: Sequence[SpeedupPoint]) -> str:
    """What the tuned line does not have, and what it says where it cannot run."""
    lines = [
        f"The tuned line has no {algorithm} learner of these variants.\n"
        for algorithm in ALGORITHMS
        if not any(p.line == "tuned" and p.key.algorithm == algorithm for p in points)
    ]
    if any(p.line == "tuned" and p.key.algorithm == "Hybrid" for p in points):
        lines.append(TUNED_HYBRID)
    notes = dict.fromkeys(point.note for point in points if point.note)
    return "\n".join([*lines, *(f"- none: {note}\n" for note in notes)])
