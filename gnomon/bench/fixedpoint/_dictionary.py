"""The embedded kernel learner beside float, by number format.

A fixed-point exponential is exactly 0 for far states, where float has numbers such as 1e-40 that
break ties. So two runs that play alone part sooner or later whatever the format, and only their
mean regrets can be compared. While both learn what float played, single choices can.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.bench.learners import HostLearner, Sizes, to_steps
from gnomon.learn.kernel_ucb import HistoryFreeKernelUCB, actions, pair_rounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.bench.learners import LearnerVariant
    from gnomon.learn.kernel_ucb import PairRounds

_NOVELTY = 0.1  # LEARNER_NOVELTY
_RADIUS = 0.1


@dataclass(frozen=True, slots=True)
class DictionaryFormat:
    """One implementation at one format beside float, over some runs of one environment.

    Attributes:
        variant: name of the implementation.
        environment: its name.
        regularisation: lambda.
        most_anchors: largest dictionary.
        fraction_bits: binary digits behind the point.
        runs: how many seeds.
        rounds: T of each.
        equal: share of rounds with the arm of float, while both learn what float played.
        regret: mean R(T), playing alone.
        float_regret: of float with the same first arm, in the same rounds.
        float_error: standard error of the mean of the differences of both.
        anchors: mean size of the dictionary at the end.
    """

    variant: str
    environment: str
    regularisation: int
    most_anchors: int
    fraction_bits: int
    runs: int
    rounds: int
    equal: float
    regret: float
    float_regret: float
    float_error: float
    anchors: float

    @property
    def ratio(self) -> float:
        """Regret over that of float."""
        return self.regret / self.float_regret


@dataclass(frozen=True, slots=True)
class FloatDictionary:
    """Float in one environment: arms and regret of each run."""

    environment: str
    regularisation: int
    most_anchors: int
    rounds: tuple[PairRounds, ...]
    arms: tuple[np.ndarray[tuple[int, ...], np.dtype[np.int64]], ...]
    regrets: tuple[float, ...]


def play_float(
    environment: str, *, regularisation: int, most_anchors: int, rounds: int, seeds: Sequence[int]
) -> FloatDictionary:
    """Play float with the first arm that the embedded learner draws."""
    drawn = tuple(pair_rounds(environment, rounds, seed) for seed in seeds)
    arms, regrets = [], []
    for each in drawn:
        learner = HistoryFreeKernelUCB(
            actions=actions(),
            dimensions=each.contexts.shape[1],
            regularisation=float(regularisation),
            beta=_RADIUS,
            smallest_novelty=_NOVELTY,
            most_anchors=most_anchors,
        )
        chosen = np.zeros(rounds + 1, dtype=np.int64)
        for step, context in enumerate(each.contexts):
            chosen[step] = learner.select(context) if step else _first_arm(len(actions()))
            reward = float(each.means[step, chosen[step]] + each.noise[step])
            learner.update(context, int(chosen[step]), reward)
        arms.append(chosen)
        regrets.append(float(each.gaps[np.arange(1, rounds + 1), chosen[1:]].sum()))
    return FloatDictionary(
        environment, regularisation, most_anchors, drawn, tuple(arms), tuple(regrets)
    )


def _first_arm(arms: int) -> int:
    """``random_below`` of ``random.h`` after a reset."""
    mask = 0xFFFF_FFFF
    x = 1 + 0x9E3779B9
    x = (x ^ x >> 16) * 0x7FEB352D & mask
    x = (x ^ x >> 15) * 0x846CA68B & mask
    return (x ^ x >> 16) * arms >> 32


def compare_dictionary(
    variant: LearnerVariant, reference: FloatDictionary, *, fraction_bits: int
) -> DictionaryFormat:
    """Play the host build in the rounds that float played.

    Raises:
        GnomonError: it does not compile for this computer.
    """
    first = reference.rounds[0]
    length, ridge = first.contexts.shape[1], reference.regularisation
    host = HostLearner(
        variant.with_parameters(LEARNER_RIDGE=ridge, LEARNER_ANCHORS=reference.most_anchors),
        Sizes(length, len(actions()), 1),
        fraction_bits=fraction_bits,
    )
    host.alpha = int(to_steps(_RADIUS / np.sqrt(ridge), fraction_bits))
    host.features = to_steps(actions()[:, None], fraction_bits)
    equal, regrets, anchors = 0, [], []
    for each, arms in zip(reference.rounds, reference.arms, strict=True):
        contexts = to_steps(each.contexts, fraction_bits)
        rewards = to_steps(each.means + each.noise[:, None], fraction_bits)
        host.reset()
        played = host.run(contexts, rewards)
        steps = np.arange(1, len(played))
        regrets.append(float(each.gaps[steps, played[1:]].sum()))
        anchors.append(int(host.model[2]))
        host.reset()
        equal += int((host.follow(contexts, rewards, arms) == arms)[1:].sum())
    differences = np.array(regrets) - np.array(reference.regrets)
    count = len(regrets)
    return DictionaryFormat(
        variant=variant.name,
        environment=reference.environment,
        regularisation=ridge,
        most_anchors=reference.most_anchors,
        fraction_bits=fraction_bits,
        runs=count,
        rounds=len(first.noise) - 1,
        equal=equal / (count * (len(first.noise) - 1)),
        regret=float(np.mean(regrets)),
        float_regret=float(np.mean(reference.regrets)),
        float_error=float(differences.std(ddof=1) / np.sqrt(count)) if count > 1 else 0.0,
        anchors=float(np.mean(anchors)),
    )
