"""A priced trace as tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.console import console, table

if TYPE_CHECKING:
    from gnomon.bench.replay._result import Replay

_MOST_ROWS = 24


def print_replay(title: str, replay: Replay) -> None:
    """Print the most expensive calls first, then stages, totals and what they leave out."""
    out = console()
    rows = table(
        f"{title} on {replay.arch}",
        2,
        *("call", "embedded kernel", "calls", "wall cycles each", "wall cycles"),
        *("hart cycles", "share, %"),
    )
    ordered = sorted(replay.rows, key=lambda row: -row.wall_cycles)
    for row in ordered[:_MOST_ROWS]:
        price = row.price
        size = "x".join(map(str, price.extents))
        rows.add_row(
            str(price.call),
            f"{price.kernel} {size}, {price.variant}",
            *(f"{n:,}" for n in (row.count, price.wall_cycles, row.wall_cycles, row.hart_cycles)),
            f"{100 * row.wall_cycles / replay.wall_cycles:.1f}",
        )
    out.print(rows)
    rest = ordered[_MOST_ROWS:]
    if rest:
        out.print(
            f"  and {len(rest)} more distinct calls: {sum(row.wall_cycles for row in rest):,}"
            " wall cycles (all of them with --json)"
        )
    for stage in replay.stages:
        name = stage.name or "(no stage)"
        out.print(
            f"  {name}: {stage.calls:,} calls, {stage.wall_cycles:,} wall cycles,"
            f" {stage.hart_cycles:,} hart cycles"
        )
    out.print(
        f"  total: {replay.calls:,} calls, {replay.wall_cycles:,} wall cycles,"
        f" {replay.hart_cycles:,} hart cycles, {replay.time_us:,.2f} µs"
    )
    if replay.vector:
        scalar = sorted({row.price.kernel for row in replay.rows if not row.price.vector})
        if scalar:
            out.print(f"  without a vector variant, so scalar: {', '.join(scalar)}")
    _print_direct(replay)
    out.print(f"  operands: random, seed {replay.seed}, in the range of each kernel")
    for other in replay.operand_dependent:
        out.print(
            f"  {other.price.call} depends on its operands: {other.price.wall_cycles:,} wall"
            f" cycles, {other.other_wall_cycles:,} with seed {other.other_seed}"
        )


def _print_direct(replay: Replay) -> None:
    direct = replay.direct
    if direct is None:
        console().print("  call overhead: not measured; totals leave it out")
        return
    share, unwaited = (100 * part for part in (direct.overhead_share, direct.unwaited_share))
    console().print(
        f"  call overhead: {direct.overhead_wall_cycles:+.1f} wall cycles per call, left out of the"
        f" totals\n    ({direct.calls} distinct call(s) in one program: {direct.wall_cycles:,} wall"
        f" cycles; their prices: {direct.priced_wall_cycles:,}; {share:+.2f} %)\n"
        f"    without waiting for results in between: {direct.unwaited_wall_cycles:,} wall cycles"
        f" ({unwaited:+.2f} % against the prices)"
    )
