"""Activity for people, for spreadsheets and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from gnomon.base.console import console, table
from gnomon.base.frames import csv_text, frame
from gnomon.base.units import format_frequency
from gnomon.observe.trace._activity import STATES, Activity, by_instance, format_timescale
from gnomon.observe.trace._nets import measured_clock_hz

if TYPE_CHECKING:
    from gnomon.base.units import Hertz

By = Literal["instance", "signal"]
_MOST_ROWS = 40


def activity_rows(activity: Activity, by: By, clock: Hertz | None) -> list[dict[str, Any]]:
    """One row per instance or signal, in the order of the recording.

    Times are in timescale units, summed over bits: they add up to bits times the duration.
    ``toggles_per_cycle`` is there if a clock is known.
    """
    rows: list[dict[str, Any]] = []
    if by == "instance":
        for part in by_instance(activity):
            counts = {"signals": part.signals, "bits": part.bits, "toggles": part.toggles}
            rows.append(
                {"instance": part.instance, **counts, "toggles_with_below": part.toggles_with_below}
                | dict(zip(STATES, part.times, strict=True))
            )
    else:
        rows += [
            {"instance": signal.instance, "signal": signal.label, "bits": signal.width_bits}
            | {"aliases": signal.aliases, "toggles": activity.signal_toggles(signal)}
            | dict(zip(STATES, activity.signal_times(signal), strict=True))
            for signal in activity.signals
        ]
    if clock is not None:
        cycles = activity.cycles(clock)
        for row in rows:
            row["toggles_per_cycle"] = float(row["toggles"] / cycles)
    return rows


def activity_json(activity: Activity, by: By, clock: Hertz | None) -> dict[str, Any]:
    """The object that ``gnomon power activity --json`` prints."""
    measured = measured_clock_hz(activity)
    seen = activity.clock
    return activity.to_json() | {
        "clock_hz": None if clock is None else int(clock),
        "cycles": None if clock is None else float(activity.cycles(clock)),
        "clock_net": None if seen is None else seen.net,
        "clock_net_hz": None if measured is None else float(measured),
        f"by_{by}": activity_rows(activity, by, clock),
    }


def activity_csv(activity: Activity, by: By, clock: Hertz | None) -> bytes:
    """The same rows as CSV."""
    rows = activity_rows(activity, by, clock)
    return csv_text(frame(list(rows[0]), [list(row.values()) for row in rows])).encode()


def print_activity(activity: Activity, by: By, clock: Hertz | None) -> None:
    """The busiest rows first, then totals and what they leave out."""
    rows = sorted(activity_rows(activity, by, clock), key=lambda row: -row["toggles"])
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
        f"{activity.duration:,} x {format_timescale(activity.timescale_fs)}"
    )
    _print_clock(activity, clock)
    for what, count in activity.left_out.items():
        out.print(f"  left out: {count:,} {what}")


def _print_clock(activity: Activity, clock: Hertz | None) -> None:
    out = console()
    measured = measured_clock_hz(activity)
    if clock is not None:
        length = f"  {float(activity.cycles(clock)):,.6g} cycles of {format_frequency(clock)}"
        if activity.clock is None:
            out.print(f"{length}; the recording shows no clock: not checked (--clock-net)")
        else:
            out.print(f"{length}, as clock net {activity.clock.net} says")
    elif activity.clock is not None and measured is not None:
        out.print(f"  clock net {activity.clock.net}: {float(measured):,.6g} Hz")
