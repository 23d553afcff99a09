"""Figures 3 to 5 on one system, and studies over constants, systems and true windows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.learn.ares._ares import Ares, AresP
from gnomon.learn.ares._criteria import pies
from gnomon.learn.ares._models import Bounds, WindowModels, dimension
from gnomon.learn.ares._policies import (
    Pies,
    Policy,
    Predictor,
    Random,
    UpperBound,
    WindowLinUCB,
    play,
)
from gnomon.learn.ares._system import (
    random_system,
    stationary_covariance,
    steady_filter,
    window_weights,
)
from gnomon.learn.ares._trajectory import join, simulate

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.learn.ares._trajectory import Trajectory
    from gnomon.learn.kernels import Floats


@dataclass(frozen=True, slots=True)
class SystemResult:
    """Every policy on one system.

    Attributes:
        system: its seed.
        regret: by policy, of each run, (B).
        late_windows: mean window of each arm in the last half of the rounds, by ARES, (k).
        window_rounds: rounds of ``windows``.
        windows: mean window of each arm by ARES, (rounds, k).
        bonus_rounds: rounds of ``bonus``.
        bonus: mean exploration term of each arm by ARES, (rounds, k).
    """

    system: int
    regret: dict[str, Floats] = field(repr=False)
    late_windows: Floats
    window_rounds: Any = field(repr=False)
    windows: Floats = field(repr=False)
    bonus_rounds: Any = field(repr=False)
    bonus: Floats = field(repr=False)

    def ratio(self, policy: str) -> float:
        """Mean regret over the mean regret of the oracle."""
        return float(self.regret[policy].mean() / self.regret["oracle"].mean())

    def deviation(self, policy: str) -> float:
        """Standard deviation over runs of the ratio of one run."""
        return float((self.regret[policy] / self.regret["oracle"]).std(ddof=1))


class _Watched(Ares):
    """ARES, with the windows and exploration terms of every round noted."""

    def __init__(self, trajectory: Trajectory) -> None:
        super().__init__(trajectory)
        self.seen_windows: list[Floats] = []
        self.seen_bonus: list[Floats] = []

    def choose(self, at: int, features: Floats) -> Any:
        arms = super().choose(at, features)
        self.seen_windows.append(self.window.mean(axis=0))
        self.seen_bonus.append(self.bonus.mean(axis=0))
        return arms


def policies_of(trajectory: Trajectory, windows: int) -> dict[str, Callable[[], Policy]]:
    """What is compared, by name; ``windows`` is the largest of PIES."""
    rng = np.random.default_rng(5)
    made: dict[str, Callable[[], Policy]] = {
        "oracle": lambda: Predictor(trajectory, trajectory.predicted),
        "ares-posterior": lambda: Ares(trajectory, posterior=True),
        "ares-p": lambda: AresP(trajectory),
        "ucb": lambda: UpperBound(trajectory),
        "ucb-growing": lambda: UpperBound(trajectory, growing=True),
        "d-ucb": lambda: UpperBound(trajectory, growing=True, discount=0.99, scale=0.1),
        "sw-ucb": lambda: UpperBound(trajectory, growing=True, window=100, scale=0.1),
        "random": lambda: Random(trajectory, rng),
    }
    for s in (1, 2, 3):
        made[f"linucb-{s}"] = lambda s=s: WindowLinUCB(trajectory, s)  # type: ignore[misc]
    for exploration in (20, 1):
        for s in range(windows + 1):
            made[pies(s, exploration)] = lambda s=s, c=exploration: Pies(trajectory, s, c)  # type: ignore[misc]
    return made


def run_system(
    seed: int,
    *,
    runs: int,
    rounds: int,
    noise_seed: int,
    windows: int = 10,
    progress: Callable[[], None] = lambda: None,
) -> SystemResult:
    """Play every policy on the same runs of one system."""
    trajectory = simulate(random_system(seed), runs=runs, rounds=rounds, seed=noise_seed)
    watched = _Watched(trajectory)
    regret = {"ares": play(trajectory, watched)}
    progress()
    for name, make in policies_of(trajectory, windows).items():
        regret[name] = play(trajectory, make())
        progress()
    seen, bonus = np.array(watched.seen_windows), np.array(watched.seen_bonus)
    every = np.arange(0, rounds, max(rounds // 100, 1))
    at = np.unique([*(t for t in (20, 50, 100, 300) if t < rounds), *every[2:], rounds - 1])
    return SystemResult(
        seed, regret, seen[rounds // 2 :].mean(axis=0), every, seen[every], at, bonus[at]
    )


def system_steps(windows: int = 10) -> int:
    """How often ``run_system`` calls ``progress``."""
    return 1 + 8 + 3 + 2 * (windows + 1)


def over_bounds(*, runs: int, rounds: int) -> tuple[dict[float, float], dict[float, float]]:
    """Mean window and regret ratio of ARES on system 17 by B_R = B_c = B_G."""
    trajectory = simulate(random_system(17), runs=runs, rounds=rounds, seed=1017)
    oracle = play(trajectory, Predictor(trajectory, trajectory.predicted)).mean()
    windows, ratios = {}, {}
    for bound in (0.01, 0.02, 0.05, 0.1, 1.0):
        policy = Ares(trajectory, Bounds(reward=bound, arm=bound, weights=bound))
        ratios[bound] = float(play(trajectory, policy).mean() / oracle)
        windows[bound] = float(policy.window.mean())
    return windows, ratios


@dataclass(frozen=True, slots=True)
class ManySystems:
    """Ratios to the oracle by system, 1 to 20, raw units, B = 1."""

    radius: Floats
    random: Floats
    ucb: Floats
    ares: Floats
    ares_p: Floats
    pies_short: Floats


def many_systems(*, runs: int = 4, rounds: int = 1000) -> ManySystems:
    """All systems side by side; the best window of PIES with a short exploration is hindsight."""
    systems = [random_system(seed) for seed in range(1, 21)]
    trajectory = join(
        [
            simulate(system, runs=runs, rounds=rounds, seed=1000 + seed, normalised=False)
            for seed, system in enumerate(systems, start=1)
        ]
    )

    def by_system(policy: Policy) -> Floats:
        means: Floats = play(trajectory, policy).reshape(len(systems), runs).mean(axis=1)
        return means

    oracle = by_system(Predictor(trajectory, trajectory.predicted))
    ones = Bounds(reward=1.0, arm=1.0, weights=1.0)
    short = np.stack([by_system(Pies(trajectory, s, 1)) for s in (0, 1, 2, 5, 10)]).min(axis=0)
    return ManySystems(
        np.array([system.radius for system in systems]),
        by_system(Random(trajectory, np.random.default_rng(6))) / oracle,
        by_system(UpperBound(trajectory)) / oracle,
        by_system(Ares(trajectory, ones)) / oracle,
        by_system(AresP(trajectory)) / oracle,
        short / oracle,
    )


def true_windows(*, runs: int = 20, rounds: int = 1000) -> dict[int, dict[int, float]]:
    """E4: the true weights of a window, by system and window, regret over the oracle's."""
    windows = (0, 1, 2, 5, 10)
    ratios = {}
    for seed in (1, 3, 4, 5, 7):
        trajectory = simulate(
            random_system(seed), runs=runs, rounds=rounds, seed=2000 + seed, windows=windows
        )
        oracle = play(trajectory, Predictor(trajectory, trajectory.predicted)).mean()
        ratios[seed] = {
            s: float(
                play(trajectory, Predictor(trajectory, trajectory.windowed[s])).mean() / oracle
            )
            for s in windows
        }
    return ratios


def coverage(seed: int = 17, *, runs: int = 20, rounds: int = 500) -> float:
    """Theorem 1: how often the true weights are within the width, raw units, true constants."""
    system = random_system(seed)
    stationary, kalman = stationary_covariance(system), steady_filter(system)
    trajectory = simulate(system, runs=runs, rounds=rounds, seed=3000 + seed, normalised=False)
    inside, cases = 0, 0
    rng = np.random.default_rng(seed)
    pulls = rng.integers(0, 3, size=(rounds, runs))
    each = np.arange(runs)
    of_reward = system.arms @ kalman.covariance @ system.arms.T
    largest = np.sqrt(np.trace(stationary))
    reward = float(np.sqrt(max(largest**2, np.diag(of_reward).max() + system.reward_noise)))
    arm = float(np.linalg.norm(system.arms, axis=1).max())
    for s in (0, 1, 2, 5, 10):
        weights = window_weights(system, kalman, s)
        bounds = Bounds(0.1, reward, arm, float(np.linalg.norm(weights, axis=1).max()))
        models = WindowModels(runs, 3, s)
        for at in range(s, rounds):
            means = trajectory.expected[at][each, pulls[at]] + trajectory.noise[at]
            models.learn(trajectory.features(at, s), pulls[at], means)
        off = models.weights - weights
        v = np.linalg.inv(models.inverse)
        error = np.sqrt(np.einsum("bki,bkij,bkj->bk", off, v, off))
        arms = np.tile(np.arange(3), runs)
        width = models.width(bounds, np.repeat(each, 3), arms).reshape(runs, 3)
        inside += int((error <= width).sum())
        cases += error.size
    return inside / cases


def theorem_4(trajectory: Trajectory, bounds: Bounds, window: int = 10) -> float:
    """The bound on regret with these constants, O(n^1.5), in the trajectory's units."""
    n, _, k = trajectory.expected.shape
    size = dimension(window)
    largest = max(
        float(np.linalg.norm(trajectory.features(at, window), axis=1).mean())
        for at in range(0, n, max(n // 50, 1))
    )
    log = np.log((size + n * largest**2 / bounds.delta) / size)
    inner = 2 * bounds.reward**2 * (np.log(1 / bounds.delta) + size / 2 * log)
    width = (
        np.sqrt(inner)
        + np.sqrt(n * size) * bounds.arm * bounds.reward / bounds.delta
        + bounds.weights * np.sqrt(size)
    )
    total = 2 * k * n * width * np.sqrt(size) * largest / bounds.delta
    total += 2 * k * n * bounds.arm * bounds.reward / bounds.delta
    return float(total + k * n * np.sqrt(4 * bounds.reward**2 * np.log(1 / bounds.delta)))
