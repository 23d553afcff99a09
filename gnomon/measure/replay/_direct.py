"""Direct runs: the calls of a trace in one C program, to measure the caller's instructions."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import prod
from pathlib import Path

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.learn import Call
from gnomon.measure.failures import check_finished
from gnomon.measure.kernels import FixedPoint, include_folders
from gnomon.measure.replay._price import embedded, price_call
from gnomon.program import build
from gnomon.sim import Region, RegionRun, simulate

_STACK_BYTES = 4096
_DATA_RESERVE_BYTES = 4096  # for static data of the kernels
_MAX_CYCLES = 20_000_000_000


@dataclass(frozen=True, slots=True)
class DirectRun:
    """Sequence of calls in one program, and the sum of the prices of the same calls.

    The program runs in two forms. In the first, each call is followed by a load that waits until
    its result is in memory, as in each price; the difference is the overhead of calling. The second
    has this load at the end only, so that a call may start during the last transfer of the previous
    call.
    """

    calls: int
    wall_cycles: int  # with the waits, from before the arguments of the first call to the end
    hart_cycles: int
    issued: int  # instructions
    unwaited_wall_cycles: int  # without the waits
    priced_wall_cycles: int  # sums over the prices of the calls
    priced_hart_cycles: int
    priced_issued: int

    @property
    def overhead_wall_cycles(self) -> float:
        """Wall cycles per call outside of prices: arguments and jump."""
        return (self.wall_cycles - self.priced_wall_cycles) / self.calls

    @property
    def overhead_hart_cycles(self) -> float:
        """Hart cycles per call outside of prices: arguments and jump."""
        return (self.hart_cycles - self.priced_hart_cycles) / self.calls

    @property
    def overhead_share(self) -> float:
        """Overhead as a share of the direct run, in wall cycles."""
        return (self.wall_cycles - self.priced_wall_cycles) / self.wall_cycles

    @property
    def unwaited_share(self) -> float:
        """Distance of the run without waits from the prices, as a share of this run."""
        return (self.unwaited_wall_cycles - self.priced_wall_cycles) / self.unwaited_wall_cycles

    def to_json(self) -> dict[str, float]:
        """Return the run as JSON-compatible data."""
        return asdict(self) | {
            "overhead_wall_cycles_per_call": self.overhead_wall_cycles,
            "overhead_hart_cycles_per_call": self.overhead_hart_cycles,
            "overhead_share": self.overhead_share,
            "unwaited_share": self.unwaited_share,
        }


def fitting(
    calls: Sequence[Call], architecture: Architecture, *, vector: bool = False
) -> list[Call]:
    """Return the longest prefix of the calls whose operands fit the data memory together."""
    room = int(architecture.memory.data.size) - _STACK_BYTES - _DATA_RESERVE_BYTES
    fit: list[Call] = []
    for call in calls:
        if _Source([*fit, call], vector=vector, seed=0).size_bytes > room:
            break
        fit.append(call)
    return fit


def run_direct(
    calls: Sequence[Call], architecture: Architecture, *, vector: bool = False, seed: int = 0
) -> DirectRun:
    """Build one program that makes the calls in order, run it, and price the same calls.

    Each distinct call has the operands of its price. All results go to one place, so that no call
    changes the operands of another.

    Raises:
        GnomonError: if there is no call, or the calls do not fit the machine.
        CheckFailed: if the program does not end.
    """
    if not calls:
        raise GnomonError("a direct run needs at least one call")
    prices = [price_call(call, architecture, vector=vector, seed=seed) for call in calls]
    source = _Source(calls, vector=vector, seed=seed)
    waited = _run(source, architecture, waits=True)
    return DirectRun(
        calls=len(calls),
        wall_cycles=waited.wall_cycles,
        hart_cycles=waited.hart_cycles,
        issued=waited.issued,
        unwaited_wall_cycles=_run(source, architecture, waits=False).wall_cycles,
        priced_wall_cycles=sum(price.wall_cycles for price in prices),
        priced_hart_cycles=sum(price.hart_cycles for price in prices),
        priced_issued=sum(price.issued for price in prices),
    )


def _run(source: _Source, architecture: Architecture, *, waits: bool) -> RegionRun:
    with tempfile.TemporaryDirectory(prefix="gnomon-") as folder:
        path = Path(folder) / "replay.c"
        path.write_text(source.text(waits=waits), encoding="utf-8")
        program = build(
            [path, *source.files],
            architecture,
            defines=FixedPoint().defines(),
            include=include_folders(),
            stack_size_bytes=_STACK_BYTES,
        )
    ends = [program.symbol(f"mark_replay_{name}").address for name in ("begin", "end")]
    region = Region("direct", *ends)
    run = simulate(program, architecture, max_cycles=_MAX_CYCLES, regions=[region])
    title = f"direct run of {len(source.calls)} call(s) on {architecture.name}"
    check_finished(title, run, program)
    (part,) = run.regions["direct"]
    return part


class _Source:
    """C code of a direct run."""

    def __init__(self, calls: Sequence[Call], *, vector: bool, seed: int) -> None:
        self.calls = calls
        self.seed = seed
        self.places = {call: embedded(call) for call in calls}
        sizes = self.places.values()
        self.variants = [kernel.best_for(vector=vector) for kernel, _ in sizes]
        self.files = list(dict.fromkeys(path for each in self.variants for path in each.sources))
        self.result_words = max(prod(kernel.result_shape(extents)) for kernel, extents in sizes)
        self.work_words = max(kernel.work_words(extents) for kernel, extents in sizes)

    @property
    def size_bytes(self) -> int:
        """Size of operands, result and workspace, in bytes."""
        operands = sum(
            prod(shape)
            for kernel, extents in self.places.values()
            for shape in kernel.operand_shapes(extents)
        )
        return 4 * (operands + self.result_words + self.work_words)

    def text(self, *, waits: bool) -> str:
        """Return the C file, with a wait after each call or after the last one only."""
        wait = "    (void)*(volatile fx_t *)replay_result;"  # as in measure.h
        data, prototypes, arguments = [], {}, {}
        for index, (call, (kernel, extents)) in enumerate(self.places.items()):
            variant = self.variants[index]
            operands = kernel.operands(FixedPoint(), extents, self.seed)
            pointers = []
            for number, operand in enumerate(operands):
                # -1 - x: C has no literal of this type for the smallest number
                words = ",".join(
                    str(x) if x >= 0 else f"-1 - {-1 - x}" for x in operand.reshape(-1).tolist()
                )
                pointers.append(f"operand_{index}_{number}")
                data.append(f"fx_t {pointers[-1]}[] = {{{words}}};")
            pointers.append("replay_result")
            if kernel.work_words(extents):
                pointers.append("replay_work")
            prototypes[variant.function] = kernel.prototype(variant)
            numbers = kernel.arguments(extents)
            words = ", ".join([*pointers, *(f"{number}u" for number in numbers)])
            arguments[call] = f"    {variant.function}({words});"
        return "\n".join(
            [
                '#include "fx.h"',
                '#include "gnomon.h"',
                *prototypes.values(),
                *data,
                f"fx_t replay_result[{self.result_words}];",
                f"fx_t replay_work[{max(self.work_words, 1)}];",
                "int main(int hart)",
                "{",
                "    (void)hart;",
                "    GNOMON_MARK(replay_begin);",
                *(arguments[call] + (f"\n{wait}" if waits else "") for call in self.calls),
                *([] if waits else [wait]),
                "    GNOMON_MARK(replay_end);",
                "    return 0;",
                "}",
                "",
            ]
        )
