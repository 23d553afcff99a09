"""What a priced trace holds."""

from dataclasses import asdict, dataclass
from typing import Any

from gnomon.base.plain import attributes
from gnomon.bench.replay._direct import DirectRun
from gnomon.bench.replay._price import Price


@dataclass(frozen=True, slots=True)
class PricedCall:
    """A distinct call and how often it occurs."""

    price: Price
    count: int

    @property
    def wall_cycles(self) -> int:
        """Of all its occurrences."""
        return self.price.wall_cycles * self.count

    @property
    def hart_cycles(self) -> int:
        """Of all its occurrences."""
        return self.price.hart_cycles * self.count


@dataclass(frozen=True, slots=True)
class Stage:
    """Sums over the calls of one stage."""

    name: str
    calls: int
    wall_cycles: int
    hart_cycles: int


@dataclass(frozen=True, slots=True)
class OtherOperands:
    """A kernel whose cycles depend on its operands, at the largest price it has in a trace."""

    price: Price
    other_seed: int
    other_wall_cycles: int


@dataclass(frozen=True, slots=True)
class Replay:
    """A trace, priced.

    Attributes:
        arch: name of the machine.
        clock_hz: of the machine.
        vector: whether kernels run on the vector unit where they have a variant for it.
        seed: of the operands.
        rows: distinct calls, in order of first occurrence.
        stages: in order of first occurrence.
        operand_dependent: kernels that took other cycles with the operands of another seed.
        direct: the first distinct calls in one program; None if not asked for, or not one fits.
    """

    arch: str
    clock_hz: int
    vector: bool
    seed: int
    rows: tuple[PricedCall, ...]
    stages: tuple[Stage, ...]
    operand_dependent: tuple[OtherOperands, ...]
    direct: DirectRun | None

    @property
    def calls(self) -> int:
        """How many calls the trace has."""
        return sum(row.count for row in self.rows)

    @property
    def wall_cycles(self) -> int:
        """Sum over all calls, without the overhead of calling."""
        return sum(row.wall_cycles for row in self.rows)

    @property
    def hart_cycles(self) -> int:
        """Sum over all calls, without the overhead of calling."""
        return sum(row.hart_cycles for row in self.rows)

    @property
    def time_us(self) -> float:
        """Wall cycles at the clock of the machine, in microseconds."""
        return self.wall_cycles * 1e6 / self.clock_hz

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        names = "arch clock_hz seed calls wall_cycles hart_cycles time_us direct"
        return attributes(self, names) | {
            "variant": "vector" if self.vector else "scalar",
            "stages": [
                {"stage" if key == "name" else key: value for key, value in asdict(each).items()}
                for each in self.stages
            ],
            "distinct": [_row_json(row) for row in self.rows],
            "operand_dependent": [
                attributes(other.price, "kernel extents wall_cycles")
                | attributes(other, "other_seed other_wall_cycles")
                for other in self.operand_dependent
            ],
        }


def _row_json(row: PricedCall) -> dict[str, Any]:
    each = attributes(row.price, "wall_cycles hart_cycles")
    return (
        attributes(row.price, "call")
        | attributes(row, "count")
        | attributes(row.price, "kernel variant function extents")
        | {f"{name}_each": cycles for name, cycles in each.items()}
        | attributes(row, "wall_cycles hart_cycles")
    )
