"""Selected part of a recording: instances by ``--scope``, a time window, and the clock."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import NoReturn

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.units import Hertz
from gnomon.observe.trace._activity import (
    FEMTOSECONDS_PER_SECOND,
    UNITS_FS,
    parse_timescale,
    path_of,
)

_MOST_NAMES = 8
_MOMENT = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,15})?)\s*([A-Za-zµ]+)")
_CLOCK_NAMES = ("clk", "clk_i", "clock", "clock_i")
"""Names, in lower case, of nets that are recognized as the clock."""

Scope = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Selection:
    """The part of a recording that is counted."""

    # A part between slashes is a name, or a pattern with `*` and `?` for one name.
    scope: str | None = None
    from_fs: Fraction | None = None  # in femtoseconds since time 0
    to_fs: Fraction | None = None
    clock_net: str | None = None
    find_clock: bool = False
    timescale_fs: int = 0  # of a recording that states none

    @property
    def whole(self) -> bool:
        """Whether the whole time is counted."""
        return self.from_fs is None and self.to_fs is None

    def takes(self, scope: Scope) -> bool:
        """Return whether nets of this instance are counted."""
        if self.scope is None:
            return True
        parts = self.scope.strip("/").split("/")
        # Compare literally first: brackets of generated instances are then not a pattern.
        return len(scope) >= len(parts) and all(
            name == part or fnmatchcase(name, part)
            for name, part in zip(scope, parts, strict=False)
        )

    def refuse(self, file: str, scopes: Iterable[Scope]) -> GnomonError:
        """Return the error for a scope that selects no net."""
        paths = list(dict.fromkeys(path_of(scope) for scope in scopes if scope))
        shown = ", ".join(paths[:_MOST_NAMES])
        more = f" and {len(paths) - _MOST_NAMES} more" if len(paths) > _MOST_NAMES else ""
        nearest = did_you_mean(self.scope or "", paths)
        return GnomonError(
            f"{file}: no instance with nets matches --scope {self.scope!r}; the file has: "
            f"{shown or 'none'}{more}{nearest}"
        )

    def find_clock_net(
        self, file: str, nets: Iterable[tuple[Scope, str, int]], *, what: str = "net"
    ) -> tuple[str, int] | None:
        """Return the path and number of the clock net; None if there is not exactly one candidate.

        Args:
            file: name of the recording, for messages.
            nets: instance, name and number of each candidate.
            what: kind of candidates, for messages.

        Raises:
            GnomonError: if no net has the path that the user states.
        """
        if self.clock_net:
            paths = {
                path_of((*scope, name)): number for scope, name, number in reversed(list(nets))
            }
            key = self.clock_net.strip("/")
            if key not in paths:
                raise GnomonError(
                    f"{file}: --clock-net {self.clock_net!r}: the recording has no such {what}"
                    f"{did_you_mean(key, sorted(paths))}"
                )
            return key, paths[key]
        found = [each for each in nets if each[1].lower() in _CLOCK_NAMES]
        least = min((len(scope) for scope, _, _ in found), default=0)
        nearest = {path_of((*s, name)): number for s, name, number in found if len(s) == least}
        return nearest.popitem() if len(nearest) == 1 else None


EVERYTHING = Selection()


def parse_selection(
    scope: str | None,
    from_: str | None,
    to: str | None,
    clock: Hertz | None,
    clock_net: str | None,
    timescale: str | None = None,
) -> Selection:
    """Return the selection, see ``read_activity``; with a clock, its net is searched for.

    Raises:
        GnomonError: if a time lacks its number or unit, is in cycles without a clock, or
            ``timescale`` is not a timescale.
    """

    def fail(why: str) -> NoReturn:
        raise GnomonError(f"--timescale: {why}")

    unit = 0 if timescale is None else parse_timescale(timescale.strip(), fail)
    span = _parse_moment("--from", from_, clock), _parse_moment("--to", to, clock)
    return Selection(scope, *span, clock_net, find_clock=clock is not None, timescale_fs=unit)


def _parse_moment(option: str, text: str | None, clock: Hertz | None) -> Fraction | None:
    """Return the moment that an option states, in femtoseconds."""
    if text is None:
        return None
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
