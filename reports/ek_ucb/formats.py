"""The embedded learner: its regret by number format, and the cost of its steps on machines.

A fixed-point exponential is exactly 0 for far states, where float has numbers such as 1e-40 that
break ties. So two independent runs diverge in every format, and only their mean regrets can be
compared. While both learn the arms of float, single choices can be compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from gnomon.base.result_cache import Keep, compute_uncached
from gnomon.content.algorithms.ek_ucb.learner import HistoryFreeKernelUCB
from gnomon.content.reports.embedded_learners.step_costs import Step, step_costs
from gnomon.measure import learners as bench

from .environment import PairRounds, actions, pair_rounds
from .experiment import RADIUS, SQUARES

LEARNER = "ek-ucb"
MOST_ANCHORS = 32
RIDGES = (1, 10)
BITS = {"optimized": (8, 10, 12, 14, 15, 16, 20, 24), "optimized-vector": (12, 15)}
_NOVELTY = 0.1  # LEARNER_NOVELTY


@dataclass(frozen=True, slots=True)
class FloatRuns:
    """Float runs in one environment: arms and regret of each run."""

    environment: str
    regularisation: int
    most_anchors: int
    rounds: tuple[PairRounds, ...]
    arms: tuple[np.ndarray[tuple[int, ...], np.dtype[np.int64]], ...]
    regrets: tuple[float, ...]


def play_float(
    environment: str, *, regularisation: int, most_anchors: int, rounds: int, seeds: Sequence[int]
) -> FloatRuns:
    """Play float with the first arm that the embedded learner draws."""
    drawn = tuple(pair_rounds(environment, rounds, seed) for seed in seeds)
    first = int(bench.HostLearner.random_words(1)[0]) * len(actions()) >> 32
    arms, regrets = [], []
    for each in drawn:
        learner = HistoryFreeKernelUCB(
            actions=actions(), dimensions=each.contexts.shape[1],
            regularisation=float(regularisation), beta=RADIUS, smallest_novelty=_NOVELTY,
            most_anchors=most_anchors,
        )  # fmt: skip
        chosen = np.zeros(rounds + 1, dtype=np.int64)
        for step, context in enumerate(each.contexts):
            chosen[step] = learner.select(context) if step else first
            reward = float(each.means[step, chosen[step]] + each.noise[step])
            learner.update(context, int(chosen[step]), reward)
        arms.append(chosen)
        regrets.append(float(each.gaps[np.arange(1, rounds + 1), chosen[1:]].sum()))
    return FloatRuns(environment, regularisation, most_anchors, drawn, tuple(arms), tuple(regrets))


def compare_dictionary(
    variant: bench.LearnerVariant, reference: FloatRuns, *, fraction_bits: int
) -> dict[str, Any]:
    """Play the host build in the rounds that float played.

    Returns:
        ``equal_share``: of the rounds, those with the arm of float, while both learn what float
        played; ``regret``: mean R(T), playing alone; ``float_regret``: of float with the same first
        arm, in the same rounds; ``ratio`` of the two; ``ratio_error``: standard error of the mean
        of the differences over the regret of float; ``anchors``: mean size of the dictionary at
        the end.
    """
    first = reference.rounds[0]
    length, ridge = first.contexts.shape[1], reference.regularisation
    built = variant.with_parameters(LEARNER_RIDGE=ridge, LEARNER_ANCHORS=reference.most_anchors)
    sizes = bench.EmbeddedSizes(length, len(actions()), 1)
    host = bench.HostLearner(built, sizes, fraction_bits=fraction_bits)
    equal, regrets, anchors = 0, [], []
    for each, arms in zip(reference.rounds, reference.arms, strict=True):
        play = bench.Play.from_floats(
            each.contexts, each.means + each.noise[:, None], fraction_bits=fraction_bits,
            features=actions()[:, None], alpha=RADIUS / np.sqrt(ridge),
        )  # fmt: skip
        played = play.on(host)
        steps = np.arange(1, len(played))
        regrets.append(float(each.gaps[steps, played[1:]].sum()))
        anchors.append(int(host.model[2]))
        equal += int((play.following(host, arms) == arms)[1:].sum())
    differences = np.array(regrets) - np.array(reference.regrets)
    count, regret = len(regrets), float(np.mean(regrets))
    float_regret = float(np.mean(reference.regrets))
    error = float(differences.std(ddof=1) / np.sqrt(count)) if count > 1 else 0.0
    return {
        "variant": variant.name, "environment": reference.environment, "lambda": ridge,
        "fraction_bits": fraction_bits, "equal_share": equal / (count * (len(first.noise) - 1)),
        "regret": regret, "float_regret": float_regret, "ratio": regret / float_regret,
        "ratio_error": error / float_regret, "anchors": float(np.mean(anchors)),
    }  # fmt: skip


def run_formats(*, full: bool, keep: Keep = compute_uncached) -> pd.DataFrame:
    """Run all formats, 20 seeds of 1,000 rounds (2 of 200 in the small size)."""
    learner = bench.find_embedded_learner(LEARNER)
    seeds, rounds = (range(20), 1000) if full else (range(2), 200)
    references = keep.each(
        partial(
            play_float, environment, regularisation=ridge, most_anchors=MOST_ANCHORS,
            rounds=rounds, seeds=seeds,
        )
        for environment, ridge in product(SQUARES, RIDGES)
    )  # fmt: skip
    return pd.DataFrame(
        keep.each(
            partial(
                compare_dictionary, learner.variant(name, "tuned"), reference, fraction_bits=bits
            )
            for reference in references
            for name, choice in BITS.items()
            for bits in choice
        )
    )


def run_machines(*, full: bool, keep: Keep = compute_uncached) -> pd.DataFrame:
    """Run steps with ten arms, contexts and arms of one coordinate, after 400 random steps."""
    learner = bench.find_embedded_learner(LEARNER)
    steps = [
        Step(f"{most} anchors", variant.with_parameters(LEARNER_ANCHORS=most), 400)
        for variant in (learner.variant(name, "tuned") for name in BITS)
        for most in (8, 16, 20)
    ]
    return step_costs(LEARNER, bench.EmbeddedSizes(1, 10, 1), steps, full=full, keep=keep)
