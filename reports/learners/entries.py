"""Implementations that play on a machine, those that cannot, and their regret by seed."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import GnomonError
from gnomon.base.interval import Interval
from gnomon.base.result_cache import Keep
from gnomon.cost.energy import Energy, OptionalEnergy
from gnomon.measure.learners import (
    EmbeddedLearner,
    LearnerBench,
    LearnerVariant,
    RoundsRun,
    find_embedded_learner,
)
from gnomon.sim import RegionRun, Work

from .points import ComparisonSize, Point, mean_of
from .problems import PROBLEMS, Entry, Problem, drawn, seeded_regrets, settings_of

_MISSING = ("machine", "learner", "line", "variant", "why")


def variants_of(learner: EmbeddedLearner, size: ComparisonSize) -> list[LearnerVariant]:
    """Return the implementations of a learner that play."""
    return [variant for variant in learner.variants if variant.line in size.lines]


def has_formats(variant: LearnerVariant) -> bool:
    """Return whether its formats are compared: scalar, any fraction bits, no corrections."""
    return not variant.vector and variant.fraction_bits is None and not variant.correction_period


def refusal(variant: LearnerVariant, machine: Architecture) -> str:
    """Return why a machine cannot run a variant; empty if it can."""
    if not variant.vector:
        return ""
    if machine.vcu is None:
        return "no vector unit"
    missing = [name for name in variant.extensions if name not in machine.vcu.extensions]
    return f"the vector unit lacks {', '.join(missing)}" if missing else ""


def missing_variants(
    learners: Iterable[str], machines: Sequence[str], size: ComparisonSize
) -> pd.DataFrame:
    """Return the implementations that a machine cannot run, and ``why``."""
    rows = [
        (name, each.name, variant.line, variant.name, why)
        for each in map(find_embedded_learner, learners)
        for variant in variants_of(each, size)
        for name in machines
        if (why := refusal(variant, load_architecture(name)))
    ]
    return pd.DataFrame(rows, columns=list(_MISSING))


def known_regrets(problems: Iterable[Problem], size: ComparisonSize) -> dict[str, Interval]:
    """Return relative regret of a policy with the problem but not its hidden state, by problem."""
    known = {}
    for problem in problems:
        runs = [drawn(problem.name, size.rounds, seed) for seed in range(1, 1 + size.seeds)]
        predicted = [
            run.relative_regret(run.predicted.argmax(axis=1).astype(np.int32))
            for run in runs
            if run.predicted is not None
        ]
        if predicted:
            known[problem.name] = mean_of(predicted)
    return known


def regrets_by_seed(
    of: Entry | Point, machine: str, size: ComparisonSize, first_seed: int, keep: Keep
) -> list[float]:
    """Return relative regret of as many runs as ``size`` has; scalar code is played once."""
    _, learner, line, variant, _ = of.names
    vector = find_embedded_learner(learner).variant(variant, line).vector
    return keep(seeded_regrets, of.names, size.rounds, first_seed, size.seeds,
                machine=machine if vector else "")  # fmt: skip


def entry_of(point: Point) -> Entry:
    """Return what a point is the measurement of."""
    learner = find_embedded_learner(point.learner)
    problem = next(each for each in PROBLEMS if each.name == point.problem)
    (setting,) = (each for each in settings_of(learner, problem) if each.title == point.setting)
    return Entry(problem, learner, learner.variant(point.variant, point.line), setting)


def played_on(
    entry: Entry, arch: str, size: ComparisonSize, seeds: int, keep: Keep
) -> list[RoundsRun]:
    """Return the runs of the first seeds on a machine, compared with the host bit by bit."""
    machine, variant = load_architecture(arch), entry.built(size.rounds)
    plays = [entry.play(drawn(entry.problem.name, size.rounds, seed))
             for seed in range(1, 1 + seeds)]  # fmt: skip
    return [
        keep(
            LearnerBench.play,
            LearnerBench(entry.learner, variant, machine, entry.sizes, 1, play.fraction_bits),
            play,
        )
        for play in plays
    ]


def energy_of(stages: Sequence[RegionRun], machine: Architecture) -> Energy:
    """Return the dynamic energy of stages, with dense operands.

    Raises:
        GnomonError: if it is unavailable.
    """
    quoted = OptionalEnergy.from_work(
        Work.joined([each.work for each in stages]), machine, data="dense"
    )
    if quoted.energy is None:
        raise GnomonError(f"{machine.name}: no energy is known: {quoted.reason}")
    return quoted.energy
