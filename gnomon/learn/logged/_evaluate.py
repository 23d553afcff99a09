"""Second pass over a log: reward of learners, by replay and by inverse propensities.

* Replay (Li, Chu, Langford and Wang, 2011): a learner chooses in every round and learns on the way.
  If it agrees with the log, the round counts and is learned; other rounds are skipped. If the log
  has unequal propensities p, a round is first kept with probability (least p) / p. The remaining
  rounds show arms uniformly, and each visit remains with equal probability.
* Inverse propensities (Horvitz and Thompson, 1952), also self-normalized (Swaminathan and Joachims,
  2015): a learner is trained on all rounds of the first half, whichever arm was shown. Then it
  chooses in the second half without learning, and without exploration if it supports this.
* Best ranking: the arm with the highest rate of clicks in the pool, by the lower end of its
  interval, independent of the user. Rates of even rounds choose in odd rounds and vice versa, so
  that no click is used twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import hypot
from statistics import mean, stdev

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.base.interval import Interval
from gnomon.learn.algorithm import learners
from gnomon.learn.estimates import (
    Estimate,
    Support,
    self_normalised,
    weighted,
    wilson_interval,
)
from gnomon.learn.kernels import Floats
from gnomon.learn.learner import Arms, Learner
from gnomon.learn.logged._choices import LearnerChoice
from gnomon.learn.logged._log import ClickLog, Features
from gnomon.learn.logged._survey import Survey

_PROGRESS_PERIOD = 50


@dataclass(frozen=True, slots=True)
class Share:
    """Clicks and rounds."""

    clicks: int
    rounds: int

    @property
    def rate(self) -> Interval | None:
        """Clicks per round with the 95 % interval (Wilson); None without a round."""
        return wilson_interval(self.clicks, self.rounds) if self.rounds else None


@dataclass(frozen=True, slots=True)
class EvaluationOutcome:
    """Estimated reward of one learner.

    Attributes:
        learner: the user's text.
        replay: clicks while it learns, from the rounds that matched.
        taught: reward in the second half of a learner trained on the first half, by inverse
            propensities.
        taught_normalised: the same, self-normalized; None if no round matched.
        true_rate: the value that ``taught`` estimates, from the known rates of a synthetic log;
            None for real logs.
        exploits: whether the trained learner stops exploring.
    """

    learner: str
    replay: Share
    taught: Estimate
    taught_normalised: Estimate | None
    true_rate: float | None
    exploits: bool

    @property
    def taught_errors(self) -> float | None:
        """Distance of ``taught`` from the true rate, in standard errors; None if unavailable."""
        error = self.taught.standard_error
        if not error or self.true_rate is None:
            return None
        return (self.taught.value - self.true_rate) / error

    def replay_errors(self, rates: Sequence[float]) -> float | None:
        """Return the distance of ``replay`` from runs at the site itself with the given rates.

        The unit is the standard deviation of the difference between one more run and their mean.
        """
        if self.replay.rate is None:
            return None
        spread = stdev(rates) * (1.0 + 1.0 / len(rates)) ** 0.5
        return (self.replay.rate.value - mean(rates)) / spread if spread else None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Evaluation of all learners on one log.

    Attributes:
        logged: clicks of the site itself.
        best_ranking: by inverse propensities; see the module.
        outcomes: one for each learner.
    """

    logged: Share
    best_ranking: Estimate
    outcomes: tuple[EvaluationOutcome, ...]

    @staticmethod
    def choices(texts: Sequence[str]) -> tuple[LearnerChoice, ...]:
        """Read ``name``, ``name/variant`` or ``name/variant:key=value:key=value``; ``all`` for all.

        Raises:
            GnomonError: if no such learner or setting exists, or a learner occurs twice.
        """
        words: list[str] = []
        for text in texts:
            words += ["/".join(key) for key in learners()] if text == "all" else [text]
        for at, word in enumerate(words):
            if word in words[:at]:
                raise GnomonError(f"learner {word!r} is given twice")
        return tuple(map(LearnerChoice.read, words))

    @classmethod
    def from_log(
        cls,
        log: ClickLog,
        of: Survey,
        choices: Sequence[LearnerChoice],
        *,
        seed: int = 0,
        click_rate: Callable[[Features, str], float] | None = None,
        progress: Callable[[int], None] = lambda _: None,
    ) -> Evaluation:
        """Read a log again and evaluate all learners in one pass.

        Args:
            log: the surveyed log.
            of: its survey, which sets the number of rounds.
            choices: learners, from :meth:`choices`.
            seed: seed of the learners, and of the rounds that are kept.
            click_rate: rate of clicks of a user and an arm, if known.
            progress: function that receives the number of finished rounds.

        Raises:
            GnomonError: if the log cannot be read, or a learner rejects its sizes or values.
        """
        candidates = [
            _Candidate(choice.text, choice.build(of, seed), choice.build(of, seed))
            for choice in choices
        ]
        keep = np.random.default_rng([seed, 2])
        ranks = _ranks(of)
        best_clicks: list[int] = []
        best_propensities: list[float] = []
        half = of.rounds // 2
        for at, visit in enumerate(islice(log.visits(), of.rounds)):
            context, pool, arm = of.context(visit), of.pool(visit), of.number(visit.arm)
            kept = keep.random() * visit.propensity <= of.least_propensity
            for each in candidates:
                if kept and each.playing.select(context, pool) == arm:
                    each.playing.update(context, arm, float(visit.click))
                    each.matched += 1
                    each.clicks += visit.click
                if at < half:
                    each.taught.update(context, arm, float(visit.click))
                    continue
                chosen = each.plays(context, pool)
                if click_rate is not None:
                    each.true_sum += click_rate(visit.user, of.arms[chosen])
                if chosen == arm:
                    each.rewards.append(visit.click)
                    each.propensities.append(visit.propensity)
            if pool[ranks[1 - at % 2][pool].argmin()] == arm:
                best_clicks.append(visit.click)
                best_propensities.append(visit.propensity)
            if (at + 1) % _PROGRESS_PERIOD == 0:
                progress(at + 1)
        progress(of.rounds)
        tested = of.rounds - half
        support = Support(1.0 / of.least_propensity, 0.0, 1.0)
        return cls(
            Share(of.clicks, of.rounds),
            weighted(np.array(best_clicks), np.array(best_propensities), of.rounds, support),
            tuple(
                each.outcome(tested, support, known=click_rate is not None) for each in candidates
            ),
        )

    def regret(self, outcome: EvaluationOutcome) -> Interval | None:
        """Return the clicks per round that a learner misses, relative to the best ranking.

        The interval combines the intervals of both rates as if they were independent (MOVER, Zou
        and Donner, 2008). None if a rate is unavailable.
        """
        rate, best = outcome.replay.rate, self.best_ranking.interval
        if rate is None or best is None:
            return None
        gap = best.value - rate.value
        low = gap - hypot(best.value - best.low, rate.high - rate.value)
        high = gap + hypot(best.high - best.value, rate.value - rate.low)
        return Interval(gap, low, high)


@dataclass(slots=True)
class _Candidate:
    """Two copies of a learner: one plays, one is trained."""

    text: str
    playing: Learner
    taught: Learner
    clicks: int = 0
    matched: int = 0
    rewards: list[int] = field(default_factory=list)
    propensities: list[float] = field(default_factory=list)
    true_sum: float = 0.0

    def plays(self, context: Floats, pool: Arms) -> int:
        """Return the arm of the trained learner, without exploration if the learner supports it."""
        taught = self.taught
        return (taught.exploit if taught.exploits else taught.select)(context, pool)

    def outcome(self, rounds: int, support: Support, *, known: bool) -> EvaluationOutcome:
        """Return the outcome over the second half; ``known``: whether click rates are known."""
        given = np.array(self.rewards), np.array(self.propensities), rounds, support
        return EvaluationOutcome(
            self.text,
            Share(self.clicks, self.matched),
            weighted(*given),
            self_normalised(*given) if self.rewards else None,
            self.true_sum / rounds if known else None,
            self.taught.exploits,
        )


def _ranks(of: Survey) -> Floats:
    """Return the rank of each arm by the rounds of even and of odd number, 0 the best; (2, K)."""
    lower = np.zeros((2, len(of.arms)))
    for parity, (shows, clicks) in enumerate(of.shares):
        for arm, weight in enumerate(shows * of.least_propensity):
            if weight:
                lower[parity, arm] = wilson_interval(
                    float(clicks[arm] * of.least_propensity), float(weight)
                ).low
    order = np.argsort(-lower, axis=1, kind="stable")
    ranks: Floats = np.argsort(order, axis=1, kind="stable").astype(np.float64)
    return ranks
