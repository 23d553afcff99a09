"""A decision and its update, ours compared with two Python libraries.

All learn the same rounds of linear rewards, each with its own choices: LinUCB with one ridge
regression per arm, 10 arms, 16 features. Times are CPU time, best of interleaved rounds.
``python -m pip install 'gnomon[compare]'`` installs the libraries; without them they are left out.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # 16 x 16 matrices: threads only cost time
os.environ.setdefault("OMP_NUM_THREADS", "1")

import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.harness import Limit, best_of, cpu_of_call, version_of
from gnomon.base.errors import GnomonError
from gnomon.bench.learners import HostLearner, Sizes, find_learner, to_steps
from gnomon.content.algorithms.linucb_disjoint.learner import DisjointLinUCBOptimized

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.harness import Found

ARMS, FEATURES, ALPHA = 10, 16, 0.5
STEPS = 10_000
SEED = 0
FRACTION_BITS = 15
LIMIT_OF_LIBRARIES = 0.1  # of their time
LIMIT_OF_C = 0.2  # of the time of our NumPy
OURS, LOOP, C_LINE = "gnomon, NumPy, run", "gnomon, NumPy, select and update", "gnomon, C, tuned"
LIBRARIES = ("mabwiser", "river")


@dataclass(slots=True)
class Contender:
    """One implementation.

    Attributes:
        name: for the table.
        play: learns all rounds from the beginning; returns the arms chosen.
        steps: how many rounds it learns.
        cpu_seconds: best time so far.
        arms: chosen.
    """

    name: str
    play: Callable[[int], Any]
    steps: int
    cpu_seconds: float = float("inf")
    arms: np.ndarray | None = None

    @property
    def us_per_step(self) -> float:
        """A decision and its update."""
        return self.cpu_seconds / self.steps * 1e6


def rounds() -> tuple[np.ndarray, np.ndarray]:
    """Contexts (steps, features) and rewards of every arm (steps, arms), linear with noise."""
    rng = np.random.default_rng(SEED)
    contexts = rng.uniform(-1, 1, (STEPS, FEATURES))
    weights = rng.uniform(-1, 1, (FEATURES, ARMS)) / 4
    return contexts, contexts @ weights + 0.1 * rng.standard_normal((STEPS, ARMS))


def contenders() -> list[Contender]:
    """Ours, and those of the libraries that are installed."""
    contexts, rewards = rounds()

    def learner() -> DisjointLinUCBOptimized:
        return DisjointLinUCBOptimized(arms=ARMS, dimensions=FEATURES, alpha=ALPHA)

    def run(steps: int) -> Any:
        return learner().run(contexts[:steps], rewards[:steps])

    def in_turn(steps: int) -> Any:
        one, arms = learner(), []
        for x, r in zip(contexts[:steps], rewards[:steps], strict=True):
            arms.append(one.select(x))
            one.update(x, arms[-1], float(r[arms[-1]]))
        return arms

    found = [Contender(OURS, run, STEPS), Contender(LOOP, in_turn, STEPS)]
    fixed = [to_steps(table, FRACTION_BITS) for table in (contexts, rewards)]
    of_c = find_learner("linucb-disjoint")
    for name, line in ((C_LINE, "tuned"), ("gnomon, C, paper", "paper")):
        host = HostLearner(
            of_c.variant("optimized", line),
            Sizes(FEATURES, ARMS, None),
            fraction_bits=FRACTION_BITS,
        )
        host.alpha = int(to_steps(ALPHA, FRACTION_BITS))

        def run_c(steps: int, host: HostLearner = host) -> Any:
            host.reset()
            return host.run(fixed[0][:steps], fixed[1][:steps])

        found.append(Contender(name, run_c, STEPS))
    for library, make in (("mabwiser", _mabwiser), ("river", _river)):
        if version_of(library) is None:
            print(f"{library} is not installed (gnomon[compare]): left out", file=sys.stderr)
        else:
            found.append(Contender(library, make(contexts, rewards), STEPS))
    return found


def _mabwiser(contexts: np.ndarray, rewards: np.ndarray) -> Callable[[int], list[int]]:
    """Its online way: ``predict`` and ``partial_fit`` of one row."""
    from mabwiser.mab import MAB, LearningPolicy

    def play(steps: int) -> list[int]:
        policy = LearningPolicy.LinUCB(alpha=ALPHA, l2_lambda=1.0)
        bandit = MAB(arms=list(range(ARMS)), learning_policy=policy)
        # It must be fitted before it predicts; contexts of zeros teach nothing.
        bandit.fit(list(range(ARMS)), [0.0] * ARMS, np.zeros((ARMS, FEATURES)))
        chosen = []
        for step in range(steps):
            x = contexts[step : step + 1]
            arm = bandit.predict(x)
            bandit.partial_fit([arm], [float(rewards[step, arm])], x)
            chosen.append(arm)
        return chosen

    return play


def _river(contexts: np.ndarray, rewards: np.ndarray) -> Callable[[int], list[int]]:
    """Its contexts are dictionaries; they are made beforehand."""
    from river.bandit import LinUCBDisjoint

    names = [f"x{feature}" for feature in range(FEATURES)]
    rows = [dict(zip(names, row, strict=True)) for row in contexts.tolist()]

    def play(steps: int) -> list[int]:
        policy = LinUCBDisjoint(seed=SEED)
        chosen = []
        for step in range(steps):
            arm = policy.pull(range(ARMS), rows[step])
            policy.update(arm, rows[step], float(rewards[step, arm]))
            chosen.append(arm)
        return chosen

    return play


def measure(found: Found, repeats: int) -> None:
    """Play all in turn, again and again; the best time of each.

    Raises:
        GnomonError: one learned nothing: its mean reward is not above that of a random choice.
    """
    all_of_them, (_, rewards) = contenders(), rounds()

    def play(each: Contender) -> float:
        arms: list[Any] = []
        seconds = cpu_of_call(lambda: arms.append(each.play(each.steps)))
        each.arms = np.asarray(arms[0], dtype=np.int64)
        return seconds

    best = best_of({each.name: partial(play, each) for each in all_of_them}, repeats)
    for each in all_of_them:
        each.cpu_seconds = best[each.name]
        if mean_reward(each, rewards) <= rewards.mean() + 0.1:
            raise GnomonError(f"{each.name} has learned nothing: its time says nothing")
    ours = next(each for each in all_of_them if each.name == OURS)
    rows = [
        {
            "name": each.name,
            "version": version_of(each.name),
            "us_per_step": each.us_per_step,
            "times_ours": each.us_per_step / ours.us_per_step,
            "mean_reward": mean_reward(each, rewards),
            "equal_arms": float(np.mean(each.arms == ours.arms)),
        }
        for each in all_of_them
    ]
    found.add("learners", rows, limits(all_of_them))


def mean_reward(contender: Contender, rewards: np.ndarray) -> float:
    """Of the arms it chose."""
    assert contender.arms is not None
    return float(rewards[np.arange(contender.steps), contender.arms].mean())


def limits(found: list[Contender]) -> list[Limit]:
    """What is promised: times over those of others."""
    times = {each.name: each.us_per_step for each in found}
    checks = [(OURS, name, LIMIT_OF_LIBRARIES) for name in LIBRARIES if name in times]
    checks.append((C_LINE, OURS, LIMIT_OF_C))
    return [
        Limit(f"{one} over {other}", "of its time", times[one] / times[other], limit)
        for one, other, limit in checks
    ]
