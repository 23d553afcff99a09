"""The embedded learner: its choices by number format, and the cost of its steps on machines.

The explored steps depend on the learner's random numbers alone. So float gets the same explored
steps, and both learn from the same rewards: every unequal arm is a rounding error.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from gnomon.base.result_cache import Keep, compute_uncached
from gnomon.content.reports.embedded_learners.step_costs import Step, step_costs
from gnomon.measure import learners as bench

from .bandits import FiniteRounds, bernoulli_bandit, unit_bandit
from .simulate import falling, simulate_explored

LEARNER = "bento-epsilon-greedy"
P = 300
BITS = {
    "optimized": (6, 8, 10, 12, 14, 15, 16, 20, 24),
    "optimized-vector": (6, 8, 10, 12, 14, 15, 16, 20),
}
LIMITS = {16: 0.0005, 12: 0.003}
"""Criterion A11: share of unequal arms by fraction bits."""

_SEED = 1  # LEARNER_SEED


def explored_steps(
    rounds: int, arms: int, p: int, seed: int = _SEED
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the explored steps, from 0, and their arms: ``explored`` of the learner's C."""
    draws = bench.HostLearner.random_words(2 * rounds, seed).tolist()
    steps, chosen, at = [], [], 0
    for step in range(rounds):
        if step < p:
            steps.append(step)
            chosen.append((step + 1) % arms)
            continue
        at += 1
        if draws[at - 1] * (step + 1) >> 32 < p:
            steps.append(step)
            chosen.append(draws[at] * arms >> 32)
            at += 1
    return np.array(steps, dtype=np.int64), np.array(chosen, dtype=np.int64)


def compare_format(
    variant: bench.LearnerVariant, runs: Sequence[FiniteRounds], *, p: int, fraction_bits: int
) -> dict[str, Any]:
    """Play runs of bandits of one size on the host build and in float.

    Returns:
        ``unequal_share``: of the exploited steps, those with another arm than float; ``regret``:
        mean R(T); ``float_regret``: of float, in the same rounds with the same explored steps;
        ``ratio`` of the two.
    """
    bandit, total = runs[0].bandit, len(runs[0].which)
    sizes, built = (
        bench.EmbeddedSizes(bandit.dimensions, bandit.arms),
        variant.with_parameters(LEARNER_P=p),
    )
    host = bench.HostLearner(built, sizes, fraction_bits=fraction_bits)
    steps, arms = explored_steps(total, bandit.arms, p)
    unequal = 0
    regrets = np.zeros((len(runs), 2))
    for index, run in enumerate(runs):
        reference = simulate_explored(run, falling(p), steps, arms)
        contexts = run.bandit.contexts[run.which]
        played = bench.Play.from_floats(
            contexts, run.all_rewards(), fraction_bits=fraction_bits
        ).on(host)
        assert np.array_equal(played[steps], arms)
        unequal += int((played != reference.arms).sum())
        regret = run.bandit.gaps[run.which, played].sum()
        regrets[index] = regret, reference.regrets.sum()
    mean, float_mean = regrets.mean(axis=0)
    return {
        "variant": variant.name, "d": bandit.dimensions, "fraction_bits": fraction_bits,
        "unequal_share": unequal / (len(runs) * (total - len(steps))),
        "regret": mean, "float_regret": float_mean, "ratio": mean / float_mean,
    }  # fmt: skip


def run_formats(*, full: bool, keep: Keep = compute_uncached) -> pd.DataFrame:
    """Run all formats, 30 bandits of 20,000 rounds of each size (3 of 2,000 in the small size)."""
    learner = bench.find_embedded_learner(LEARNER)
    seeds, rounds = (range(7000, 7030), 20_000) if full else (range(7000, 7003), 2_000)
    bandits = (
        [unit_bandit(seed=seed) for seed in seeds],
        [bernoulli_bandit(dimensions=8, arms=6, seed=seed, noise="normal") for seed in seeds],
    )
    sizes = (
        [bandit.draw(rounds, seed=seed) for seed, bandit in zip(seeds, each, strict=True)]
        for each in bandits
    )
    return pd.DataFrame(
        keep.each(
            partial(compare_format, learner.variant(name, "tuned"), runs, p=P, fraction_bits=bits)
            for runs in sizes
            for name, choice in BITS.items()
            for bits in choice
        )
    )


def within_limits(formats: pd.DataFrame) -> list[str]:
    """Return the variants that meet criterion A11."""
    limits = formats["fraction_bits"].map(LIMITS).fillna(np.inf)
    over = set(formats[formats["unequal_share"] > limits]["variant"])
    return [name for name in BITS if name not in over]


def run_machines(*, full: bool, keep: Keep = compute_uncached) -> pd.DataFrame:
    """Run steps of eight arms and eight features on machines, after 1,000 steps, p = 80."""
    learner, sizes = bench.find_embedded_learner(LEARNER), bench.EmbeddedSizes(8, 8)
    explored = set(explored_steps(3000, sizes.arms, 10 * sizes.arms)[0].tolist())
    later = range(1000, 3000)
    at = {
        "explored": next(t for t in later if t in explored),
        "exploited after explored": next(t for t in later if {t, t - 1} & explored == {t - 1}),
        "exploited": next(t for t in later if not {t, t - 1} & explored),
    }
    steps = [
        Step(name, learner.variant(variant, "tuned"), warm_steps)
        for variant in ("standard", "optimized", "optimized-vector")
        for name, warm_steps in at.items()
    ]
    return step_costs(LEARNER, sizes, steps, full=full, keep=keep)
