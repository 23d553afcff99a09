"""Two runs side by side, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.report._terminal import console, table

if TYPE_CHECKING:
    from gnomon.diff import Difference, Issue

_SHOWN_CHANGES = 20
_SAID = {
    "instruction": "another instruction at the same pc",
    "path": "another way: pc or hart differ",
    "cycle": "the same instruction in another cycle",
    "end": "one of them has ended",
}


def print_diff(found: Difference) -> None:
    """Print where two runs part, what came before, and functions whose cycles changed."""
    out = console()
    before, after = found.cycles
    for sign, name, cycles in zip("-+", found.names, found.cycles, strict=True):
        out.print(f"{sign} {name}: {cycles:,} cycles")
    if found.kind is None:
        out.print("no difference: the same instructions in the same cycles")
        return
    out.print(f"  {after - before:+,} cycles\n")
    out.print(f"first difference: {_SAID[found.kind]}")
    for issue in found.before:
        out.print(f"    {_line(issue)}")
    for sign, each in zip("-+", found.first, strict=True):
        out.print(f"  {sign} {_line(each) if each else 'no issue any more'}")
    out.print()
    if not found.changes:
        out.print("no function takes more or fewer cycles in all")
        return
    rows = table("functions that changed, cycles of awake harts", 1,
                 *("function", "before", "after", "change"))  # fmt: skip
    for change in found.changes[:_SHOWN_CHANGES]:
        delta = change.after_cycles - change.before_cycles
        rows.add_row(
            change.function, f"{change.before_cycles:,}", f"{change.after_cycles:,}", f"{delta:+,}"
        )
    out.print(rows)
    if len(found.changes) > _SHOWN_CHANGES:
        out.print(f"  and {len(found.changes) - _SHOWN_CHANGES} more")


def _line(issue: Issue) -> str:
    return (
        f"cycle {issue.cycle:>12,}  hart {issue.hart}  {issue.pc:08x}  {issue.word:08x}"
        f"  {issue.disassembly}  ({issue.function})"
    )
