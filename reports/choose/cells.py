"""The cells of the study: a space-filling sample of conditions, and random systems by seed."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.stats import qmc

from gnomon.content.algorithms.ares import system as ares
from gnomon.content.reports.learners.problems import Given, Problem
from gnomon.explore.learner_costs import FEATURES
from gnomon.explore.regret_law import (
    CONTEXT_LAWS,
    MOST_RATE,
    RANGES,
    STATE,
    Conditions,
)
from gnomon.learn.kernels import Floats

SIZES = (2, 3, 5, 8, 12, 20, 32)
"""Sizes of contexts and numbers of arms: few, so that cells share compiled programs."""

DESIGN_SEED = 35
MOST_WORK = 2e8
"""Largest horizon * arms * d * d of a cell; larger ones are outside the study."""

CORRELATION = 0.8  # of neighboring numbers of correlated contexts
_STEP = 0.05  # weights that drift change after this share of their memory
_LEAST_RATE = 1e-5
_HORIZONS = 13  # quarter decades from 100 to 100,000


@dataclass(frozen=True, slots=True)
class Cell:
    """Conditions with a number: its place in the design."""

    number: int
    at: Conditions

    @property
    def problem(self) -> Problem:
        """The cell in the form that the learners' entries take."""
        at = self.at
        return Problem("cell", "", "", "", at.d, at.d, at.arms, FEATURES,
                       lambda rounds, seed: draw(at, rounds, seed))  # fmt: skip

    def draw(self, seed: int) -> Given:
        """Return the rounds of a random system."""
        return draw(self.at, self.at.horizon, seed)


@cache
def design(count: int, seed: int = DESIGN_SEED) -> tuple[Cell, ...]:
    """Return the first cells of a scrambled Sobol sequence, so that each prefix fills the space.

    Points above ``MOST_WORK`` are left out.
    """
    sampler = qmc.Sobol(8, scramble=True, rng=np.random.default_rng(seed))
    cells: list[Cell] = []
    while len(cells) < count:
        for point in sampler.random(64):
            at = _conditions(point)
            if at.horizon * at.arms * at.d**2 <= MOST_WORK and len(cells) < count:
                cells.append(Cell(len(cells), at))
    return tuple(cells)


def _conditions(point: Floats) -> Conditions:
    u = [float(each) for each in point]

    def one(of: tuple[int, ...], at: float) -> int:
        return of[min(int(at * len(of)), len(of) - 1)]

    low, high = RANGES["noise"]
    contexts = CONTEXT_LAWS[min(int(u[5] * len(CONTEXT_LAWS)), len(CONTEXT_LAWS) - 1)]
    drifts = u[4] >= 0.5 and contexts != STATE
    span = np.log(MOST_RATE / _LEAST_RATE)
    rate = float(_LEAST_RATE * np.exp(span * (2 * u[4] - 1))) if drifts else 0.0
    return Conditions(
        d=one(SIZES, u[0]),
        arms=one(SIZES, u[1]),
        horizon=round(100 * 10 ** (min(int(u[2] * _HORIZONS), _HORIZONS - 1) / 4)),
        noise=float(f"{low * (high / low) ** u[3]:.3g}"),
        rate=float(f"{rate:.3g}"),
        contexts=contexts,
        shared=u[6] >= 0.5 and contexts != STATE,
    )


def draw(at: Conditions, rounds: int, seed: int) -> Given:
    """Return rounds of a random system: expected rewards have a standard deviation of about 1."""
    if at.contexts == STATE:
        return _hidden_state(at, rounds, seed)
    rng = np.random.default_rng((seed, at.d, at.arms))
    contexts, features = _contexts(at, rounds, rng)
    scale = 1.0 / np.sqrt(_mean_square(at))

    def fresh() -> tuple[Floats, Floats]:
        return rng.normal(size=(at.arms, at.d)), rng.normal(size=(FEATURES, at.d))

    def weights(own: Floats, common: Floats) -> Floats:
        both = (own + features @ common) / np.sqrt(2.0) if at.shared else own
        return np.asarray(scale * both)

    own, common = fresh()
    expected = np.empty((rounds, at.arms))
    block = max(1, int(_STEP / at.rate)) if at.rate else rounds
    kept = (1.0 - at.rate) ** block
    for first in range(0, rounds, block):
        if first:
            more = fresh()
            own, common = (
                kept * old + np.sqrt(1.0 - kept**2) * new
                for old, new in zip((own, common), more, strict=True)
            )
        expected[first : first + block] = contexts[first : first + block] @ weights(own, common).T
    return Given(contexts, expected, at.noise * rng.normal(size=rounds), features)


def _contexts(at: Conditions, rounds: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return contexts, and features of the arms, whose squares sum to 1 on average."""
    features = rng.normal(size=(at.arms, FEATURES)) / np.sqrt(FEATURES)
    if at.contexts == "uniform":
        return rng.uniform(size=(rounds, at.d)), features
    if at.contexts == "one-hot":
        return np.eye(at.d)[rng.integers(at.d, size=rounds)], features
    contexts = rng.normal(size=(rounds, at.d))
    if at.contexts == "correlated":
        places = np.arange(at.d)
        covariance = CORRELATION ** np.abs(places[:, None] - places)
        contexts = contexts @ np.linalg.cholesky(covariance).T
    return contexts, features


def _mean_square(at: Conditions) -> float:
    """Return the mean squared length of a context."""
    return {"uniform": at.d / 3.0, "one-hot": 1.0}.get(at.contexts, float(at.d))


def _hidden_state(at: Conditions, rounds: int, seed: int) -> Given:
    """Return a linear Gaussian system of ARES; a context observes the state one round before.

    Each seed has its own system. The noise of a reward is relative to the standard deviation of the
    arm whose expected reward varies most.
    """
    system, rng = (
        ares.random_system(seed, contexts=at.d, arms=at.arms),
        np.random.default_rng((seed, 1)),
    )
    still = ares.stationary_covariance(system)

    def noise(covariance: Floats) -> Floats:
        root = np.linalg.cholesky(covariance)
        found: Floats = rng.standard_normal((rounds + 1, len(root))) @ root.T
        return found

    of_state, of_context = noise(system.state_noise), noise(system.context_noise)
    z = np.empty_like(of_state)
    z[0] = np.linalg.cholesky(still) @ rng.standard_normal(len(still))
    for at_round in range(rounds):
        z[at_round + 1] = system.gamma @ z[at_round] + of_state[at_round]
    looks = z @ system.contexts.T + of_context
    in_context, _ = ares.in_units(system, still)
    of_arms = np.sqrt(np.einsum("ad,de,ae->a", system.arms, still, system.arms).max())
    features = rng.normal(size=(at.arms, FEATURES)) / np.sqrt(FEATURES)
    return Given((looks / in_context)[:-1], (z[1:] @ system.arms.T) / of_arms,
                 at.noise * rng.normal(size=rounds), features)  # fmt: skip
