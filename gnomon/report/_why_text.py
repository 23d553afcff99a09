"""Why a run takes as long as it does, as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.console import console, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.observe.why import Bound, StackPart, WhatIf
    from gnomon.sim import Run


def print_why(
    run: Run, stack: Sequence[StackPart], bounds: Sequence[Bound], gains: WhatIf | None
) -> None:
    """Print the stall stack, the bounds next to the run, and what other machines gain."""
    out = console()
    rows = table(f"where the cycles of {run.program} on {run.arch} go", 1, "", "cycles", "share")
    for part in stack:
        rows.add_row(part.heading, f"{part.cycles:,}", f"{part.cycles / run.wall_cycles:.1%}")
    rows.add_section()
    rows.add_row("run", f"{run.wall_cycles:,}", "100.0%")
    out.print(rows)
    rows = table("no shorter than", 1, "resource", "cycles", "of the run", "made of")
    rows.columns[-1].justify = "left"
    for bound in bounds:
        share = f"{bound.cycles / run.wall_cycles:.1%}"
        rows.add_row(bound.resource, f"{bound.cycles:,}", share, bound.explanation)
    out.print(rows)
    if gains is None:
        return
    rows = table(
        f"what if: {gains.region}, {gains.cycles:,} cycles here",
        2,
        *("change", "setting", "cycles", "gain", "how"),
    )
    for gain in gains.gains:
        if gain.cycles is None:
            rows.add_row(gain.change, gain.setting, "-", "-", gain.reason)
        else:
            change = f"{gain.cycles / gains.cycles - 1:+.1%}"
            rows.add_row(gain.change, gain.setting, f"{gain.cycles:,}", change, gain.method)
    out.print(rows)
    if gains.refusal:
        out.print(f"  by runs, not by re-timing: {gains.refusal}")
