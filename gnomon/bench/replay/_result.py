"""What a priced trace holds, and as tables for people."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from gnomon.base.console import console, table
from gnomon.bench.replay._direct import DirectRun
from gnomon.bench.replay._price import Price

_MOST_ROWS = 24


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
        return {
            "arch": self.arch,
            "clock_hz": self.clock_hz,
            "variant": "vector" if self.vector else "scalar",
            "seed": self.seed,
            "calls": self.calls,
            "wall_cycles": self.wall_cycles,
            "hart_cycles": self.hart_cycles,
            "time_us": self.time_us,
            "stages": [
                {"stage" if key == "name" else key: value for key, value in asdict(each).items()}
                for each in self.stages
            ],
            "distinct": [_row_json(row) for row in self.rows],
            "operand_dependent": [
                {
                    "kernel": other.price.kernel,
                    "extents": list(other.price.extents),
                    "wall_cycles": other.price.wall_cycles,
                    "other_seed": other.other_seed,
                    "other_wall_cycles": other.other_wall_cycles,
                }
                for other in self.operand_dependent
            ],
            "direct": None if self.direct is None else self.direct.to_json(),
        }


def _row_json(row: PricedCall) -> dict[str, Any]:
    price = row.price
    return {
        "call": {"kernel": price.call.kernel, "shape": list(price.call.shape)},
        "count": row.count,
        "kernel": price.kernel,
        "variant": price.variant,
        "function": price.function,
        "extents": list(price.extents),
        "wall_cycles_each": price.wall_cycles,
        "hart_cycles_each": price.hart_cycles,
        "wall_cycles": row.wall_cycles,
        "hart_cycles": row.hart_cycles,
    }


def print_replay(title: str, replay: Replay) -> None:
    """Print the most expensive calls first, then stages, totals and what they leave out."""
    out = console()
    rows = table(
        f"{title} on {replay.arch}",
        2,
        *("call", "embedded kernel", "calls", "wall cycles each", "wall cycles"),
        *("hart cycles", "share, %"),
    )
    ordered = sorted(replay.rows, key=lambda row: -row.wall_cycles)
    for row in ordered[:_MOST_ROWS]:
        price = row.price
        size = "x".join(map(str, price.extents))
        rows.add_row(
            *(str(price.call), f"{price.kernel} {size}, {price.variant}", row.count),
            *(price.wall_cycles, row.wall_cycles, row.hart_cycles),
            f"{100 * row.wall_cycles / replay.wall_cycles:.1f}",
        )
    out.print(rows)
    rest = ordered[_MOST_ROWS:]
    if rest:
        out.print(
            f"  and {len(rest)} more distinct calls: {sum(row.wall_cycles for row in rest):,}"
            " wall cycles (all of them with --json)"
        )
    for stage in replay.stages:
        name = stage.name or "(no stage)"
        out.print(
            f"  {name}: {stage.calls:,} calls, {stage.wall_cycles:,} wall cycles,"
            f" {stage.hart_cycles:,} hart cycles"
        )
    out.print(
        f"  total: {replay.calls:,} calls, {replay.wall_cycles:,} wall cycles,"
        f" {replay.hart_cycles:,} hart cycles, {replay.time_us:,.2f} µs"
    )
    if replay.vector:
        scalar = sorted({row.price.kernel for row in replay.rows if not row.price.vector})
        if scalar:
            out.print(f"  without a vector variant, so scalar: {', '.join(scalar)}")
    _print_direct(replay)
    out.print(f"  operands: random, seed {replay.seed}, in the range of each kernel")
    for other in replay.operand_dependent:
        out.print(
            f"  {other.price.call} depends on its operands: {other.price.wall_cycles:,} wall"
            f" cycles, {other.other_wall_cycles:,} with seed {other.other_seed}"
        )


def _print_direct(replay: Replay) -> None:
    direct = replay.direct
    if direct is None:
        console().print("  call overhead: not measured; totals leave it out")
        return
    share, unwaited = (100 * part for part in (direct.overhead_share, direct.unwaited_share))
    console().print(
        f"  call overhead: {direct.overhead_wall_cycles:+.1f} wall cycles per call, left out of the"
        f" totals\n    ({direct.calls} distinct call(s) in one program: {direct.wall_cycles:,} wall"
        f" cycles; their prices: {direct.priced_wall_cycles:,}; {share:+.2f} %)\n"
        f"    without waiting for results in between: {direct.unwaited_wall_cycles:,} wall cycles"
        f" ({unwaited:+.2f} % against the prices)"
    )
