"""How far estimates from a log are from what a policy really earns: many logs of one known site."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from gnomon.learn import Learner, Log, find_learner
from gnomon.learn.estimates import Estimate
from gnomon.learn.kernels import Floats

LOGS = {"small": 50, "full": 500}
"""Logs by size of the experiment."""

ROUNDS, TAUGHT_ROUNDS, TRUE_ROUNDS = 1_000, 2_000, 50_000
ARMS, LENGTH = 8, 5
MOST_WEIGHT = 10.0
"""Of the estimator ``switch``."""
_EVEN_SHARE = 0.2
"""Of what the site shows, so much is any arm; the rest follows what it believes in."""


class Site:
    """Contexts, rates of clicks and propensities, all known; not linear in the context."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._weights = 1.5 * rng.standard_normal((LENGTH, ARMS))
        self._beliefs = self._weights + rng.standard_normal((LENGTH, ARMS))

    def rates(self, contexts: Floats) -> Floats:
        """Clicks a visit, (T, K): from 2 % to 40 %."""
        return np.asarray(0.02 + 0.38 / (1.0 + np.exp(2.0 - contexts @ self._weights)))

    def contexts(self, rng: np.random.Generator, rounds: int) -> Floats:
        """A constant 1, then numbers from -1 up to 1, (T, d)."""
        return np.column_stack([np.ones(rounds), rng.uniform(-1, 1, (rounds, LENGTH - 1))])

    def log(self, rng: np.random.Generator, rounds: int) -> Log:
        """What it shows, and the clicks."""
        contexts = self.contexts(rng, rounds)
        shown = np.exp(contexts @ self._beliefs / 2.0)
        shares = _EVEN_SHARE / ARMS + (1.0 - _EVEN_SHARE) * shown / shown.sum(axis=1)[:, None]
        drawn = (shares.cumsum(axis=1) <= rng.random(rounds)[:, None]).sum(axis=1)
        chosen = np.minimum(drawn, ARMS - 1)
        every = np.arange(rounds)
        clicks = (rng.random(rounds) < self.rates(contexts)[every, chosen]).astype(np.float64)
        return Log(ARMS, chosen, clicks, shares[every, chosen], contexts)

    def earns(self, learner: Learner, rng: np.random.Generator) -> float:
        """The mean rate of the arms that it takes without exploration."""
        contexts = self.contexts(rng, TRUE_ROUNDS)
        arms = [learner.exploit(context) for context in contexts]
        return float(self.rates(contexts)[np.arange(TRUE_ROUNDS), arms].mean())


def estimator_errors(logs: int, seed: int, progress: Callable[[int], None]) -> pd.DataFrame:
    """Of each estimator: mean error, root of the mean square, and how often its interval holds."""
    rng = np.random.default_rng([seed, 3])
    site = Site(rng)
    make: Callable[..., Learner] = find_learner("linucb-disjoint", "optimized")
    learner = make(arms=ARMS, dimensions=LENGTH)
    lesson = site.log(rng, TAUGHT_ROUNDS)
    for context, arm, click in zip(lesson.contexts, lesson.chosen, lesson.rewards, strict=True):
        learner.update(context, int(arm), float(click))
    truth = site.earns(learner, rng)
    found: list[dict[str, Estimate]] = []
    for number in range(logs):
        found.append(site.log(rng, ROUNDS).estimates(learner, most_weight=MOST_WEIGHT))
        progress(number + 1)
    return pd.DataFrame(_row(name, [each[name] for each in found], truth) for name in found[0])


def _row(name: str, estimates: list[Estimate], truth: float) -> dict[str, str]:
    errors = np.array([each.value - truth for each in estimates])
    ends = [each.interval for each in estimates]
    holds = [each is not None and each.low <= truth <= each.high for each in ends]
    return {
        "estimator": name,
        "logs": str(len(estimates)),
        "true_rate": f"{truth:.4f}",
        "mean_error": f"{errors.mean():.4f}",
        "of_mean_error": f"{errors.std(ddof=1) / len(errors) ** 0.5:.4f}",
        "rms_error": f"{np.sqrt((errors**2).mean()):.4f}",
        "interval_holds_percent": f"{100.0 * np.mean(holds):.1f}",
    }
