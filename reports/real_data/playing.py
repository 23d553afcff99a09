"""Learners on one data set: settings, regret in fixed point and float64, costs on machines."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.interval import Interval
from gnomon.content.reports.learners.problems import Entry, Given, Problem, Setting, regrets_of
from gnomon.cost.energy import OptionalEnergy
from gnomon.learn import find_learner
from gnomon.learn.datasets import RewardTable
from gnomon.measure.learners import LearnerBench, LearnerVariant, find_embedded_learner
from gnomon.sim import Work

FIRST_SEED, FIRST_TRAINING_SEED = 1, 1001
FRACTION_BITS = 15
_WEIGHTS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
_GAPS = (10, 30, 100, 300, 1000, 3000)
_TURNS = (1, 2, 3, 5, 7, 10)  # explored rounds of each arm at the start


@dataclass(frozen=True, slots=True)
class Policy:
    """A learner, its implementations, and the parameter that the settings change.

    Attributes:
        name: of the learner.
        scalar: variant in C that plays.
        vector: variant for the vector unit; empty without one.
        floating: variant in float64.
        macro: macro of the parameter in C; empty: the weight ``learner_alpha``.
        keyword: the parameter of the class in float64.
        values: values that are tried.
        by_arms: whether values are multiplied by the number of arms.
    """

    name: str
    scalar: str
    vector: str
    floating: str
    macro: str
    keyword: str
    values: tuple[float, ...]
    by_arms: bool = False

    def settings(self, arms: int) -> list[tuple[float, Setting]]:
        """Return the values with their settings of the C code."""
        found = []
        for value in self.values:
            own = value * arms if self.by_arms else value
            macros = ((self.macro, int(own)),) if self.macro else ()
            alpha = None if self.macro else own
            found.append((own, Setting(f"{self.keyword} = {own:g}", alpha, macros)))
        return found


POLICIES = (
    Policy("linucb-disjoint", "optimized", "optimized-vector", "optimized", "", "alpha", _WEIGHTS),
    Policy("thompson-disjoint", "optimized", "", "standard", "", "alpha", _WEIGHTS),
    Policy("square-cb", "optimized", "", "standard", "LEARNER_GAMMA", "gamma", _GAPS),
    Policy("bento-epsilon-greedy", "optimized", "optimized-vector", "optimized", "LEARNER_P", "p",
           _TURNS, by_arms=True),
    Policy("ucb1", "standard", "", "standard", "", "beta", _WEIGHTS),
)  # fmt: skip
"""Learners without features of arms, each with six settings; the last one ignores contexts."""


@dataclass(frozen=True, slots=True)
class RealSize:
    """Extent of the runs."""

    name: str
    orderings: int  # random orders of the rows, from which regret is
    training: int  # others, in which settings are chosen
    rounds: int  # most rows of an ordering
    cost_rounds: int  # first rows of the first ordering, which run on machines
    stand_in_users: int
    open_bandit_rounds: int | None = None  # most rounds of a log; None: all


@dataclass(frozen=True)
class Played:
    """One learner on one data set, by ordering.

    Attributes:
        setting: the chosen one.
        trials: mean regret of every setting in training.
        at_end: whether the chosen value is the least or the largest one.
        fixed: regret of the C code, relative to a policy that picks arms uniformly at random.
        floating: the same in float64.
        uniform: mean reward of that policy, by ordering.
        best: mean reward of the best arm of each round, by ordering.
    """

    setting: str
    trials: tuple[tuple[str, float], ...]
    at_end: bool
    fixed: tuple[float, ...]
    floating: tuple[float, ...]
    uniform: tuple[float, ...] = field(repr=False)
    best: tuple[float, ...] = field(repr=False)

    def regrets(self, arithmetic: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Return regret by ordering; ``arithmetic`` is ``fixed`` or ``float64``."""
        return np.array(self.fixed if arithmetic == "fixed" else self.floating)

    def rewards(self, arithmetic: str) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Return the mean reward by ordering."""
        best, uniform = np.array(self.best), np.array(self.uniform)
        return np.asarray(best - self.regrets(arithmetic) * (best - uniform))


def orderings(table: RewardTable, first: int, count: int, rounds: int) -> list[Given]:
    """Return random orders of the rows as rounds without noise."""
    features = np.eye(len(table.arms))
    found = []
    for seed in range(first, first + count):
        rows = table.ordering(seed, rounds)
        found.append(Given(rows.contexts, rows.rewards, np.zeros(len(rows.rewards)), features))
    return found


def _entry(policy: Policy, table: RewardTable, variant: LearnerVariant, setting: Setting) -> Entry:
    d, arms = table.contexts.shape[1], len(table.arms)

    def draw(rounds: int, seed: int) -> Given:
        return orderings(table, seed, 1, rounds)[0]

    problem = Problem("data", "", "", "", d, d, arms, arms, draw)
    return Entry(problem, find_embedded_learner(policy.name), variant, setting)


def _scalar(policy: Policy) -> LearnerVariant:
    return find_embedded_learner(policy.name).variant(policy.scalar, "tuned")


def _chosen(policy: Policy, played: Played, arms: int) -> tuple[float, Setting]:
    ((value, setting),) = (
        each for each in policy.settings(arms) if each[1].title == played.setting
    )
    return value, setting


def play(table: RewardTable, policy: Policy, size: RealSize) -> Played:
    """Choose a setting in the training orderings, then play the others in both arithmetics."""
    arms = len(table.arms)
    training = orderings(table, FIRST_TRAINING_SEED, size.training, size.rounds)
    settings = policy.settings(arms)
    means = [
        float(np.mean(regrets_of(_entry(policy, table, _scalar(policy), each), training)))
        for _, each in settings
    ]
    best = int(np.argmin(means))
    value, setting = settings[best]
    runs = orderings(table, FIRST_SEED, size.orderings, size.rounds)
    fixed = regrets_of(_entry(policy, table, _scalar(policy), setting), runs)
    kind: Any = find_learner(policy.name, policy.floating)
    given = {policy.keyword: int(value) if policy.macro else value}
    floating = [
        run.relative_regret(
            kind(arms=arms, dimensions=table.contexts.shape[1], **given)
            .run(run.contexts, run.expected)
            .astype(np.int32)
        )
        for run in runs
    ]
    return Played(
        setting.title,
        tuple(zip((each.title for _, each in settings), means, strict=True)),
        best in {0, len(settings) - 1},
        tuple(fixed),
        tuple(floating),
        tuple(float(run.expected.mean()) for run in runs),
        tuple(float(run.expected.max(axis=1).mean()) for run in runs),
    )


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of a decision, a selection and an update, of one variant on one machine."""

    variant: str
    machine: str
    select_cycles: float = 0.0  # wall cycles, means of the rounds
    update_cycles: float = 0.0
    slowest_cycles: int = 0  # slowest selection plus slowest update
    energy_uj: Interval | None = None  # dynamic energy of a mean decision
    model_bytes: int = 0
    refused: str = ""  # why there is no run
    energy_reason: str = ""  # why there is no energy


def costs(
    table: RewardTable, policy: Policy, played: Played, machines: Sequence[str], rounds: int
) -> tuple[Cost, ...]:
    """Play the first rows on each machine, every choice checked against the C code on the host."""
    _, setting = _chosen(policy, played, len(table.arms))
    (run,) = orderings(table, FIRST_SEED, 1, rounds)
    return tuple(_costs(table, policy, setting, run, machines))


def _costs(
    table: RewardTable, policy: Policy, setting: Setting, run: Given, machines: Sequence[str]
) -> Iterator[Cost]:
    learner = find_embedded_learner(policy.name)
    for name in machines:
        machine = load_architecture(name)
        for of in (policy.scalar, *([policy.vector] if policy.vector and machine.vcu else [])):
            variant = learner.variant(of, "tuned")
            entry = _entry(policy, table, variant, setting)
            bench = LearnerBench(learner, entry.built(len(run.noise)), machine, entry.sizes)
            yield _cost(bench, entry, run, machine)


def _cost(bench: LearnerBench, entry: Entry, run: Given, machine: Architecture) -> Cost:
    of, rounds = bench.variant.name, len(run.noise)
    try:
        played = bench.play(entry.play(run, FRACTION_BITS))
    except CheckFailed:
        raise
    except GnomonError as error:
        return Cost(of, machine.name, refused=str(error).strip().splitlines()[-1][:200])
    select, update = played.select, played.update
    quoted = OptionalEnergy.from_work(
        Work.joined([select.work, update.work]), machine, data="dense"
    )
    return Cost(
        of,
        machine.name,
        select_cycles=select.wall_cycles / rounds,
        update_cycles=update.wall_cycles / rounds,
        slowest_cycles=max(select.lengths) + max(update.lengths),
        energy_uj=quoted.energy.energy_uj * (1 / rounds) if quoted.energy else None,
        model_bytes=played.model_bytes,
        energy_reason=quoted.reason,
    )
