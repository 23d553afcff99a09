"""The problems on which all learners meet: one of the family of each paper."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gnomon.base.tables import read_yaml_table
from gnomon.content.algorithms.ares.system import random_system, simulate
from gnomon.content.algorithms.softucb.arm_sets import synthetic_arm_sets
from gnomon.content.reports.ek_ucb.environment import actions, pair_rounds
from gnomon.learn import Rounds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from gnomon.learn.kernels import Floats

NOISE = 0.1
"""Standard deviation of the noise on a reward in the fixed problem, as in those of the others."""

SYSTEM = 17
"""Of the drifting problem: the one that the experiment ``ares`` looks at."""

_DIMENSIONS, _ARMS = 4, 8


@dataclass(frozen=True, slots=True)
class Given:
    """What happens in T rounds, whatever a learner does; every learner is given the same.

    Attributes:
        contexts: known before the choice of their round, (T, d).
        expected: expected reward of every arm, (T, K).
        noise: added to the reward of the arm that is played, (T).
        features: of the arms, (K, f); they never change.
        predicted: expected rewards by one who knows the problem but not its hidden state, (T, K);
            None where nothing is hidden from him.
    """

    contexts: Floats = field(repr=False)
    expected: Floats = field(repr=False)
    noise: Floats = field(repr=False)
    features: Floats = field(repr=False)
    predicted: Floats | None = field(default=None, repr=False)

    @property
    def gaps(self) -> Floats:
        """What an arm gives less than the best one of its round, (T, K)."""
        gaps: Floats = self.expected.max(axis=1, keepdims=True) - self.expected
        return gaps

    @property
    def rewards(self) -> Floats:
        """Of every arm, noise included, (T, K)."""
        rewards: Floats = self.expected + self.noise[:, None]
        return rewards

    def relative_regret(self, arms: np.ndarray[tuple[int, ...], np.dtype[np.int32]]) -> float:
        """Regret of the arms played over that of one who plays any arm, each as likely."""
        gaps = self.gaps
        return float(gaps[np.arange(len(arms)), arms].sum() / gaps.mean(axis=1).sum())


@dataclass(frozen=True, slots=True)
class Problem:
    """A family of bandits.

    Attributes:
        name: in tables and on the command line.
        title: in figures.
        whose: the learners whose papers are about it.
        d: numbers of a context.
        f: features of an arm.
        draw: rounds and a seed to what is given.
    """

    name: str
    title: str
    whose: str
    about: str
    d: int
    arms: int
    f: int
    draw: Callable[[int, int], Given] = field(repr=False)


def _linear(rounds: int, seed: int) -> Given:
    drawn = Rounds.linear(
        rounds=rounds, arms=_ARMS, dimensions=_DIMENSIONS, features=_DIMENSIONS, seed=seed
    )
    return Given(drawn.contexts, drawn.expected, drawn.noise, drawn.arm_features)


def _fixed(rounds: int, seed: int) -> Given:
    arms = synthetic_arm_sets(
        count=1, arms=_ARMS, dimensions=_DIMENSIONS, noise_std=NOISE, seed=seed
    )
    noise = NOISE * np.random.default_rng((seed, rounds)).standard_normal(rounds)
    return Given(
        np.tile((1.0, 0.0), (rounds, 1)), np.tile(arms.means, (rounds, 1)), noise, arms.features[0]
    )


def _chessboard(rounds: int, seed: int) -> Given:
    drawn = pair_rounds("chessboard", rounds, seed)
    one = np.ones((rounds, 1))
    places = actions()[:, None]
    return Given(
        np.hstack((one, drawn.contexts[1:])),
        drawn.means[1:],
        drawn.noise[1:],
        np.hstack((np.ones_like(places), places)),
    )


def _drifting(rounds: int, seed: int) -> Given:
    drawn = simulate(random_system(SYSTEM), runs=1, rounds=rounds + 1, seed=seed)
    # A context comes with the reward of its round: before a choice the last one is known.
    contexts, arms = drawn.contexts[:-1, 0], drawn.expected.shape[2]
    return Given(
        np.hstack((np.ones((rounds, 1)), contexts)),
        drawn.expected[1:, 0],
        drawn.noise[1:, 0],
        np.eye(arms),
        drawn.predicted[1:, 0],
    )


_DRAWS: dict[str, Callable[[int, int], Given]] = {
    "linear": _linear, "fixed": _fixed, "chessboard": _chessboard, "drifting": _drifting,
}  # fmt: skip


def _read() -> Iterator[Problem]:
    for said in read_yaml_table(Path(__file__).with_suffix(".yaml")).data["problems"]:
        about = said.pop("about").format(system=SYSTEM)
        yield Problem(**said, about=about, draw=_DRAWS[said["name"]])


PROBLEMS = tuple(_read())
