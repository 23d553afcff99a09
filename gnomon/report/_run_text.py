"""A run as tables for people: what happened, per hart, and where the cycles went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.console import console, table
from gnomon.cost.energy import Quote

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.base.console import Table
    from gnomon.sim import Run

_SHOWN_WORDS = 16


def print_run(run: Run, architecture: Architecture, *, operands: str | None = None) -> None:
    """Print a run: its end, its harts, its cycles by cause, what the program printed, warnings.

    With its energy, if the machine names a power table; ``operands`` are the values it assumes.
    """
    out = console()
    out.print(_summary(run, architecture, operands))
    out.print(_harts(run))
    out.print(_causes(run))
    if run.vector_work:
        out.print(_vector(run))
    for warning in run.warnings:
        out.print(f"warning: {warning}")


def _summary(run: Run, architecture: Architecture, operands: str | None) -> Table:
    rows = table(f"{run.program} on {run.arch}", 2, "", "")
    rows.show_header = False
    rows.add_row("halted", run.halted)
    code = "none" if run.exit_code is None else f"{run.exit_code} (0x{run.exit_code:08X})"
    rows.add_row("exit code", code)
    rows.add_row("cycles", f"{run.wall_cycles:,}")
    micros = run.wall_cycles * 1e6 / architecture.clock
    rows.add_row("time", f"{micros:,.2f} µs at {architecture.clock / 1e6:g} MHz")
    if architecture.power is not None:
        rows.add_row("energy", Quote.of(run.work, architecture, data=operands).line())
    if run.printed:
        words = [f"0x{word:08X}" for word in run.printed[:_SHOWN_WORDS]]
        if len(run.printed) > _SHOWN_WORDS:
            words.append(f"... ({len(run.printed) - _SHOWN_WORDS} more)")
        rows.add_row("printed", " ".join(words))
    return rows


def _harts(run: Run) -> Table:
    rows = table(
        "harts (CPI: cycles of the run per instruction retired while awake)",
        1,
        *("hart", "issued", "retired", "vector retries", "asleep, slots", "hart cycles", "CPI"),
    )
    for number, hart in enumerate(run.harts):
        asleep = run.counters.get(f"hart{number}.parked", 0)
        awake = hart.retired - asleep
        rows.add_row(
            str(number),
            *(f"{value:,}" for value in (hart.issued, awake, hart.vcu_retries)),
            *(f"{asleep:,}", f"{hart.hart_cycles:,}"),
            f"{run.wall_cycles / awake:.2f}" if awake else "-",
        )
    return rows


def _causes(run: Run) -> Table:
    """Causes down, harts across. Every cycle of the run is in exactly one cell."""
    harts = range(len(run.harts))
    rows = table("cycles by cause", 1, "cause", *(f"hart {hart}" for hart in harts), "all", "share")
    names = dict.fromkeys(name.partition(".")[2] or name for name in run.counters)
    sums = [0] * len(run.harts)
    total = 0
    # Sorted by kind, so that the same cause of two programs is found at the same place.
    for name in sorted(names):
        parts = [run.counters.get(f"hart{hart}.{name}", 0) for hart in harts]
        everywhere = sum(parts) + run.counters.get(name, 0)
        sums = [a + b for a, b in zip(sums, parts, strict=True)]
        total += everywhere
        rows.add_row(name, *_cells([*parts, everywhere]), f"{everywhere / run.wall_cycles:.1%}")
    rows.add_section()
    rows.add_row("total", *_cells([*sums, total]), f"{total / run.wall_cycles:.1%}")
    return rows


def _vector(run: Run) -> Table:
    rows = table(
        "vector unit and transfers",
        2,
        *("hart", "instruction", "issued", "beats", "bytes", "busy cycles"),
    )
    for work in run.vector_work:
        numbers = (work.issued, work.beats, work.size_bytes, work.busy_cycles)
        rows.add_row(str(work.hart), work.mnemonic, *_cells(numbers))
    return rows


def _cells(values: list[int] | tuple[int, ...]) -> list[str]:
    return [f"{value:,}" if value else "-" for value in values]
