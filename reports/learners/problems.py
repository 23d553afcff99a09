"""The problems that all learners play, and the inputs of each learner."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from gnomon.arch import Architecture, load_architecture
from gnomon.base.tables import read_yaml_table
from gnomon.content.algorithms.ares.system import random_system, simulate
from gnomon.content.algorithms.softucb.arm_sets import synthetic_arm_sets
from gnomon.content.reports.ek_ucb.environment import actions, pair_rounds
from gnomon.learn import Rounds
from gnomon.learn.kernels import Floats
from gnomon.measure.learners import (
    EmbeddedLearner,
    EmbeddedSizes,
    HostLearner,
    LearnerVariant,
    Play,
    find_embedded_learner,
)

NOISE = 0.1
"""Standard deviation of the noise on a reward in the fixed problem, as in those of the others."""

SYSTEM = 17
"""Of the drifting problem: the one that the experiment ``ares`` looks at."""

_DIMENSIONS, _ARMS = 4, 8


@dataclass(frozen=True, slots=True)
class Given:
    """Outcomes of T rounds, independent of the learner; every learner gets the same."""

    contexts: Floats = field(repr=False)  # known before the choice of their round, (T, d)
    expected: Floats = field(repr=False)  # expected reward of every arm, (T, K)
    noise: Floats = field(repr=False)  # added to the reward of the arm that is played, (T)
    features: Floats = field(repr=False)  # of the arms, (K, f); they never change
    # expected rewards given the problem but not its hidden state, (T, K); None if there is
    # no hidden state
    predicted: Floats | None = field(default=None, repr=False)

    @property
    def gaps(self) -> Floats:
        """Difference between the best arm of each round and each arm, (T, K)."""
        return np.asarray(self.expected.max(axis=1, keepdims=True) - self.expected)

    @property
    def rewards(self) -> Floats:
        """Rewards of every arm, noise included, (T, K)."""
        return np.asarray(self.expected + self.noise[:, None])

    def relative_regret(self, arms: np.ndarray[tuple[int, ...], np.dtype[np.int32]]) -> float:
        """Return regret of the arms played relative to a policy that picks arms uniformly."""
        gaps = self.gaps
        return float(gaps[np.arange(len(arms)), arms].sum() / gaps.mean(axis=1).sum())


@dataclass(frozen=True, slots=True)
class Problem:
    """A family of bandits."""

    name: str  # in tables and on the command line
    title: str  # in figures
    whose: str  # the learners whose papers are about it
    about: str
    d: int  # numbers of a context
    changing: int  # of them, the last ones: they change from round to round
    arms: int
    f: int  # features of an arm
    draw: Callable[[int, int], Given] = field(repr=False)  # from rounds and a seed to inputs


def _linear(rounds: int, seed: int) -> Given:
    drawn = Rounds.linear(
        rounds=rounds, arms=_ARMS, dimensions=_DIMENSIONS, features=_DIMENSIONS, seed=seed
    )
    return Given(drawn.contexts, drawn.expected, drawn.noise, drawn.arm_features)


def _fixed(rounds: int, seed: int) -> Given:
    shape = {"count": 1, "arms": _ARMS, "dimensions": _DIMENSIONS}
    arms = synthetic_arm_sets(**shape, noise_std=NOISE, seed=seed)
    noise = NOISE * np.random.default_rng((seed, rounds)).standard_normal(rounds)
    contexts, expected = np.tile((1.0, 0.0), (rounds, 1)), np.tile(arms.means, (rounds, 1))
    return Given(contexts, expected, noise, arms.features[0])


def _chessboard(rounds: int, seed: int) -> Given:
    drawn, places = pair_rounds("chessboard", rounds, seed), actions()[:, None]
    contexts = np.hstack((np.ones((rounds, 1)), drawn.contexts[1:]))
    features = np.hstack((np.ones_like(places), places))
    return Given(contexts, drawn.means[1:], drawn.noise[1:], features)


def _drifting(rounds: int, seed: int) -> Given:
    drawn = simulate(random_system(SYSTEM), runs=1, rounds=rounds + 1, seed=seed)
    # A context comes with the reward of its round: before a choice the last one is known.
    contexts = np.hstack((np.ones((rounds, 1)), drawn.contexts[:-1, 0]))
    expected, predicted = drawn.expected[1:, 0], drawn.predicted[1:, 0]
    return Given(contexts, expected, drawn.noise[1:, 0], np.eye(expected.shape[1]), predicted)


_DRAWS: dict[str, Callable[[int, int], Given]] = {
    "linear": _linear, "fixed": _fixed, "chessboard": _chessboard, "drifting": _drifting,
}  # fmt: skip


def _read() -> Iterator[Problem]:
    for said in read_yaml_table(Path(__file__).with_suffix(".yaml")).data["problems"]:
        about = said.pop("about").format(system=SYSTEM)
        yield Problem(**said, about=about, draw=_DRAWS[said["name"]])


PROBLEMS = tuple(_read())
LINEAR, DRIFTING = (
    next(each for each in PROBLEMS if each.name == name) for name in ("linear", "drifting")
)


TITLES = {
    "linucb-disjoint": "LinUCB disjoint",
    "linucb-hybrid": "LinUCB hybrid",
    "linucb-window": "LinUCB windows",
    "bento-epsilon-greedy": "ε-greedy",
    "softucb": "SoftUCB",
    "ares": "ARES-P",
    "ek-ucb": "EK-UCB",
}
TRAINING_SEED = 1001
"""First of the runs in which settings are chosen."""

FRACTION_BITS = 15
"""Of all points: vector implementations of LinUCB have no other."""

_LONGEST = 0.999  # of a feature vector of SoftUCB: at most 1, also when rounded


@dataclass(frozen=True, slots=True)
class Setting:
    """One choice of the user's options; ``alpha`` None: the learner's default."""

    title: str
    alpha: float | None = None
    parameters: tuple[tuple[str, int], ...] = ()


def settings_of(learner: EmbeddedLearner, problem: Problem) -> tuple[Setting, ...]:
    """Return six settings for each learner: none has more chances than another."""
    if learner.name == "bento-epsilon-greedy":
        counts = [each * problem.arms for each in (1, 2, 3, 5, 7, 10)]
        return tuple(Setting(f"p = {p}", None, (("LEARNER_P", p),)) for p in counts)
    if learner.name == "ares":
        most = (1, 2, 3, 4, 5, 6)
        return tuple(Setting(f"windows up to {s}", None, (("LEARNER_WINDOWS", s),)) for s in most)
    if learner.name == "linucb-window":
        return tuple(
            Setting(f"window = {window}, α = {alpha:g}", alpha, (("LEARNER_WINDOW", window),))  # noqa: RUF001
            for window in (2, 3)
            for alpha in (0.2, 0.5, 1.0)
        )
    if learner.name == "ek-ucb":
        return tuple(
            Setting(f"λ = 1, width = {(0.5 / inverse) ** 0.5:.2g}, β = {beta:g}", beta,
                    (("LEARNER_INVERSE_WIDTH", inverse), ("LEARNER_RIDGE", 1)))
            for inverse in (1, 5, 50)
            for beta in (0.1, 0.5)
        )  # fmt: skip
    symbol = "β" if learner.name == "softucb" else "α"  # noqa: RUF001 - alpha, as in the papers
    return tuple(Setting(f"{symbol} = {each:g}", each) for each in (0.1, 0.2, 0.5, 1.0, 2.0, 4.0))


@dataclass(frozen=True, slots=True)
class Entry:
    """One implementation with its setting in one problem."""

    problem: Problem
    learner: EmbeddedLearner
    variant: LearnerVariant
    setting: Setting

    @property
    def names(self) -> tuple[str, str, str, str, str]:
        """Names for :func:`seeded_regrets`."""
        return (self.problem.name, self.learner.name, self.variant.line, self.variant.name,
                self.setting.title)  # fmt: skip

    @property
    def sizes(self) -> EmbeddedSizes:
        """Shape of the problem in the form that the learner takes."""
        shape = self.problem
        if self.learner.fixed_arms:
            return EmbeddedSizes(shape.f, shape.arms)
        return EmbeddedSizes(self._d, shape.arms, shape.f if self.learner.has_features else None)

    @property
    def _d(self) -> int:
        """Numbers of a context for the learner: LinUCB on windows adds its own 1."""
        windowed = self.learner.name == "linucb-window"
        return max(self.problem.changing, 1) if windowed else self.problem.d

    def built(self, rounds: int) -> LearnerVariant:
        """Return the variant with its setting, for a run of ``rounds`` rounds."""
        online = "LEARNER_ONLINE" in dict(self.variant.parameters)
        horizon = {"LEARNER_HORIZON": rounds} if online else {}
        return self.variant.with_parameters(**dict(self.setting.parameters), **horizon)

    def play(self, given: Given, fraction_bits: int = FRACTION_BITS) -> Play:
        """Return the inputs as the words that the learner takes, rounded to nearest.

        A learner of fixed arms has no context. A learner that reads the context with the reward,
        for later selections, gets the context of the next round then: all have the same information
        before a choice.
        """
        learner, contexts, features = self.learner, given.contexts, given.features
        if learner.fixed_arms:
            contexts = np.zeros((len(contexts), features.shape[1]))
            features = features * (_LONGEST / np.linalg.norm(features, axis=1).max())
        elif learner.late_context:
            contexts = np.vstack((contexts[1:], np.zeros((1, contexts.shape[1]))))
            contexts = contexts[:, -self._d :]
        shown = features if learner.fixed_arms or learner.has_features else None
        alpha = learner.alpha if self.setting.alpha is None else self.setting.alpha
        return Play.from_floats(
            contexts, given.rewards, fraction_bits=fraction_bits, features=shown, alpha=alpha
        )


def regrets_of(
    entry: Entry,
    runs: Sequence[Given],
    *,
    machine: Architecture | None = None,
    fraction_bits: int = FRACTION_BITS,
) -> list[float]:
    """Return relative regret per run, on the vector unit of ``machine`` for vector variants."""
    built = entry.built(len(runs[0].noise))
    host = HostLearner(built, entry.sizes, fraction_bits=fraction_bits, architecture=machine)
    return [run.relative_regret(entry.play(run, fraction_bits).on(host)) for run in runs]


@cache
def drawn(problem: str, rounds: int, seed: int) -> Given:
    """Return the outcomes of one run of the problem with this name."""
    return next(each for each in PROBLEMS if each.name == problem).draw(rounds, seed)


def seeded_regrets(
    entry: tuple[str, str, str, str, str],
    rounds: int,
    first_seed: int,
    seeds: int,
    *,
    machine: str = "",
    fraction_bits: int = FRACTION_BITS,
) -> list[float]:
    """Return relative regret per seed of an implementation; names alone, so that it is cached.

    Args:
        entry: problem, learner, line, variant and title of the setting.
        rounds: of each run.
        first_seed: first of the seeds.
        seeds: number of runs, each of the next seed.
        machine: whose vector unit computes; empty for scalar variants, which are equal on all.
        fraction_bits: of the format.
    """
    problem, learner, line, variant, setting = entry
    where = next(each for each in PROBLEMS if each.name == problem)
    chosen = find_embedded_learner(learner)
    (own,) = (each for each in settings_of(chosen, where) if each.title == setting)
    return regrets_of(
        Entry(where, chosen, chosen.variant(variant, line), own),
        [drawn(problem, rounds, seed) for seed in range(first_seed, first_seed + seeds)],
        machine=load_architecture(machine) if machine else None,
        fraction_bits=fraction_bits,
    )
