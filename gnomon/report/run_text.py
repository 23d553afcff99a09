"""A run as human-readable tables: its end, its cycles by cause, and its bounds."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from gnomon.base.console import console, table
from gnomon.base.errors import visible
from gnomon.base.units import microseconds
from gnomon.cost.energy import OptionalEnergy
from gnomon.isa import disassemble
from gnomon.program import NO_FUNCTION

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.base.console import Table
    from gnomon.observe.profile import RunProfile
    from gnomon.observe.why import StallAnalysis
    from gnomon.sim import Run

_SHOWN_WORDS = 16


def print_run(run: Run, architecture: Architecture, *, operands: str | None = None) -> None:
    """Print a run: its end, its harts, its cycles by cause, the program's output, warnings.

    The energy is included if the machine names a power table; ``operands`` are assumed values.
    """
    out = console()
    if run.console:
        sys.stdout.write(visible(run.console) + "\n" * (not run.console.endswith("\n")))
    out.print(_summary(run, architecture, operands))
    out.print(_harts(run))
    out.print(_causes(run))
    if run.vector_work:
        out.print(_vector(run))
    if run.devices:
        out.print(_devices(run))
    for warning in run.warnings:
        out.print(f"warning: {warning}")


def _summary(run: Run, architecture: Architecture, operands: str | None) -> Table:
    rows = table(f"{run.program} on {run.arch}", 2, "", "")
    rows.show_header = False
    rows.add_row("halted", run.halted)
    code = "none" if run.exit_code is None else f"{run.exit_code} (0x{run.exit_code:08X})"
    rows.add_row("exit code", code)
    rows.add_row("cycles", f"{run.wall_cycles:,}")
    micros = microseconds(run.wall_cycles, architecture.clock)
    rows.add_row("time", f"{micros:,.2f} µs at {architecture.clock / 1e6:g} MHz")
    if architecture.power is not None:
        rows.add_row(
            "energy", OptionalEnergy.from_work(run.work, architecture, data=operands).line()
        )
    if run.printed:
        words = [f"0x{word:08X}" for word in run.printed[:_SHOWN_WORDS]]
        if len(run.printed) > _SHOWN_WORDS:
            words.append(f"... ({len(run.printed) - _SHOWN_WORDS} more)")
        rows.add_row("printed", " ".join(words))
    return rows


def _sleeps_in_slots(run: Run) -> bool:
    """Return whether a sleeping hart keeps its issue slots; an in-order core issues nothing."""
    return run.architecture.core.model == "t13"


def _harts(run: Run) -> Table:
    heads = ("hart", "issued", "retired", "vector retries", "asleep, slots", "hart cycles", "CPI")
    title = "harts (CPI: cycles of the run per instruction retired, of harts that never slept)"
    rows = table(title, 1, *heads)
    for number, hart in enumerate(run.harts):
        asleep = run.counters.get(f"hart{number}.parked", 0)
        awake = hart.retired - (asleep if _sleeps_in_slots(run) else 0)
        rows.add_row(
            *(number, hart.issued, awake, hart.vcu_retries, asleep, hart.hart_cycles),
            f"{run.wall_cycles / awake:.2f}" if awake and not asleep else "-",
        )
    return rows


def _causes(run: Run) -> Table:
    """Return a table of causes (rows) and harts (columns) with each cycle in exactly one cell."""
    harts = range(len(run.harts))
    rows = table("cycles by cause", 1, "cause", *(f"hart {hart}" for hart in harts), "all", "share")
    names = dict.fromkeys(name.partition(".")[2] or name for name in run.counters)
    sums = [0] * len(run.harts)
    total, whole = 0, run.wall_cycles or 1  # 0 cycles if the first instruction does not run
    # Sorted by kind, so that a cause is at the same place for all programs.
    for name in sorted(names):
        parts = [run.counters.get(f"hart{hart}.{name}", 0) for hart in harts]
        everywhere = sum(parts) + run.counters.get(name, 0)
        sums = [a + b for a, b in zip(sums, parts, strict=True)]
        total += everywhere
        rows.add_row(name, *_cells([*parts, everywhere]), f"{everywhere / whole:.1%}")
    rows.add_section()
    rows.add_row("total", *_cells([*sums, total]), f"{total / whole:.1%}")
    return rows


def _vector(run: Run) -> Table:
    heads = ("hart", "instruction", "issued", "beats", "bytes", "busy cycles")
    rows = table("vector unit and transfers", 2, *heads)
    for work in run.vector_work:
        numbers = (work.issued, work.beats, work.size_bytes, work.busy_cycles)
        rows.add_row(work.hart, work.mnemonic, *_cells(numbers))
    return rows


def _devices(run: Run) -> Table:
    rows = table("devices", 2, "device", "kind", "reads", "writes", "reports")
    for name, each in run.devices.items():
        reports = ", ".join(f"{key} {value}" for key, value in each.results.items())
        rows.add_row(name, each.kind, *_cells((each.reads, each.writes)), visible(reports))
    return rows


def _cells(values: list[int] | tuple[int, ...]) -> list[str]:
    return [f"{value:,}" if value else "-" for value in values]


_SHOWN_ROWS = 10
_OF_AWAKE = "of awake cycles"
"""Head of a column: shares of the cycles of harts that do not sleep, all of them together."""
_SHOWN_INSTRUCTIONS = 20
_FJ_PER_UJ = 1e9


def print_profile(profile: RunProfile) -> None:
    """Print the cycles of awake harts by function, line and instruction.

    Shares refer to the cycles of harts that do not sleep, because the slots of a sleeping hart
    carry no information on the program. An instruction's cycles are its execute cycles and its
    waits in decode, of all harts together.
    """
    functions = profile.by_function()
    awake = sum(row.cycles for row in functions) or 1
    asleep = sum(row.parked_cycles for row in functions)
    out = console()
    _print_rows(profile, "function", awake)
    slots = "slots of\n  sleeping harts" if _sleeps_in_slots(profile.run) else "cycles\n  asleep"
    out.print(
        f"  in execute or held in decode, all awake harts: {awake:,} cycles. With {asleep:,}"
        f" {slots} and {profile.boot_cycles} cycles before the first issue they are"
        f" the {profile.run.wall_cycles:,} of the run\n"
    )
    library = profile.by_library()
    if library:
        shown = table("of these in library code", 1, "what it computes", "cycles", _OF_AWAKE)
        for kind, cycles in library.items():
            shown.add_row(kind, cycles, f"{cycles / awake:.1%}")
        out.print(shown)
    if any(profile.lines):
        _print_rows(profile, "line", awake)
    _print_instructions(profile, awake)
    if profile.energy_fj is None:
        out.print(f"  no energy: {profile.energy_reason}")
    calls = profile.run.calls
    if calls is not None:
        for each in calls.stacks:
            until = ", before the program switched to another stack" if each.switched else ""
            out.print(
                f"  hart {each.hart}: peak stack {each.peak_bytes:,} bytes, in"
                f" {each.function}{until}"
            )
        if calls.too_deep:
            out.print(f"  {calls.too_deep:,} calls were too deep for their call paths to be kept")


def _print_rows(profile: RunProfile, what: str, awake: int) -> None:
    columns = ("cycles", _OF_AWAKE, "issue", "execute", "waits", "retries", "energy, µJ")
    of_lines = what == "line"
    shown = table(f"hottest {'source ' * of_lines}{what}s", 1, what, *columns)
    rows = profile.by_line() if of_lines else profile.by_function()
    unknown = NO_FUNCTION if of_lines else None
    for row in [each for each in rows if each.name != unknown][:_SHOWN_ROWS]:
        waits = sum(n for name, n in row.parts.items() if name.startswith("wait."))
        execute = row.parts.get("execute", 0) + row.parts.get("trap", 0)
        numbers = (row.issued, execute, waits, row.parts.get("retry.vcu", 0))
        energy = "-" if row.energy_fj is None else f"{row.energy_fj / _FJ_PER_UJ:,.4g}"
        share = f"{row.cycles / awake:.1%}"
        shown.add_row(row.name, row.cycles, share, *_cells(numbers), energy)
    console().print(shown)


def _print_instructions(profile: RunProfile, awake: int) -> None:
    heads = ("pc", "function", "instruction", "issued", "cycles", "each", _OF_AWAKE)
    lines = table("hottest instructions", 3, *heads)
    place = {address: k for k, address in enumerate(profile.addresses)}
    units = profile.run.architecture.unit_rows
    for row in profile.by_instruction()[:_SHOWN_INSTRUCTIONS]:
        if not row.cycles:
            continue
        k = place[int(row.name, 16)]
        slots = row.issued + row.parts.get("retry.vcu", 0)
        lines.add_row(
            *(row.name, profile.functions[k]),
            disassemble(profile.words[k], profile.addresses[k], units=units),
            *(row.issued, row.cycles, f"{row.cycles / max(slots, 1):.1f}"),
            f"{row.cycles / awake:.1%}",
        )
    console().print(lines)


def print_why(why: StallAnalysis) -> None:
    """Print the stall stack, the bounds next to the run, and the gains of other machines."""
    out, run, gains = console(), why.run, why.gains
    title = f"where the cycles of the whole run go: {run.program} on {run.arch}"
    rows = table(title, 1, "", "cycles", "share")
    for part in why.stack:
        rows.add_row(part.heading, part.cycles, f"{part.cycles / run.wall_cycles:.1%}")
    rows.add_section()
    rows.add_row("run", run.wall_cycles, "100.0%")
    out.print(rows)
    if why.ends:
        out.print(why.ends)
    out.print(f"{why.limit}\n")
    rows = table("no shorter than", 1, "resource", "cycles", "of the run", "made of")
    rows.columns[-1].justify = "left"
    for bound in why.bounds:
        share = f"{bound.cycles / run.wall_cycles:.1%}"
        rows.add_row(bound.resource, bound.cycles, share, bound.explanation)
    out.print(rows)
    if gains is None:
        return
    which = f"hart {gains.hart}"
    if len(gains.harts) > 1:
        which = f"harts {', '.join(map(str, gains.harts))}, first entry to last exit"
    title = f"what if: {gains.region} on {which}, {gains.cycles:,} wall cycles here"
    if not gains.gains:
        out.print(f"{title}; of a machine without divider keys and vector unit, no other is tried")
        return
    rows = table(title, 2, "change", "setting", "cycles", "saves", "how")
    for gain in gains.gains:
        if gain.cycles is None:
            rows.add_row(gain.change, gain.setting, "-", "-", gain.reason)
        else:
            change = f"{1 - gain.cycles / gains.cycles:+.1%}"
            rows.add_row(gain.change, gain.setting, gain.cycles, change, gain.method)
    out.print(rows)
    if gains.refusal:
        out.print(f"  by runs, not by re-timing: {gains.refusal}")
