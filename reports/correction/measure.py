"""Cost of the correction in the embedded learners, and its effect in their fixed point."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from gnomon.arch import load_architecture
from gnomon.base.frames import frame, worded
from gnomon.measure import learners as bench
from gnomon.report.study import Steps

from .schedules import GAIN_COLUMNS, ScheduleCase, run_schedules

ARMS = 8
MACHINES = {"scalar": "t13", "vector": "t13-paper-simd4"}
_MEMORY = "memory.data.size=4 MiB"  # no cache, so it costs no cycle

LAST_STEPS = 200
LIMIT = 0.01
SIZES = bench.EmbeddedSizes(d=4, arms=ARMS, f=4)
FRACTION_BITS = 15


@dataclass(frozen=True, slots=True)
class DeviceCase:
    """Learner at one size, on the scalar core or on the vector unit."""

    learner: str
    d: int
    f: int | None
    unit: Literal["scalar", "vector"]


def measure_case(case: DeviceCase) -> list[bench.LearnerRun]:
    """Build and run three steps; a fresh model and zeros, as in the published tables.

    Returns:
        A step of the variant without direct matrices, an ordinary one of the corrected variant, and
        one that computes the inverses again.
    """
    learner, sizes = (
        bench.find_embedded_learner(case.learner),
        bench.EmbeddedSizes(case.d, ARMS, case.f),
    )
    architecture = load_architecture(MACHINES[case.unit], [_MEMORY])
    runs = []
    for name, steps in (("optimized", (False,)), ("corrected", (False, True))):
        variant = learner.variant(f"{name}-vector" if case.unit == "vector" else name)
        built = bench.LearnerBench(learner, variant, architecture, sizes)
        program = built.build()
        runs += [built.measure(details=False, program=program, correcting=each) for each in steps]
    return runs


FIXED_COLUMNS = (
    "seed", "period", "first_step_beyond_0.01", "median_error_after_correction",
    "last_median_error",
)  # fmt: skip


def fixed_errors(periods: Sequence[int], steps: int, seed: int) -> list[tuple[object, ...]]:
    """Return rows of ``FIXED_COLUMNS``: optimized and corrected (by period), hybrid, on the host.

    Contexts and features are uniform in -1 .. 1, rewards in 0 .. 1; the arms take turns.

    Returns:
        Rows of ``FIXED_COLUMNS``, of the largest difference of a score from that of the scalar
        standard variant in Q16.15: the first step, from 1, with one above ``LIMIT``, None if none
        had; the median over the steps just after a correction, None without one; the median over
        the last ``LAST_STEPS`` steps. The period of the optimized variant is None.
    """
    learner = bench.find_embedded_learner("linucb-hybrid")
    standard = _scores(learner.variant("standard"), learner.alpha, steps, seed)
    found: list[tuple[object, ...]] = []
    for period in (None, *periods):
        variant = learner.variant("optimized")
        if period is not None:
            variant = learner.variant("corrected").corrected_every(period)
        distance = np.abs(_scores(variant, learner.alpha, steps, seed) - standard).max(axis=1)
        difference = distance / 2.0**FRACTION_BITS
        beyond = np.flatnonzero(difference > LIMIT)
        first = int(beyond[0]) + 1 if beyond.size else None
        after = None if period is None else float(np.median(difference[period::period]))
        found.append((seed, period, first, after, float(np.median(difference[-LAST_STEPS:]))))
    return found


def _scores(
    variant: bench.LearnerVariant, alpha: float, steps: int, seed: int
) -> npt.NDArray[np.int64]:
    """Return the scores of every arm at every step, in fixed-point steps."""
    rng = np.random.default_rng(seed)
    play = bench.Play.from_floats(
        rng.uniform(-1, 1, (steps, SIZES.d)),
        rng.uniform(0, 1, (steps, SIZES.arms)),
        fraction_bits=FRACTION_BITS,
        features=rng.uniform(-1, 1, (SIZES.arms, SIZES.f or 0)),
        alpha=alpha,
    )
    host = bench.HostLearner(variant, SIZES, fraction_bits=FRACTION_BITS)
    play.start(host)
    scores = np.zeros((steps, SIZES.arms), dtype=np.int64)
    for step, context in enumerate(play.contexts):
        arm = step % SIZES.arms
        host.context = context
        host.select()
        scores[step] = host.scores
        host.update(arm, int(play.rewards[step, arm]))
    return scores


@dataclass(frozen=True, slots=True)
class CorrectionSize:
    """Size of a study."""

    name: str  # as on the command line
    schedules: tuple[ScheduleCase, ...]  # the float runs
    device: tuple[DeviceCase, ...]  # the runs on machines
    fixed_steps: int  # number of steps in fixed point
    fixed_seeds: tuple[int, ...]  # of these steps


def _device(grid: tuple[int, ...], hybrid: tuple[int, ...]) -> tuple[DeviceCase, ...]:
    """Return cases of the disjoint learner over ``grid``, and of the hybrid one over both."""
    sizes: list[tuple[str, int, int | None]] = [("linucb-disjoint", d, None) for d in grid]
    sizes += [("linucb-hybrid", d, f) for d, f in product(hybrid, grid)]
    return tuple(DeviceCase(*each, unit) for each in sizes for unit in ("scalar", "vector"))


CORRECTION_SIZES = {
    "small": CorrectionSize(
        "small", (ScheduleCase("uniform", rounds=1500, periods=(250, 25)),),
        _device((4,), (4,)), 1500, (1,),
    ),
    "full": CorrectionSize(
        "full", (ScheduleCase("uniform"), ScheduleCase("normal")),
        _device((4, 8, 16, 32), (4, 8)), 12_000, (1, 2, 3),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)  # fmt: skip
class Results:
    """All results."""

    gain: pd.DataFrame  # one row per distribution, variant and period
    device: pd.DataFrame  # one row per measured step
    fixed: pd.DataFrame  # one row per seed and period
    compiler: str  # name and version
    flags: str  # of the first run of a corrected variant


def run_correction(size: CorrectionSize, progress: Steps) -> Results:
    progress.plan(len(size.device) + len(size.fixed_seeds) + 100 * len(size.schedules))
    runs: list[bench.LearnerRun] = []
    for case in size.device:
        runs += measure_case(case)
        progress(f"cost, {case.learner}")
    errors: list[tuple[object, ...]] = []
    for seed in size.fixed_seeds:
        errors += fixed_errors(size.schedules[0].periods, size.fixed_steps, seed)
        progress("fixed point")
    gains = [
        row
        for each in size.schedules
        for row in run_schedules(each, partial(progress, f"gain, {each.law}"))
    ]
    build, orders = runs[1].build, dict.fromkeys(GAIN_COLUMNS[3:8], ".4f")
    return Results(
        _texts(GAIN_COLUMNS, gains, orders | {"largest_drift": ".4e"}),
        pd.DataFrame(map(_device_row, runs), dtype=object),
        _texts(FIXED_COLUMNS, errors, dict.fromkeys(FIXED_COLUMNS[3:], ".6f")),
        f"{build.compiler} {build.version}",
        " ".join(build.flags),
    )


def _texts(
    columns: Sequence[str], rows: Sequence[Sequence[object]], forms: Mapping[str, str]
) -> pd.DataFrame:
    table = frame(columns, rows)
    return worded(table, forms).where(table.notna(), None)


def _device_row(run: bench.LearnerRun) -> dict[str, object]:
    """Return a row of ``correction_device.csv``."""
    cycles = {
        f"{stage}_{reading}_cycles": getattr(getattr(run, stage), f"{reading}_cycles")
        for stage, reading in product(("select", "update"), ("hart", "wall"))
    }
    return {
        "learner": run.learner, "d": run.sizes.d, "f": run.sizes.f, "arms": ARMS, "arch": run.arch,
        "variant": run.variant, "update": "correcting" if run.correcting else "ordinary", **cycles,
        "model_bytes": run.model_bytes, "static_bytes": run.static_bytes,
        "text_bytes": run.text_bytes, "stack_bytes": run.stack_bytes[0],
    }  # fmt: skip
