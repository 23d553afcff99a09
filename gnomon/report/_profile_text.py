"""The hottest functions, lines and instructions of a run, and its deepest stack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.console import console, table
from gnomon.isa import disassemble
from gnomon.sim import NO_FUNCTION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.observe.profile import ProfileRow, RunProfile

_SHOWN_FUNCTIONS = 10
_SHOWN_LINES = 10
_SHOWN_INSTRUCTIONS = 20
_FJ_PER_UJ = 1e9


def print_profile(profile: RunProfile) -> None:
    """Print where the awake harts spent their cycles.

    Shares are of the cycles of harts that do not sleep: a sleeping hart keeps its slots, and those
    say nothing about the program. An instruction's cycles are its stay in execute and its waits in
    decode, all harts together.
    """
    functions = profile.by_function()
    awake = sum(row.cycles for row in functions) or 1
    asleep = sum(row.parked_cycles for row in functions)
    out = console()
    _print_rows("hottest functions", "function", functions[:_SHOWN_FUNCTIONS], awake)
    out.print(
        f"  in execute or held in decode, all awake harts: {awake:,} cycles. With {asleep:,} slots"
        f" of\n  sleeping harts and {profile.boot_cycles} cycles before the first issue they are"
        f" the {profile.run.wall_cycles:,} of the run\n"
    )
    lines = [row for row in profile.by_line() if row.name != NO_FUNCTION]
    if lines:
        _print_rows("hottest source lines", "line", lines[:_SHOWN_LINES], awake)
    _print_instructions(profile, awake)
    if profile.energy_fj is None:
        out.print(f"  no energy: {profile.energy_reason}")
    calls = profile.run.calls
    if calls is not None:
        for stack in calls.stacks:
            out.print(
                f"  hart {stack.hart}: peak stack {stack.peak_bytes:,} bytes, in {stack.function}"
            )
        if calls.too_deep:
            out.print(f"  {calls.too_deep:,} calls were too deep for their call paths to be kept")


def _print_rows(title: str, what: str, rows: Sequence[ProfileRow], awake: int) -> None:
    columns = ("cycles", "share", "issue", "execute", "waits", "retries", "energy, µJ")
    shown = table(title, 1, what, *columns)
    for row in rows:
        waits = sum(n for name, n in row.parts.items() if name.startswith("wait."))
        execute = row.parts.get("execute", 0) + row.parts.get("trap", 0)
        numbers = (row.issued, execute, waits, row.parts.get("retry.vcu", 0))
        energy = "-" if row.energy_fj is None else f"{row.energy_fj / _FJ_PER_UJ:,.4g}"
        shown.add_row(
            row.name,
            f"{row.cycles:,}",
            f"{row.cycles / awake:.1%}",
            *(f"{number:,}" if number else "-" for number in numbers),
            energy,
        )
    console().print(shown)


def _print_instructions(profile: RunProfile, awake: int) -> None:
    lines = table(
        "hottest instructions",
        3,
        *("pc", "function", "instruction", "issued", "cycles", "each", "share"),
    )
    place = {address: k for k, address in enumerate(profile.addresses)}
    for row in profile.by_instruction()[:_SHOWN_INSTRUCTIONS]:
        if not row.cycles:
            continue
        k = place[int(row.name, 16)]
        slots = row.issued + row.parts.get("retry.vcu", 0)
        lines.add_row(
            *(row.name, profile.functions[k]),
            disassemble(profile.words[k], profile.addresses[k]),
            *(f"{row.issued:,}", f"{row.cycles:,}", f"{row.cycles / max(slots, 1):.1f}"),
            f"{row.cycles / awake:.1%}",
        )
    console().print(lines)
