"""One bandit played many times: how far its mean regret is from what the theory predicts."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import exp, log, sqrt
from typing import TYPE_CHECKING

import numpy as np

from gnomon.learn.epsilon_greedy._simulate import falling, simulate_exploring

if TYPE_CHECKING:
    from gnomon.learn.epsilon_greedy._environment import FiniteBandit
    from gnomon.learn.kernels import Floats


@dataclass(frozen=True, slots=True)
class Instance:
    """Mean over the runs of one bandit; predicted is p rho (1 + ln(T / p)).

    Attributes:
        seed: of the weights of the arms.
        p: weight of exploration.
        rounds: T.
        explored_ratio: explored steps over p (1 + ln(T / p)).
        exploration_ratio: regret of explored steps over predicted.
        regret_ratio: regret over predicted.
        slope_ratio: slope of regret over ln t on the last 90 % of the rounds, over p rho.
        fit_logarithm: R^2 of that line.
        fit_line: R^2 of a line through regret over t.
        regret: R(T).
        bound_ratio: R(T) over the bound of theorem 4.2.
        uniform_regret: rho.
        curve: mean regret after each step, (T).
    """

    seed: int
    p: int
    rounds: int
    explored_ratio: float
    exploration_ratio: float
    regret_ratio: float
    slope_ratio: float
    fit_logarithm: float
    fit_line: float
    regret: float
    bound_ratio: float
    uniform_regret: float
    curve: Floats = field(repr=False)


def play_instance(bandit: FiniteBandit, *, seed: int, rounds: int, p: int, runs: int) -> Instance:
    """Play ``runs`` runs with the seeds 100 ``seed`` + run."""
    played = [
        simulate_exploring(
            bandit.draw(rounds, seed=100 * seed + run), falling(p), seed=100 * seed + run
        )
        for run in range(runs)
    ]
    curve: Floats = np.mean([np.cumsum(run.regrets) for run in played], axis=0)
    explored = float(np.mean([run.explored.sum() for run in played]))
    exploration = float(np.mean([run.regrets[run.explored].sum() for run in played]))
    rho = bandit.uniform_regret
    expected = p * (1 + log(rounds / p))
    slope, fit_logarithm, fit_line = _lines(curve)
    regret = float(curve[-1])
    return Instance(
        seed=seed,
        p=p,
        rounds=rounds,
        explored_ratio=explored / expected,
        exploration_ratio=exploration / (rho * expected),
        regret_ratio=regret / (rho * expected),
        slope_ratio=slope / (p * rho),
        fit_logarithm=fit_logarithm,
        fit_line=fit_line,
        regret=regret,
        bound_ratio=regret / regret_bound(bandit, p, rounds),
        uniform_regret=rho,
        curve=curve,
    )


def regret_bound(bandit: FiniteBandit, p: int, rounds: int) -> float:
    """Theorem 4.2; it holds for p large enough only."""
    unit = bandit.largest_distance * sqrt(bandit.dimensions)
    size = float(np.linalg.norm(bandit.theta, axis=1).max())
    return unit * (p + 14 * bandit.arms * exp(size / 4) + p * log(rounds))


def _lines(curve: Floats) -> tuple[float, float, float]:
    """Slope over ln t, its R^2, and the R^2 over t, from T / 10 on."""
    steps = np.arange(len(curve) // 10, len(curve) + 1, dtype=np.float64)
    values = curve[len(curve) // 10 - 1 :]
    slope, fit = _line(np.log(steps), values)
    return slope, fit, _line(steps, values)[1]


def _line(x: Floats, y: Floats) -> tuple[float, float]:
    x, y = x - x.mean(), y - y.mean()
    slope = float(x @ y / (x @ x))
    rest = y - slope * x
    return slope, 1.0 - float(rest @ rest / (y @ y))
