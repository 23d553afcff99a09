"""Price of a trace: each distinct call is run once and multiplied by its count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from gnomon.arch import Architecture
from gnomon.base.errors import CheckFailed, GnomonError, require_known
from gnomon.base.progress import Steps
from gnomon.base.units import microseconds
from gnomon.base.values import json_attributes
from gnomon.learn import Call, Outside, Trace
from gnomon.measure.kernels import KernelRun, find_kernel
from gnomon.measure.replay._direct import DirectRun, fitting, run_direct
from gnomon.measure.replay._price import CallError, embedded, is_embedded, price_call

DIRECT_CALLS = 32
"""Number of distinct calls in the program that measures the overhead of a call."""


@dataclass(frozen=True, slots=True)
class PricedCall:
    """A distinct call, the run of its kernel, and how often it occurs."""

    call: Call
    run: KernelRun
    count: int

    @property
    def vector(self) -> bool:
        """Whether it uses the vector unit."""
        return find_kernel(self.run.kernel).variant(self.run.variant).vector

    @property
    def wall_cycles(self) -> int:
        """Wall cycles of all its occurrences."""
        return self.run.wall_cycles * self.count

    @property
    def hart_cycles(self) -> int:
        """Hart cycles of all its occurrences."""
        return self.run.hart_cycles * self.count


@dataclass(frozen=True, slots=True)
class Stage:
    """Sums over the calls of one stage."""

    name: str
    calls: int
    wall_cycles: int
    hart_cycles: int


@dataclass(frozen=True, slots=True)
class OtherOperands:
    """Kernel whose cycles depend on its operands, at its most expensive call in a trace."""

    call: Call
    run: KernelRun
    other_seed: int
    other_wall_cycles: int


@dataclass(frozen=True, slots=True)
class Replay:
    """Priced trace.

    Attributes:
        arch: name of the machine.
        clock_hz: clock of the machine, in Hz.
        vector: whether kernels with a variant for the vector unit use it.
        seed: seed of the operands.
        rows: distinct calls, in order of first occurrence.
        stages: sums by stage, in order of first occurrence.
        operand_dependent: kernels whose cycles changed with the operands of another seed.
        direct: the first distinct calls in one program; None if not requested, or if no call fits.
        left_out: kernels that were excluded on request, with their number of calls.
        outside: NumPy calls of the learner outside the kernels, with their number.
    """

    arch: str
    clock_hz: int
    vector: bool
    seed: int
    rows: tuple[PricedCall, ...]
    stages: tuple[Stage, ...]
    operand_dependent: tuple[OtherOperands, ...]
    direct: DirectRun | None
    left_out: Mapping[str, int]
    outside: Mapping[Outside, int]

    @classmethod
    def from_trace(
        cls,
        trace: Trace,
        architecture: Architecture,
        *,
        vector: bool = False,
        seed: int = 0,
        expand: bool = False,
        direct_calls: int = DIRECT_CALLS,
        without: Sequence[str] = (),
        path: Path | None = None,
        progress: Steps | None = None,
    ) -> Replay:
        """Price all calls of a trace.

        Args:
            trace: the calls.
            architecture: the machine.
            vector: whether to use the vector unit if a kernel has a variant for it.
            seed: seed of the random operands, within
                :attr:`gnomon.measure.kernels.Kernel.input_range`.
            expand: whether to price composite calls as their simpler calls.
            direct_calls: number of distinct calls to run in one program as well; 0 for none.
            without: kernels to exclude, such as one without an embedded implementation.
            path: file of the trace, to name the line in messages.
            progress: receiver of progress; each distinct call is a step.

        Raises:
            CallError: if a call has no price.
            GnomonError: if the trace is empty, or the machine cannot run it.
        """
        if not trace.entries:
            raise GnomonError("the trace holds no kernel call")
        if vector and architecture.vcu is None:
            raise GnomonError(
                f"--variant vector: {architecture.name} has no vector unit (use scalar)"
            )
        if seed < 0:
            raise GnomonError(f"the seed must not be negative, not {seed}")
        trace, left_out = _without(trace, without)
        origins = _origins(trace, expand=expand)
        progress = progress or Steps()
        progress.plan(len(origins))
        prices: dict[Call, KernelRun] = {}
        errors: list[CallError] = []
        price = partial(price_call, architecture=architecture, vector=vector, seed=seed)
        for each in (embedded, price):
            for call in origins:  # all are checked before the first long run
                try:
                    priced = each(call)
                except CallError as error:
                    errors.append(error)
                    continue
                if isinstance(priced, KernelRun):
                    prices[call] = priced
                    progress(str(call))
            if errors:
                raise _combine(errors, origins, path)
        totals: Counter[Call] = Counter()
        stages = []
        for name, calls in _counts(trace).items():
            own = _parts(calls, expand=expand)
            totals.update(own)
            stages.append(
                Stage(
                    name=name,
                    calls=own.total(),
                    wall_cycles=sum(prices[call].wall_cycles * n for call, n in own.items()),
                    hart_cycles=sum(prices[call].hart_cycles * n for call, n in own.items()),
                )
            )
        return cls(
            arch=architecture.name,
            clock_hz=int(architecture.clock),
            vector=vector,
            seed=seed,
            rows=tuple(PricedCall(call, run, totals[call]) for call, run in prices.items()),
            stages=tuple(stages),
            operand_dependent=_operand_dependent(prices, architecture, vector=vector, seed=seed),
            direct=_direct(list(prices)[:direct_calls], architecture, vector=vector, seed=seed),
            left_out=left_out,
            outside=dict(sorted(trace.outside.items())),
        )

    @staticmethod
    def missing(trace: Trace, *, expand: bool = False) -> dict[str, int]:
        """Return the kernels of a trace without embedded implementation, with numbers of calls."""
        missing: Counter[str] = Counter()
        for call, count in _parts(trace.totals(), expand=expand).items():
            if not is_embedded(call):
                missing[call.kernel] += count
        return dict(missing)

    @property
    def calls(self) -> int:
        """Number of calls in the trace."""
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
        return microseconds(self.wall_cycles, self.clock_hz)

    def to_json(self) -> dict[str, Any]:
        """Return the priced trace as JSON-compatible data."""
        names = "arch clock_hz seed calls wall_cycles hart_cycles time_us direct"
        return json_attributes(self, names) | {
            "variant": "vector" if self.vector else "scalar",
            "stages": [
                {"stage" if key == "name" else key: value for key, value in asdict(each).items()}
                for each in self.stages
            ],
            "left_out": dict(self.left_out),
            "outside_kernels": [
                asdict(call) | {"count": count} for call, count in self.outside.items()
            ],
            "distinct": [_row_json(row) for row in self.rows],
            "operand_dependent": [
                json_attributes(other.run, "kernel extents wall_cycles")
                | json_attributes(other, "other_seed other_wall_cycles")
                for other in self.operand_dependent
            ],
        }


def _without(trace: Trace, names: Sequence[str]) -> tuple[Trace, dict[str, int]]:
    """Return a trace without calls of some kernels, and the number of these calls."""
    for name in names:
        require_known("kernel of the trace", name, sorted({call.kernel for call in trace.totals()}))
    rest, left_out = Trace(outside=trace.outside), Counter[str]()
    for entry in trace.entries:
        if entry.call.kernel in names:
            left_out[entry.call.kernel] += entry.count
        else:
            rest.entries.append(entry)
    if not rest.entries:
        raise GnomonError(f"without {', '.join(names)} the trace holds no kernel call")
    return rest, dict(left_out)


def _combine(errors: list[CallError], origins: Mapping[Call, Call], path: Path | None) -> CallError:
    """Return all errors as one, each with its line if the file is known."""
    if path is None:
        return CallError(errors[0].call, "\n".join(map(str, errors)))
    lines = Trace.first_lines(path)
    errors = sorted(errors, key=lambda error: lines[origins[error.call]])
    text = "\n".join(f"{path}:{lines[origins[each.call]]}: {each}" for each in errors)
    return CallError(errors[0].call, text)


def _counts(trace: Trace) -> dict[str, Counter[Call]]:
    """Return calls by stage, in one pass: a trace may have as many stages as lines."""
    counts: dict[str, Counter[Call]] = {}
    for entry in trace.entries:
        counts.setdefault(entry.stage, Counter())[entry.call] += entry.count
    return counts


def _parts(counts: Mapping[Call, int], *, expand: bool) -> Counter[Call]:
    """Return the calls to price, with their numbers, for the calls of a trace."""
    parts: Counter[Call] = Counter()
    for call, count in counts.items():
        for part in call.parts() if expand else (call,):
            parts[part] += count
    return parts


def _origins(trace: Trace, *, expand: bool) -> dict[Call, Call]:
    """Return each call to price, with the first call of the trace that includes it."""
    origins: dict[Call, Call] = {}
    for call in trace.totals():
        for part in call.parts() if expand else (call,):
            origins.setdefault(part, call)
    return origins


def _operand_dependent(
    prices: Mapping[Call, KernelRun], architecture: Architecture, *, vector: bool, seed: int
) -> tuple[OtherOperands, ...]:
    """Run each kernel again, at its most expensive call, with the operands of another seed."""
    largest: dict[str, Call] = {}
    for call, run in prices.items():
        known = largest.get(run.kernel)
        if known is None or run.wall_cycles > prices[known].wall_cycles:
            largest[run.kernel] = call
    found = []
    for call in largest.values():
        other = price_call(call, architecture, vector=vector, seed=seed + 1)
        if other.wall_cycles != prices[call].wall_cycles:
            found.append(OtherOperands(call, prices[call], seed + 1, other.wall_cycles))
    return tuple(found)


def _direct(
    calls: list[Call], architecture: Architecture, *, vector: bool, seed: int
) -> DirectRun | None:
    chosen = fitting(calls, architecture, vector=vector)
    if not chosen:
        return None
    try:
        return run_direct(chosen, architecture, vector=vector, seed=seed)
    except CheckFailed:
        raise
    except GnomonError as error:
        raise GnomonError(
            f"direct run of {len(chosen)} call(s): {error} (--direct 0 omits it)"
        ) from None


def _row_json(row: PricedCall) -> dict[str, Any]:
    each = json_attributes(row.run, "wall_cycles hart_cycles")
    return (
        json_attributes(row, "call count")
        | json_attributes(row.run, "kernel variant function extents")
        | {f"{name}_each": cycles for name, cycles in each.items()}
        | json_attributes(row, "wall_cycles hart_cycles")
    )
