"""Theorem 4.1, Lemma 1, section 4.2: cost of a step, convergence of moments, p from a run."""

from collections.abc import Sequence

import numpy as np

from gnomon.content.algorithms.bento_epsilon_greedy.learner import EpsilonGreedy
from gnomon.content.algorithms.bento_epsilon_greedy.suggest import (
    Constants,
    running_constants,
    smallest_eigenvalue,
)
from gnomon.learn import Trace
from gnomon.learn.kernels import Floats

from .bandits import NOISE, binary_contexts, unit_bandit
from .simulate import falling, simulate_exploring


def check_theory(seeds: Sequence[int], *, rounds: int, p: int) -> dict[str, Floats]:
    """Return, by criterion, the numbers that must be within its limits."""
    found = _suggested(seeds, rounds=rounds, p=p)
    moments = np.concatenate([found["eigenvalue"], found["noise"]])
    return {"Theorem 4.1": _excess(), "Lemma 1": _concentration(), "4.2 moments": moments,
            "4.2 p": found["p"]}  # fmt: skip


def _excess(d: int = 16, arms: int = 4) -> Floats:
    """Return exponents of operations and state as d, K, t double, less those of Theorem 4.1."""
    once = _of_step(d, arms, 1)
    larger = [_of_step(2 * d, arms, 1), _of_step(d, 2 * arms, 1), _of_step(d, arms, 2)]
    return np.log2(np.array(larger) / once) - [(3, 2), (1, 1), (0, 0)]


def _of_step(d: int, arms: int, times: int) -> tuple[int, int]:
    """Return operations of ``times`` exploited steps after 20 K explored ones, and state words."""
    learner = EpsilonGreedy(arms=arms, dimensions=d, p=20 * arms * times)
    contexts = np.random.default_rng(0).normal(size=(20 * arms * times, d))
    contexts /= np.linalg.norm(contexts, axis=1, keepdims=True)
    for x in contexts:
        learner.update(x, learner.select(x), 0.5)
    with Trace.record() as trace:
        learner.scores(contexts[0])
    return trace.operations().arithmetic, sum(each.size for each in learner.state.values())


def _concentration(draws: int = 200_000) -> Floats:
    """Return C for which Lemma 1's probability equals its bound, n = 200 over n = 50, G2 contexts.

    For eps of 0.1 and 0.15. C is constant if the probability falls exponentially, and falls to a
    third if the probability falls as 1 / n.
    """
    contexts, weights = binary_contexts(3)
    squares = contexts[:, :, None] * contexts[:, None]
    moment = np.einsum("m,mij->ij", weights, squares)
    rng, constants = np.random.default_rng(0), []
    eps = np.array([0.1, 0.15])
    for n in (50, 200):
        shares = rng.multinomial(n, weights, draws) / n
        off = np.einsum("rm,mij->rij", shares, squares) - moment
        norms = np.abs(np.linalg.eigvalsh(off)).max(axis=1) / np.linalg.norm(moment, 2)
        beyond = (norms[:, None] > eps).mean(axis=0)
        constants.append(-np.log(beyond / 2) / (eps**2 * n))
    return np.asarray(constants[1] / constants[0])


def _suggested(seeds: Sequence[int], *, rounds: int, p: int) -> dict[str, Floats]:
    """Return section 4.2 on G2: estimates of a run of Algorithm 1 over true ones, by bandit."""
    ratios: dict[str, list[float]] = {"eigenvalue": [], "noise": [], "p": []}
    for seed in seeds:
        bandit = unit_bandit(seed=seed)
        moment = bandit.contexts.T @ (bandit.weights[:, None] * bandit.contexts)
        best = np.sort(bandit.means, axis=1)
        gap = float((best[:, -1] - best[:, -2]).min())
        true = Constants(smallest_eigenvalue(moment), gap, NOISE / np.sqrt(2))
        drawn = bandit.draw(rounds, seed)
        run = simulate_exploring(drawn, falling(p), seed)
        contexts = bandit.contexts[drawn.which]
        rewards = drawn.rewards(np.arange(rounds), run.arms)
        found = running_constants(contexts, run.arms, rewards, run.explored, count=bandit.arms)
        for name in ("eigenvalue", "noise"):
            ratios[name].append(getattr(found, name) / getattr(true, name))
        ratios["p"].append(found.p(bandit.arms) / true.p(bandit.arms))
    return {name: np.array(values) for name, values in ratios.items()}
