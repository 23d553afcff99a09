"""One figure of area: four counts of primitives, each with its interval, and where it is from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Resource = Literal["lut", "ff", "dsp", "bram"]
"""lut: look-up tables of 6 inputs; ff: flip-flops; dsp: multiplier blocks (DSP48); bram: memory
blocks of 36 Kbit, where half a block counts 0.5."""

RESOURCES: tuple[Resource, ...] = get_args(Resource)

Kind = Literal["published", "synthesised", "estimate"]
"""published: printed by others; synthesised: counted by a synthesis tool, not placed or routed;
estimate: neither, reasoned in the table."""

KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Interval:
    """A count, and what it may be: ``low <= value <= high``."""

    value: float
    low: float
    high: float

    def __add__(self, other: Interval) -> Interval:
        """Ends add up: nothing says that errors of parts cancel."""
        return Interval(self.value + other.value, self.low + other.low, self.high + other.high)

    def __mul__(self, count: float) -> Interval:
        """As many of them, all off in the same direction."""
        return Interval(self.value * count, self.low * count, self.high * count)

    def spread(self, low: float, high: float) -> Interval:
        """The same value with ends at ``low`` and ``high`` times it."""
        return Interval(self.value, self.value * low, self.value * high)

    def less(self, taken: float) -> Interval:
        """Without what is counted elsewhere; never below nothing."""
        return Interval(*(max(0.0, end - taken) for end in (self.value, self.low, self.high)))


@dataclass(frozen=True, slots=True)
class Resources:
    """Primitives of one part or machine."""

    lut: Interval
    ff: Interval
    dsp: Interval
    bram: Interval

    def __add__(self, other: Resources) -> Resources:
        """Resource by resource."""
        return Resources(*(self.of(name) + other.of(name) for name in RESOURCES))

    def __mul__(self, count: float) -> Resources:
        """Resource by resource."""
        return Resources(*(self.of(name) * count for name in RESOURCES))

    def of(self, resource: Resource) -> Interval:
        """One of the four."""
        found: Interval = getattr(self, resource)
        return found


_NOTHING = Interval(0, 0, 0)
NO_RESOURCES = Resources(_NOTHING, _NOTHING, _NOTHING, _NOTHING)


@dataclass(frozen=True, slots=True)
class Figure:
    """What one instance of a part takes.

    Attributes:
        name: the part, as the table spells it.
        kind: how the figure came to be.
        resources: of one instance.
        source: who says so, with tool and version where one was run.
        reasoning: the rule behind an estimate and behind the interval.
        origins: ``file:line`` of the rows that it was made from.
    """

    name: str
    kind: Kind
    resources: Resources
    source: str
    reasoning: str
    origins: tuple[str, ...]
