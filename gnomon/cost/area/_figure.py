"""One figure of area: four counts of primitives, each with its interval, and where it is from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from gnomon.base.interval import Interval

Resource = Literal["lut", "ff", "dsp", "bram"]
"""lut: look-up tables of 6 inputs; ff: flip-flops; dsp: multiplier blocks (DSP48); bram: memory
blocks of 36 Kbit, where half a block counts 0.5."""

RESOURCES: tuple[Resource, ...] = get_args(Resource)

Kind = Literal["published", "synthesised", "estimate"]
"""published: printed by others; synthesised: counted by a synthesis tool, not placed or routed;
estimate: neither, reasoned in the table."""

KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Resources:
    """Primitives of one part or machine; the unit of each is its name in capitals."""

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


NO_RESOURCES = Resources(*(Interval(0, 0, 0, name.upper()) for name in RESOURCES))


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
