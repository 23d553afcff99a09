"""Price a trace: each distinct call is run once, everything else is multiplication."""

from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from gnomon.arch import Architecture
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.progress import Steps
from gnomon.bench.replay._direct import DirectRun, fitting, run_direct
from gnomon.bench.replay._price import CallError, Price, embedded, is_embedded, price_call
from gnomon.bench.replay._result import OtherOperands, PricedCall, Replay, Stage
from gnomon.learn import Call, Trace

DIRECT_CALLS = 32
"""How many distinct calls the program has that measures the overhead of a call."""


def replay_trace(
    trace: Trace,
    architecture: Architecture,
    *,
    vector: bool = False,
    seed: int = 0,
    expand: bool = False,
    direct_calls: int = DIRECT_CALLS,
    path: Path | None = None,
    progress: Steps | None = None,
) -> Replay:
    """Price all calls of a trace.

    Args:
        trace: the calls.
        architecture: where they run.
        vector: on the vector unit, where a kernel has a variant for it.
        seed: of the random operands; :attr:`gnomon.bench.kernels.Kernel.input_range` is theirs.
        expand: price composite calls as the simpler ones they are made of.
        direct_calls: how many distinct calls to run in one program as well; 0 for none.
        path: the file that the trace was read from, to name the line in messages.
        progress: each distinct call is a step.

    Raises:
        CallError: a call has no price.
        GnomonError: the trace is empty, or the machine cannot run it.
    """
    if not trace.entries:
        raise GnomonError("the trace holds no kernel call")
    if vector and architecture.vcu is None:
        raise GnomonError(f"--variant vector: {architecture.name} has no vector unit (use scalar)")
    if seed < 0:
        raise GnomonError(f"the seed must not be negative, not {seed}")
    counts = _counts(trace)
    origins = _origins(trace, expand=expand)
    progress = progress or Steps()
    progress.plan(len(origins))
    prices: dict[Call, Price] = {}
    refused: list[CallError] = []
    price = partial(price_call, architecture=architecture, vector=vector, seed=seed)
    for each in (embedded, price):
        for call in origins:  # all are looked up before the first long run
            try:
                priced = each(call)
            except CallError as error:
                refused.append(error)
                continue
            if isinstance(priced, Price):
                prices[call] = priced
                progress(str(call))
        if refused:
            raise _all_of(refused, origins, path)
    totals: Counter[Call] = Counter()
    stages = []
    for name, calls in counts.items():
        own: Counter[Call] = Counter()
        for call, count in calls.items():
            for part in call.parts() if expand else (call,):
                own[part] += count
        totals.update(own)
        stages.append(
            Stage(
                name=name,
                calls=own.total(),
                wall_cycles=sum(prices[call].wall_cycles * n for call, n in own.items()),
                hart_cycles=sum(prices[call].hart_cycles * n for call, n in own.items()),
            )
        )
    return Replay(
        arch=architecture.name,
        clock_hz=int(architecture.clock),
        vector=vector,
        seed=seed,
        rows=tuple(PricedCall(price, totals[call]) for call, price in prices.items()),
        stages=tuple(stages),
        operand_dependent=_operand_dependent(prices, architecture, vector=vector, seed=seed),
        direct=_direct(list(prices)[:direct_calls], architecture, vector=vector, seed=seed),
    )


def missing_kernels(trace: Trace, *, expand: bool = False) -> dict[str, int]:
    """Kernels of a trace that have no embedded implementation, with their number of calls."""
    missing: Counter[str] = Counter()
    for call, count in trace.totals().items():
        for part in call.parts() if expand else (call,):
            if not is_embedded(part):
                missing[part.kernel] += count
    return dict(missing)


def _all_of(refused: list[CallError], origins: Mapping[Call, Call], path: Path | None) -> CallError:
    """All errors as one, each with its line where the file is known."""
    if path is None:
        return CallError(refused[0].call, "\n".join(map(str, refused)))
    lines = Trace.first_lines(path)
    refused = sorted(refused, key=lambda error: lines[origins[error.call]])
    text = "\n".join(f"{path}:{lines[origins[each.call]]}: {each}" for each in refused)
    return CallError(refused[0].call, text)


def _counts(trace: Trace) -> dict[str, Counter[Call]]:
    """Calls by stage, in one pass: a trace may have as many stages as lines."""
    counts: dict[str, Counter[Call]] = {}
    for entry in trace.entries:
        counts.setdefault(entry.stage, Counter())[entry.call] += entry.count
    return counts


def _origins(trace: Trace, *, expand: bool) -> dict[Call, Call]:
    """Each call to price, with the first call of the trace that it comes from."""
    origins: dict[Call, Call] = {}
    for call in trace.totals():
        for part in call.parts() if expand else (call,):
            origins.setdefault(part, call)
    return origins


def _operand_dependent(
    prices: Mapping[Call, Price], architecture: Architecture, *, vector: bool, seed: int
) -> tuple[OtherOperands, ...]:
    """Run each kernel once more, at its most expensive call, with the operands of another seed."""
    largest: dict[str, Price] = {}
    for price in prices.values():
        known = largest.get(price.kernel)
        if known is None or price.wall_cycles > known.wall_cycles:
            largest[price.kernel] = price
    found = []
    for price in largest.values():
        other = price_call(price.call, architecture, vector=vector, seed=seed + 1)
        if other.wall_cycles != price.wall_cycles:
            found.append(OtherOperands(price, seed + 1, other.wall_cycles))
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
            f"direct run of {len(chosen)} call(s): {error} (--direct 0 leaves it out)"
        ) from None
