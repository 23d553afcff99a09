"""Which nets of a recording a user means: instances by ``--scope``, and the clock.

Activity per second is toggles over time: a recording of another clock scales every power figure
silently. So the two are compared wherever the recording shows its clock.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from fractions import Fraction
from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.units import format_frequency
from gnomon.observe.trace._activity import FEMTOSECONDS_PER_SECOND, path_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gnomon.base.units import Hertz
    from gnomon.observe.trace._activity import Activity


_MOST_NAMES = 8

Scope = tuple[str, ...]


class ScopeFilter:
    """A path of patterns; it selects an instance and everything below it.

    Each part between slashes is a name, or a pattern with ``*`` and ``?`` for one name.
    """

    def __init__(self, pattern: str | None) -> None:
        self.pattern = pattern
        self._parts = [] if pattern is None else pattern.strip("/").split("/")

    def __contains__(self, scope: Scope) -> bool:
        if len(scope) < len(self._parts):
            return False
        # A literal name first: the brackets of generated instances are no pattern then.
        return all(
            name == part or fnmatchcase(name, part)
            for name, part in zip(scope, self._parts, strict=False)
        )

    def refuse(self, file: str, scopes: Iterable[Scope]) -> GnomonError:
        """The error for a pattern that selects nothing."""
        paths = list(dict.fromkeys(path_of(scope) for scope in scopes if scope))
        shown = ", ".join(paths[:_MOST_NAMES])
        more = f" and {len(paths) - _MOST_NAMES} more" if len(paths) > _MOST_NAMES else ""
        nearest = did_you_mean(self.pattern or "", paths)
        return GnomonError(
            f"{file}: no instance with nets matches --scope {self.pattern!r}; the file has: "
            f"{shown or 'none'}{more}{nearest}"
        )


CLOCK_NAMES = ("clk", "clk_i", "clock", "clock_i")
"""Names, in lower case, that a net must have to be taken for the clock without being named."""

TOLERANCE = Fraction(1, 1000)
"""Test benches round half periods to their timescale: 150 MHz becomes 6666 or 6668 ps."""


def find_clock(
    file: str, nets: Iterable[tuple[Scope, str, int]], named: str | None, *, what: str = "net"
) -> tuple[str, int] | None:
    """The net that is the clock, as its path and the number that comes with it.

    Args:
        file: for messages.
        nets: instance, name and a number of each net that may be it.
        named: its path; None: the outermost net named like a clock, if it is the only one there.
        what: nets are that can be named.

    Raises:
        GnomonError: no net has the path.
    """
    if named is not None:
        paths = {path_of((*scope, name)): number for scope, name, number in reversed(list(nets))}
        key = named.strip("/")
        if key not in paths:
            raise GnomonError(
                f"{file}: --clock-net {named!r} is no {what} of the recording"
                f"{did_you_mean(key, sorted(paths))}"
            )
        return key, paths[key]
    found = [each for each in nets if each[1].lower() in CLOCK_NAMES]
    least = min((len(scope) for scope, _, _ in found), default=0)
    nearest = {path_of((*s, name)): number for s, name, number in found if len(s) == least}
    return nearest.popitem() if len(nearest) == 1 else None


def measured_clock_hz(activity: Activity) -> Fraction | None:
    """The clock as the recording shows it, or None."""
    if activity.clock is None or not activity.clock.period_units:
        return None
    return FEMTOSECONDS_PER_SECOND / (activity.clock.period_units * activity.timescale_fs)


def check_clock(
    activity: Activity, clock: Hertz, whose: str, cycles: int | None = None
) -> Fraction | None:
    """Compare the recording's clock with the one it is to be told for.

    Args:
        activity: with the clock it has seen.
        clock: the clock expected.
        whose: where that is from, such as ``t13-simd4``.
        cycles: length of the recording in cycles, if the user knows it.

    Returns:
        The clock of the recording in Hz; None if it shows none.

    Raises:
        GnomonError: they differ, or the clock net never or hardly moves.
    """
    if cycles is not None:
        told = Fraction(cycles) / activity.duration_seconds
        what = f"{activity.source}: its duration over {cycles} cycles"
        _compare(what, told, TOLERANCE, clock, whose)
    seen = activity.clock
    if seen is None:
        return None
    measured = measured_clock_hz(activity)
    if measured is None:
        raise GnomonError(
            f"{activity.source}: clock net {seen.net} has {seen.toggles} toggles, too few to tell "
            f"its period; name another with --clock-net"
        )
    # Totals do not tell where the first edge is; edges are rounded to a timescale unit.
    slack = TOLERANCE + (0 if seen.exact_edges else Fraction(1, seen.toggles))
    _compare(f"{activity.source}: clock net {seen.net}", measured, slack, clock, whose)
    return measured


def _compare(what: str, measured: Fraction, slack: Fraction, clock: Hertz, whose: str) -> None:
    if abs(measured / clock - 1) <= slack:
        return
    raise GnomonError(
        f"{what} says {_shown(measured)}, {whose} says {format_frequency(clock)}: "
        "activity of one clock must not be told for another"
    )


def _shown(clock_hz: Fraction) -> str:
    """A measured clock: exact if it is whole, else to four digits."""
    if clock_hz.denominator == 1:
        return format_frequency(int(clock_hz))
    for unit, scale in (("GHz", 10**9), ("MHz", 10**6), ("kHz", 10**3)):
        if clock_hz >= scale:
            return f"{float(clock_hz / scale):.5g} {unit}"
    return f"{float(clock_hz):.5g} Hz"
