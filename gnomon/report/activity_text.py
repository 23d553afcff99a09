"""Switching activity as human-readable tables."""

from gnomon.base.console import console, table
from gnomon.base.units import Hertz, format_frequency
from gnomon.observe.trace import NetActivity

_MOST_ROWS = 40


def print_activity(activity: NetActivity, by: str, clock: Hertz | None) -> None:
    """Print the busiest rows first, then totals and the toggles that they exclude."""
    rows = sorted(activity.rows(by, clock), key=lambda row: -row["toggles"])
    out = console()
    names = ("instance",) if by == "instance" else ("instance", "signal")
    numbers = ["bits", "toggles"] + (["toggles_with_below"] if by == "instance" else [])
    heads = ["bits", "toggles"] + (["with those below"] if by == "instance" else [])
    shown = table(
        f"{activity.source}: toggles by {by}",
        len(names),
        *(*names, *heads, *(("per cycle",) if clock else ()), "unknown, % of time"),
    )
    for row in rows[:_MOST_ROWS]:
        whole = row["bits"] * activity.duration
        unknown = f"{100 * (row['tx'] + row['tz'] + row['tb']) / whole:.1f}" if whole else ""
        per_cycle = (f"{row['toggles_per_cycle']:.4g}",) if clock else ()
        shown.add_row(
            *(row[name] or "(outermost)" for name in names),
            *(f"{row[name]:,}" for name in numbers),
            *per_cycle,
            unknown,
        )
    out.print(shown)
    if len(rows) > _MOST_ROWS:
        out.print(f"  and {len(rows) - _MOST_ROWS:,} more rows (all of them with --json or -o)")
    out.print(
        f"  total: {int(activity.toggles.sum()):,} toggles of {len(activity.toggles):,} bits in "
        f"{activity.duration:,} x {activity.timescale}"
    )
    _print_clock(activity, clock)
    if activity.of_ports:
        out.print("  of ports, as the file lists no nets; a net between instances counts in each")
    for what, count in activity.left_out.items():
        out.print(f"  left out: {count:,} {what}")


def _print_clock(activity: NetActivity, clock: Hertz | None) -> None:
    out = console()
    measured = activity.clock_hz
    if clock is not None:
        length = f"  {float(activity.cycles(clock)):,.6g} cycles of {format_frequency(clock)}"
        if activity.clock is None:
            out.print(f"{length}; the recording shows no clock: not checked (--clock-net)")
        else:
            out.print(f"{length}, as clock net {activity.clock.net} says")
    elif activity.clock is not None and measured is not None:
        out.print(f"  clock net {activity.clock.net}: {float(measured):,.6g} Hz")
