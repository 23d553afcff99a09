"""Switching on the buses in the rounds of implementations, which gate-level tables price."""

from typing import Any, Final

import pandas as pd

from gnomon.arch import load_architecture
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.explore.learner_costs import FEATURES
from gnomon.measure.learners import EmbeddedSizes, LearnerBench, find_embedded_learner
from gnomon.sim import Work

from .costs import IMPLEMENTATIONS
from .measuring import ROOM, STACK_BYTES, Sample, play_sample
from .working import Work as Workers

COLUMNS = ("learner", "variant", "settings", "family", "machine", "d", "arms", "rounds",
           "buses")  # fmt: skip
SIZES: Final = ((4, 4), (6, 12), (16, 16))
MACHINES: Final = {"t13": ("t13-simd1",), "t13-simd": ("t13-simd1", "t13-simd4"),
                   "simd": ("t13-simd1", "t13-simd4")}  # fmt: skip
"""Machines of a family that have a gate-level table; scalar code switches alike on all T13."""
_COUNTING: Final = "power=osu018-t13-simd1"
"""With a gate-level table, a run counts operand toggles; this one prices nothing here."""
_ROUNDS, _STEPS = 48, 8


def count_rounds(sample: Sample) -> int:
    """Return the number of simulated rounds."""
    return _STEPS if find_embedded_learner(sample.implementation.learner).turns else _ROUNDS


def samples() -> list[Sample]:
    """Return all implementations at all sizes, on the machines that have a gate-level table."""
    return [
        Sample(each, machine, d, arms, FEATURES)
        for each in IMPLEMENTATIONS
        for machine in MACHINES.get(each.family, ())
        for d, arms in SIZES
    ]


def measure_switching(sample: Sample) -> str:
    """Return values and toggles per cycle by bus, as text; empty: it does not run there.

    Rounds start with a fresh model; of learners whose arms first take turns, steps after them.
    """
    each, learner = sample.implementation, find_embedded_learner(sample.implementation.learner)
    machine = load_architecture(sample.machine, (ROOM, _COUNTING))
    sizes = EmbeddedSizes(sample.d, sample.arms, sample.features if learner.has_features else None)
    bench = LearnerBench(learner, each.built(sample.arms), machine, sizes)
    try:
        if learner.turns:
            program = bench.build(stack_bytes=STACK_BYTES)
            how: dict[str, Any] = {"case": "random", "details": False}
            runs = [bench.measure(program=program, seed=seed, **how) for seed in range(_STEPS)]
            works = [stage.work for run in runs for stage in run.stages]
        else:
            program = bench.build(rounds=_ROUNDS, stack_bytes=STACK_BYTES)
            play = play_sample(sample, _ROUNDS)
            played = bench.play(play, program=program, checked=False)
            works = [played.select.work, played.update.work]
    except CheckFailed:
        raise
    except GnomonError:
        return ""
    return describe_switching(Work.joined(works))


def describe_switching(work: Work) -> str:
    """Return values and toggles per cycle by bus, as text that ``read_switching`` reads."""
    cycles = work.wall_cycles
    rates = {bus: (count.values / cycles, count.toggles / cycles)  # noqa: PD011 - no frame
             for bus, count in work.buses.items()}  # fmt: skip
    return " ".join(
        f"{bus}:{values:.4g}:{toggles:.4g}" for bus, (values, toggles) in rates.items() if values
    )


def switching_table(work: Workers) -> pd.DataFrame | None:
    """Return a row for each sample that runs; None: the time did not suffice."""
    rows = []
    calls = [(each,) for each in samples()]
    for (each,), buses in work.over(measure_switching, calls, "switching on buses", _name):
        if buses is None:
            return None
        made = each.implementation
        if buses:
            rows.append((made.learner, made.variant, made.said, made.family, each.machine, each.d,
                         each.arms, count_rounds(each), buses))  # fmt: skip
    rows.sort(key=lambda row: row[:7])
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _name(call: tuple[Any, ...]) -> str:
    sample: Sample = call[0]
    made = sample.implementation
    return f"{made.learner} {made.variant} on {sample.machine}, d {sample.d}, {sample.arms} arms"
