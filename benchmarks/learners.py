"""Time of a decision and its update, gnomon compared with three libraries.

All learn the same rounds of linear rewards, each from its own choices: LinUCB with one ridge
regression per arm. Vowpal Wabbit has no LinUCB: it plays epsilon-greedy on linear models with
gradient steps, less work for each arm. Times are CPU time, best of interleaved rounds.
``python -m pip install 'gnomon[compare]'`` installs the libraries; a missing one is left out.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # 16 x 16 matrices: threads only cost time
os.environ.setdefault("OMP_NUM_THREADS", "1")

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Found, Limit, best_of, cpu_of_call, version_of
from gnomon.base.errors import GnomonError
from gnomon.content.algorithms.linucb_disjoint.learner import DisjointLinUCBOptimized
from gnomon.measure.learners import EmbeddedSizes, HostLearner, Play, find_embedded_learner

ALPHA = 0.5
SEED = 0
FRACTION_BITS = 15
LIMIT_OF_LIBRARIES = 0.1  # of their time
LIMIT_OF_C = 0.2  # of the time of gnomon's NumPy code
OURS, LOOP, C_LINE = "gnomon, NumPy, run", "gnomon, NumPy, select and update", "gnomon, C, tuned"
LIBRARIES = ("mabwiser", "river")


@dataclass(frozen=True, slots=True)
class Rounds:
    """Linear rewards with noise."""

    arms: int  # N
    features: int  # d, length of a context
    steps: int  # rounds, T
    # CPU time of ``select`` and ``update`` together that is promised, in microseconds
    most_us: float
    chosen_well: bool = True  # whether this number of rounds is enough to learn from

    def tables(self) -> tuple[np.ndarray, np.ndarray]:
        """Sample contexts (T, d) and rewards of every arm (T, N)."""
        rng = np.random.default_rng(SEED)
        contexts = rng.uniform(-1, 1, (self.steps, self.features))
        weights = rng.uniform(-1, 1, (self.features, self.arms)) / 4
        return contexts, contexts @ weights + 0.1 * rng.standard_normal((self.steps, self.arms))


SMALL, LARGE = Rounds(10, 16, 10_000, 60.0), Rounds(100, 128, 300, 1_000.0, chosen_well=False)


@dataclass(slots=True)
class Contender:
    """One implementation."""

    name: str  # for the table
    play: Callable[[int], Any]  # learns this many rounds from the start; returns the arms
    steps: int  # number of rounds that it learns
    cpu_seconds: float = float("inf")  # best time so far
    arms: np.ndarray | None = None  # chosen

    @property
    def us_per_step(self) -> float:
        """Microseconds of a decision and its update."""
        return self.cpu_seconds / self.steps * 1e6


def contenders(of: Rounds = SMALL) -> list[Contender]:
    """Return gnomon's contenders and those of installed libraries; C at the small size only."""
    contexts, rewards = of.tables()

    def learner() -> DisjointLinUCBOptimized:
        return DisjointLinUCBOptimized(arms=of.arms, dimensions=of.features, alpha=ALPHA)

    def run(steps: int) -> Any:
        return learner().run(contexts[:steps], rewards[:steps])

    def in_turn(steps: int) -> Any:
        one = learner()
        return list(_turns(one.select, one.update, contexts[:steps], rewards))

    plays: dict[str, Callable[[int], Any]] = {OURS: run, LOOP: in_turn}
    if of is SMALL:
        plays |= _of_c(of, contexts, rewards)
    for library, make in (("mabwiser", _mabwiser), ("river", _river), ("vowpalwabbit", _vowpal)):
        if version_of(library) is None:
            print(f"{library} is not installed (gnomon[compare]): left out", file=sys.stderr)
        else:
            write, start = make(of)
            written = [write(context) for context in contexts]  # before the clock starts
            plays[library] = partial(_play, start, written, rewards)
    return [Contender(name, play, of.steps) for name, play in plays.items()]


def _turns(
    select: Callable[[Any], int],
    update: Callable[[Any, int, float], object],
    contexts: Any,
    rewards: np.ndarray,
) -> Iterator[int]:
    """Play round by round and yield the arms."""
    for context, row in zip(contexts, rewards, strict=False):
        arm = select(context)
        update(context, arm, float(row[arm]))
        yield arm


def _of_c(of: Rounds, contexts: np.ndarray, rewards: np.ndarray) -> dict[str, Callable[[int], Any]]:
    given = Play.from_floats(contexts, rewards, fraction_bits=FRACTION_BITS, alpha=ALPHA)

    def play(host: HostLearner, steps: int) -> Any:
        given.start(host)
        return host.run(given.contexts[:steps], given.rewards[:steps])

    found = {}
    for name, line in ((C_LINE, "tuned"), ("gnomon, C, paper", "paper")):
        variant = find_embedded_learner("linucb-disjoint").variant("optimized", line)
        host = HostLearner(
            variant, EmbeddedSizes(of.features, of.arms, None), fraction_bits=FRACTION_BITS
        )
        found[name] = partial(play, host)
    return found


def _play(start: Callable[[], Any], contexts: list[Any], rewards: np.ndarray, steps: int) -> Any:
    select, update = start()
    return list(_turns(select, update, contexts[:steps], rewards))


# For each library: a function that converts contexts, and one that starts it (select, update).


def _mabwiser(of: Rounds) -> Any:
    """Prepare MABWiser's online use: ``predict`` and ``partial_fit`` of one row."""
    from mabwiser.mab import MAB, LearningPolicy

    def start() -> Any:
        policy = LearningPolicy.LinUCB(alpha=ALPHA, l2_lambda=1.0)
        bandit = MAB(arms=list(range(of.arms)), learning_policy=policy)
        # It must be fitted before it predicts; contexts of zeros have no effect.
        bandit.fit(list(range(of.arms)), [0.0] * of.arms, np.zeros((of.arms, of.features)))
        return bandit.predict, lambda x, arm, reward: bandit.partial_fit([arm], [reward], x)

    return lambda x: x[None], start


def _river(of: Rounds) -> Any:
    """Prepare River, whose contexts are dictionaries."""
    from river.bandit import LinUCBDisjoint

    def start() -> Any:
        policy = LinUCBDisjoint(seed=SEED)
        return (
            lambda x: policy.pull(range(of.arms), x),
            lambda x, arm, reward: policy.update(arm, x, reward),
        )

    return lambda x: {f"x{at}": value for at, value in enumerate(x.tolist())}, start


def _vowpal(of: Rounds) -> Any:
    """Prepare Vowpal Wabbit: default epsilon-greedy, cost = -reward, contexts as text."""
    import vowpalwabbit as vw

    def start() -> Any:
        work = vw.Workspace(f"--cb_explore {of.arms} --epsilon 0.05 --quiet --random_seed {SEED}")
        rng = np.random.default_rng(SEED)
        chances = np.zeros(of.arms)

        def select(context: str) -> int:
            chances[:] = work.predict(f"| {context}")
            return min(int((chances.cumsum() <= rng.random()).sum()), of.arms - 1)

        def update(context: str, arm: int, reward: float) -> None:
            work.learn(f"{arm + 1}:{-reward:.6f}:{chances[arm]:.6f} | {context}")

        return select, update

    return lambda x: " ".join(f"x{at}:{value:.6f}" for at, value in enumerate(x)), start


def measure(found: Found, repeats: int) -> None:
    """Play all in turn, again and again; the best time of each."""
    for of, where in ((SMALL, "learners"), (LARGE, "learners, 100 arms, d = 128")):
        all_of_them = contenders(of)
        found.add(where, _rows(of, all_of_them, repeats), limits(of, all_of_them))


def _rows(of: Rounds, all_of_them: list[Contender], repeats: int) -> list[dict[str, Any]]:
    rewards = of.tables()[1]

    def play(each: Contender) -> float:
        arms: list[Any] = []
        seconds = cpu_of_call(lambda: arms.append(each.play(each.steps)))
        each.arms = np.asarray(arms[0], dtype=np.int64)
        return seconds

    best = best_of({each.name: partial(play, each) for each in all_of_them}, repeats)
    for each in all_of_them:
        each.cpu_seconds = best[each.name]
        if of.chosen_well and mean_reward(each, rewards) <= rewards.mean() + 0.1:
            raise GnomonError(f"{each.name} has learned nothing: its time says nothing")
    ours = next(each for each in all_of_them if each.name == OURS)
    return [
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


def mean_reward(contender: Contender, rewards: np.ndarray) -> float:
    """Return the mean reward of the chosen arms."""
    assert contender.arms is not None
    return float(rewards[np.arange(contender.steps), contender.arms].mean())


def limits(of: Rounds, found: list[Contender]) -> list[Limit]:
    """Return the limits: gnomon's time, and its ratio to libraries with the same work."""
    times = {each.name: each.us_per_step for each in found}
    size = f"{of.arms} arms, d = {of.features}"
    promised = [Limit(f"{LOOP}, {size}", "us", times[LOOP], of.most_us)]
    checks = []
    if C_LINE in times:  # at the large size memory limits all
        checks = [(OURS, name, LIMIT_OF_LIBRARIES) for name in LIBRARIES if name in times]
        checks.append((C_LINE, OURS, LIMIT_OF_C))
    return promised + [
        Limit(f"{one} over {other}, {size}", "of its time", times[one] / times[other], limit)
        for one, other, limit in checks
    ]
