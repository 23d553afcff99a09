"""Runs of the experiment: Figures 3 to 5, and studies over constants, systems and true windows."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from gnomon.base.result_cache import Keep, compute_uncached
from gnomon.content.algorithms.ares.models import Bounds
from gnomon.content.algorithms.ares.policy import Ares, AresP, Pies, play
from gnomon.content.algorithms.ares.system import Trajectory, random_system, simulate
from gnomon.content.reports.learners.orders import sign_flips
from gnomon.learn.kernels import Floats
from gnomon.report.study import Steps

from .policies import SHORT, Predictor, Random, UpperBound, policies
from .theory import prefix_error, recursion_error, theorem_4, theorems_1_to_3


@dataclass(frozen=True, slots=True)
class SystemResult:
    """Results of every policy on one system."""

    system: int  # its seed
    regret: dict[str, Floats] = field(repr=False)  # by policy, of each run, (B)
    late_windows: Floats  # mean window of each arm in the last half of the rounds, by ARES, (k)
    window_rounds: Any = field(repr=False)  # rounds of ``windows``
    windows: Floats = field(repr=False)  # mean window of each arm by ARES, (rounds, k)
    bonus_rounds: Any = field(repr=False)  # rounds of ``bonus``
    bonus: Floats = field(repr=False)  # mean exploration term of each arm by ARES, (rounds, k)

    def ratio(self, policy: str) -> float:
        """Return the mean regret over the mean regret of the oracle."""
        return float(self.regret[policy].mean() / self.regret["oracle"].mean())

    def deviation(self, policy: str) -> float:
        """Return the standard deviation over runs of the ratio of one run."""
        return float((self.regret[policy] / self.regret["oracle"]).std(ddof=1))


class _Watched(Ares):
    """ARES that records the windows and exploration terms of every round."""

    def __init__(self, trajectory: Trajectory) -> None:
        super().__init__(trajectory)
        self.seen_windows: list[Floats] = []
        self.seen_bonus: list[Floats] = []

    def choose(self, at: int, features: Floats) -> Any:
        arms = super().choose(at, features)
        self.seen_windows.append(self.window.mean(axis=0))
        self.seen_bonus.append(self.bonus.mean(axis=0))
        return arms


def run_system(
    seed: int,
    *,
    runs: int,
    rounds: int,
    noise_seed: int,
    windows: int = 10,
    progress: Callable[[], None] = lambda: None,
) -> SystemResult:
    """Play every policy on the same runs of one system; call ``progress`` after each."""
    trajectory = simulate(random_system(seed), runs=runs, rounds=rounds, seed=noise_seed)
    watched = _Watched(trajectory)
    regret = {"ares": play(trajectory, watched)}
    progress()
    for name, make in policies(windows).items():
        regret[name] = play(trajectory, make(trajectory))
        progress()
    seen, bonus = np.array(watched.seen_windows), np.array(watched.seen_bonus)
    every = np.arange(0, rounds, max(rounds // 100, 1))
    at = np.unique([*(t for t in (20, 50, 100, 300) if t < rounds), *every[2:], rounds - 1])
    return SystemResult(
        seed, regret, seen[rounds // 2 :].mean(axis=0), every, seen[every], at, bonus[at]
    )


def over_bounds(*, runs: int, rounds: int) -> list[dict[str, float]]:
    """Return mean ``window`` and ``ratio`` of ARES, system 17, by ``bound`` = B_R = B_c = B_G."""
    trajectory = simulate(random_system(17), runs=runs, rounds=rounds, seed=1017)
    oracle = play(trajectory, Predictor(trajectory, trajectory.predicted)).mean()
    rows = []
    for bound in (0.01, 0.02, 0.05, 0.1, 1.0):
        policy = Ares(trajectory, Bounds(reward=bound, arm=bound, weights=bound))
        ratio = float(play(trajectory, policy).mean() / oracle)
        rows.append({"bound": bound, "window": float(policy.window.mean()), "ratio": ratio})
    return rows


SYSTEMS = 20
COMPARED = ("ucb", "pies_short", "ares_p")
"""Policies that are tested against ARES on each of the systems."""


def many_systems(seed: int) -> dict[str, float]:
    """Return ``radius`` of a system (raw units, B = 1) and each policy's regret over the oracle's.

    The best window of PIES with a short exploration is chosen in hindsight. ``..._error`` is the
    standard error of a ratio, from the differences of the same runs. ``..._p`` is that of a
    sign-flip test of the policy against ARES in the same runs, not corrected.
    """
    system, runs = random_system(seed), 100
    trajectory = simulate(system, runs=runs, rounds=1000, seed=1000 + seed, normalised=False)
    oracle = play(trajectory, Predictor(trajectory, trajectory.predicted))
    ones = Bounds(reward=1.0, arm=1.0, weights=1.0)
    short = [play(trajectory, Pies(trajectory, s, SHORT)) for s in (0, 1, 2, 5, 10)]
    regrets = {
        "random": play(trajectory, Random(trajectory, np.random.default_rng(6))),
        "ucb": play(trajectory, UpperBound(trajectory)),
        "ares": play(trajectory, Ares(trajectory, ones)),
        "ares_p": play(trajectory, AresP(trajectory)),
        "pies_short": min(short, key=np.mean),
    }
    row = {"radius": system.radius}
    for name, regret in regrets.items():
        ratio = regret.mean() / oracle.mean()
        off = (regret - ratio * oracle).std(ddof=1) / np.sqrt(runs)
        row |= {name: float(ratio), f"{name}_error": float(off / oracle.mean())}
    return row | {f"{name}_p": sign_flips(regrets["ares"] - regrets[name]) for name in COMPARED}


def true_windows() -> list[dict[str, float]]:
    """Return E4: the true weights of a ``window`` on a ``system``: ``ratio`` to the oracle."""
    windows = (0, 1, 2, 5, 10)
    rows = []
    for seed in (1, 3, 4, 5, 7):
        trajectory = simulate(
            random_system(seed), runs=20, rounds=1000, seed=2000 + seed, windows=windows
        )

        def regret(predicted: Floats, of: Trajectory = trajectory) -> Floats:
            return np.asarray(play(of, Predictor(of, predicted)).mean())

        oracle = regret(trajectory.predicted)
        rows += [
            {"system": seed, "window": s, "ratio": float(regret(trajectory.windowed[s]) / oracle)}
            for s in windows
        ]
    return rows


@dataclass(frozen=True, slots=True)
class Extent:
    """Settings of one size of the experiment."""

    size: str  # ``small`` or ``full``, which adds studies over constants, systems and windows
    runs: int  # B, for each system
    rounds: int  # n
    noise_seeds: dict[int, int]  # by system
    windows: int  # the largest of PIES


EXTENTS = {
    "small": Extent("small", 10, 500, {17: 1}, 3),
    "full": Extent("full", 100, 1000, {17: 1017, 16: 1016}, 10),
}


@dataclass(frozen=True, slots=True)
class AresExperiment:
    """All results; the tables are empty in the small size."""

    extent: Extent  # size of the runs
    # every policy on systems 17 and 16; in the small size on 17 only
    systems: tuple[SystemResult, ...]
    theory: dict[str, float]  # section 6, by criterion
    # by ``bound`` B, the mean ``window`` and the ``ratio`` to the oracle's regret
    constants: pd.DataFrame = field(default_factory=pd.DataFrame)
    # ``radius`` of systems 1 to 20 and ratios to the oracle with errors, see ``many_systems``
    many: pd.DataFrame = field(default_factory=pd.DataFrame)
    # E4, ``ratio`` to the oracle's regret by ``system`` and ``window``
    windows: pd.DataFrame = field(default_factory=pd.DataFrame)

    @property
    def full(self) -> bool:
        return not self.many.empty


def run_ares(
    extent: Extent, progress: Steps | None = None, keep: Keep = compute_uncached
) -> AresExperiment:
    """Run the experiment in one of ``EXTENTS``."""
    told, tables = progress or Steps(), {}
    told.plan(len(extent.noise_seeds) * (1 + len(policies(extent.windows))))
    told.plan(3 + SYSTEMS if extent.size == "full" else 1)
    systems = tuple(
        keep.each(
            partial(
                run_system, seed, runs=extent.runs, rounds=extent.rounds, noise_seed=noise_seed,
                windows=extent.windows, progress=partial(told, f"system {seed}"),
            )
            for seed, noise_seed in extent.noise_seeds.items()
        )
    )  # fmt: skip
    if extent.size == "full":
        tables["constants"] = pd.DataFrame(keep(over_bounds, runs=16, rounds=extent.rounds))
        told("constants")
        calls = [partial(many_systems, seed) for seed in range(1, SYSTEMS + 1)]
        tables["many"] = pd.DataFrame(told.count(["many systems"] * SYSTEMS, keep.each(calls)))
        tables["windows"] = pd.DataFrame(keep(true_windows))
        told("true windows")
    theory = _theory(systems, extent, keep)
    told("theory")
    return AresExperiment(extent, systems, theory, **tables)


def _theory(systems: tuple[SystemResult, ...], extent: Extent, keep: Keep) -> dict[str, float]:
    one = simulate(random_system(17), runs=1, rounds=1000, seed=4000)
    short = simulate(random_system(17), runs=1, rounds=200, seed=4000)
    shares = []
    for result in systems:
        played = simulate(random_system(result.system), runs=2, rounds=extent.rounds, seed=1)
        shares.append(float(result.regret["ares"].max()) / theorem_4(played, Bounds()))
    return {
        "Recursions": max(recursion_error(one, window) for window in (0, 2, 10)),
        "ARES-chol": prefix_error(short),
        **keep(theorems_1_to_3),
        "Theorem 4": max(shares),
    }
