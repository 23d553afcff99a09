"""Errors of estimates from a log: many logs of one known site."""

from collections.abc import Callable, Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd

from gnomon.learn import Learner, Log, find_learner
from gnomon.learn.estimates import Estimate
from gnomon.learn.kernels import Floats

LOGS = {"small": 50, "full": 500}
"""Logs by size of the experiment."""

ROUNDS, TAUGHT_ROUNDS, TRUE_ROUNDS = 1_000, 2_000, 50_000
ARMS, LENGTH = 8, 5
ESTIMATORS = ("ips", "snips", "direct", "doubly-robust", "switch")
MOST_WEIGHT = 10.0
"""Of the estimator ``switch``."""
_EVEN_SHARE = 0.2
"""Share of rounds in which a ``soft`` site shows any arm; the rest follows its beliefs."""
_EXPLORED = 0.1
"""Share of rounds in which an ``epsilon-greedy`` site shows any arm."""

LOGGED_BY = ("soft", "uniform", "epsilon-greedy")
"""Policies that log."""
RATES = {"common": (0.02, 0.4), "rare": (0.002, 0.03)}
"""Least and largest clicks a visit."""
COVERAGE_LOGS = {"small": 20, "full": 200}
"""Logs of each row of the table of coverage, by size of the experiment."""
COVERAGE_ROUNDS = (100, 300, 1_000)


class Site:
    """Contexts, rates of clicks and propensities, all known; not linear in the context."""

    def __init__(
        self, rng: np.random.Generator, logged_by: str = "soft", rates: str = "common"
    ) -> None:
        self._weights = 1.5 * rng.standard_normal((LENGTH, ARMS))
        self._beliefs = self._weights + rng.standard_normal((LENGTH, ARMS))
        self._logged_by = logged_by
        self._least, self._most = RATES[rates]

    def rates(self, contexts: Floats) -> Floats:
        """Return the clicks a visit, (T, K)."""
        spread = self._most - self._least
        return np.asarray(self._least + spread / (1.0 + np.exp(2.0 - contexts @ self._weights)))

    def shares(self, contexts: Floats) -> Floats:
        """Return the probability with which the site shows each arm, (T, K)."""
        beliefs = contexts @ self._beliefs
        if self._logged_by == "uniform":
            return np.full(beliefs.shape, 1.0 / ARMS)
        if self._logged_by == "epsilon-greedy":
            best = np.eye(ARMS)[beliefs.argmax(axis=1)]
            return np.asarray(_EXPLORED / ARMS + (1.0 - _EXPLORED) * best)
        shown = np.exp(beliefs / 2.0)
        return np.asarray(
            _EVEN_SHARE / ARMS + (1.0 - _EVEN_SHARE) * shown / shown.sum(axis=1)[:, None]
        )

    def contexts(self, rng: np.random.Generator, rounds: int) -> Floats:
        """Sample contexts: a constant 1, then numbers from -1 up to 1, (T, d)."""
        return np.column_stack([np.ones(rounds), rng.uniform(-1, 1, (rounds, LENGTH - 1))])

    def log(self, rng: np.random.Generator, rounds: int) -> Log:
        """Sample the arms shown, and the clicks."""
        contexts = self.contexts(rng, rounds)
        shares = self.shares(contexts)
        drawn = (shares.cumsum(axis=1) <= rng.random(rounds)[:, None]).sum(axis=1)
        chosen = np.minimum(drawn, ARMS - 1)
        every = np.arange(rounds)
        clicks = (rng.random(rounds) < self.rates(contexts)[every, chosen]).astype(np.float64)
        return Log(ARMS, chosen, clicks, shares[every, chosen], contexts)

    def earns(self, learner: Learner, rng: np.random.Generator) -> float:
        """Return the mean rate of the arms that it takes without exploration, if it can."""
        contexts = self.contexts(rng, TRUE_ROUNDS)
        rates = self.rates(contexts)
        if not learner.exploits:
            return float(np.mean(rates @ learner.probabilities(contexts[0])))
        arms = [learner.exploit(context) for context in contexts]
        return float(rates[np.arange(TRUE_ROUNDS), arms].mean())

    def taught(self, rng: np.random.Generator) -> Learner:
        """Return LinUCB, trained on a log of this site."""
        make: Callable[..., Learner] = find_learner("linucb-disjoint", "optimized")
        learner = make(arms=ARMS, dimensions=LENGTH)
        lesson = self.log(rng, TAUGHT_ROUNDS)
        for context, arm, click in zip(lesson.contexts, lesson.chosen, lesson.rewards, strict=True):
            learner.update(context, int(arm), float(click))
        return learner


def estimator_errors(logs: int, seed: int, progress: Callable[[int], None]) -> pd.DataFrame:
    """Return, per estimator: mean error, root mean square, and interval coverage."""
    rng = np.random.default_rng([seed, 3])
    site = Site(rng)
    learner = site.taught(rng)
    truth = site.earns(learner, rng)
    found: list[dict[str, Estimate]] = []
    for number in range(logs):
        found.append(site.log(rng, ROUNDS).estimates(learner, most_weight=MOST_WEIGHT))
        progress(number + 1)
    return pd.DataFrame(_row(name, [each[name] for each in found], truth) for name in found[0])


def interval_coverage(logs: int, seed: int, progress: Callable[[int], None]) -> pd.DataFrame:
    """Return how often the 95 % interval of each estimator holds the true rate, in percent.

    A row is a policy that logs, a range of rates, a policy whose rate is estimated and a number of
    rounds; ``no_interval``: percent of logs without an informative click.
    """
    rows = []
    for number, (logged_by, rates) in enumerate(product(LOGGED_BY, RATES)):
        rng = np.random.default_rng([seed, 4, number])
        site = Site(rng, logged_by, rates)
        any_arm: Callable[..., Learner] = find_learner("uniform")
        for learner in (site.taught(rng), any_arm(arms=ARMS, dimensions=LENGTH)):
            truth = site.earns(learner, rng)
            for rounds in COVERAGE_ROUNDS:
                found = [site.log(rng, rounds).estimates(learner) for _ in range(logs)]
                case = {"logged_by": logged_by, "rates": rates, "policy": learner.name}
                rows.append(case | {"rounds": str(rounds)} | _holds(found, truth))
                progress(len(rows))
    return pd.DataFrame(rows)


COVERAGE_ROWS = len(LOGGED_BY) * len(RATES) * 2 * len(COVERAGE_ROUNDS)


def _holds(found: Sequence[Mapping[str, Estimate]], truth: float) -> dict[str, str]:
    cells = {"logs": str(len(found)), "true_rate": f"{truth:.4f}"}
    for name in ESTIMATORS:
        ends = [each[name].interval for each in found if name in each]
        held = [end.low <= truth <= end.high for end in ends if end is not None]
        cells[name] = f"{100.0 * np.mean(held):.1f}" if held else ""
    none = [each["ips"].interval is None for each in found]
    return cells | {"no_interval": f"{100.0 * np.mean(none):.1f}"}


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
