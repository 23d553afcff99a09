"""Times in recordings: the timescale as a whole number of femtoseconds, windows with units."""

from __future__ import annotations

import re
from fractions import Fraction

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.units import Hertz  # noqa: TC001 - part of a public signature

FEMTOSECONDS_PER_SECOND = 10**15
UNITS_FS = {"s": 10**15, "ms": 10**12, "us": 10**9, "ns": 10**6, "ps": 10**3, "fs": 1}
_TIMESCALE = re.compile(r"(1|10|100)\s*(s|ms|us|ns|ps|fs)", re.ASCII)
_MOMENT = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,15})?)\s*([A-Za-zµ]+)")


def parse_timescale(text: str) -> int | None:
    """Femtoseconds of ``1 ns``, ``10ps`` …; None if it is not a timescale."""
    match = _TIMESCALE.fullmatch(text)
    return None if match is None else int(match[1]) * UNITS_FS[match[2]]


def format_timescale(timescale_fs: int) -> str:
    """``1 ns`` for a million femtoseconds."""
    unit, scale = next(pair for pair in UNITS_FS.items() if timescale_fs % pair[1] == 0)
    return f"{timescale_fs // scale} {unit}"


def parse_moment(option: str, text: str, clock: Hertz | None) -> Fraction:
    """Femtoseconds since the start of time of ``12.5 us`` or, with a clock, ``500 cycles``.

    Raises:
        GnomonError: no number with a unit, or cycles where no clock is known.
    """
    units = ", ".join((*UNITS_FS, "cycles"))
    match = _MOMENT.fullmatch(text.strip())
    if match is None:
        raise GnomonError(
            f"{option} needs a time and its unit, as in '10 us'; got {text!r} (units: {units})"
        )
    number, unit = match.groups()
    if unit == "cycles":
        if clock is None:
            raise GnomonError(f"{option} {text!r} needs a clock: give --arch or --clock")
        return Fraction(number) * FEMTOSECONDS_PER_SECOND / clock
    unit = "us" if unit == "µs" else unit
    if unit not in UNITS_FS:
        raise GnomonError(
            f"{option}: {unit!r} in {text!r} is not a unit of time (units: {units}"
            f"{did_you_mean(unit, (*UNITS_FS, 'cycles'))})"
        )
    return Fraction(number) * UNITS_FS[unit]
