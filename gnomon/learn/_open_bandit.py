"""Logged bandit data in the dictionary of the Open Bandit Pipeline, and estimates from it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnomon.base.errors import GnomonError
from gnomon.learn._inputs import short
from gnomon.learn.environment import Environment
from gnomon.learn.estimates import (
    Estimate,
    Support,
    covering,
    doubly_robust,
    mean_reward,
    self_normalised,
    weighted,
)
from gnomon.learn.kernels import Floats
from gnomon.learn.learner import Arms, Learner
from gnomon.learn.settings import positive, whole


@dataclass(frozen=True, slots=True)
class Log:
    """Rounds that a policy has played.

    Attributes:
        arms: number of arms.
        chosen: arm of each round, (T).
        rewards: reward of each round, (T).
        propensities: probability with which the policy chose that arm, above 0, (T).
        contexts: context of each round, (T, d).
    """

    arms: int
    chosen: Arms = field(repr=False)
    rewards: Floats = field(repr=False)
    propensities: Floats = field(repr=False)
    contexts: Floats = field(repr=False)

    @classmethod
    def from_feedback(cls, feedback: Mapping[str, Any], *, position: int | None = None) -> Log:
        """Read a ``BanditFeedback`` dictionary, as ``obtain_batch_bandit_feedback`` returns it.

        The keys are ``n_actions``, ``action``, ``reward``, ``pscore``, ``context``, ``position``.

        Args:
            feedback: the dictionary.
            position: the page position whose rounds are used; needed if there are several.

        Raises:
            GnomonError: if a key is missing, lengths differ, or a value is out of range.
        """
        if not isinstance(feedback, Mapping):
            raise GnomonError(f"the feedback must be a dictionary, not {short(feedback)}")
        for key in ("n_actions", "action", "reward", "pscore", "context"):
            if feedback.get(key) is None:
                raise GnomonError(f"the feedback has no {key!r} (it has: {', '.join(feedback)})")
        arms = _arms(feedback["n_actions"])
        chosen = _vector(feedback, "action")
        rewards = _vector(feedback, "reward", len(chosen))
        propensities = _vector(feedback, "pscore", len(chosen))
        contexts = _numbers(feedback, "context")
        if contexts.ndim != 2 or len(contexts) != len(chosen):
            raise GnomonError(
                f"'context' must have the shape ({len(chosen)}, d), not {contexts.shape}"
            )
        bad = (chosen < 0) | (chosen >= arms) | (chosen != np.floor(chosen))
        _refuse("action", chosen, bad, f"a whole number from 0 to {arms - 1}")
        share = (propensities > 0) & (propensities <= 1)
        _refuse("pscore", propensities, ~share, "above 0, up to 1")
        _refuse("reward", rewards, ~np.isfinite(rewards), "a finite number")
        _refuse("context", contexts, ~np.isfinite(contexts), "finite numbers")
        rows = _rows_of_position(feedback, position, len(chosen))
        actions = chosen.astype(np.int64)[rows]
        return cls(arms, actions, rewards[rows], propensities[rows], contexts[rows])

    @classmethod
    def from_play(
        cls,
        learner: Learner,
        environment: Environment,
        rounds: int,
        *,
        batch: int = 1,
        perturb: float = 0.0,
        generator: np.random.Generator | None = None,
    ) -> Log:
        """Let a learner play and learn in a simulator; return the log with its propensities.

        Args:
            learner: the learner, which is changed.
            environment: the simulator; its contexts are one vector for all arms.
            rounds: number of rounds.
            batch: number of rewards that are learned together; the rest at the end.
            perturb: as for ``Learner.decide``.
            generator: as for ``Learner.decide``.

        Raises:
            GnomonError: if a number is out of range, a context or a reward is rejected, the learner
                needs rewards in order and ``batch`` is above 1, or the probabilities have no closed
                form.
        """
        whole("rounds", rounds), whole("batch", batch)
        contexts, waiting, played = [], [], []
        for at in range(rounds):
            context = np.asarray(environment.context(), dtype=np.float64)
            if context.ndim != 1:
                raise GnomonError(f"a log has contexts of shape (d,), not {context.shape}")
            decision = learner.decide(context, perturb=perturb, generator=generator)
            if decision.probability is None:
                learner.learn(decision, None)
                raise GnomonError(f"the probabilities of {learner.name} have no closed form")
            contexts.append(context.copy())
            waiting.append((decision, environment.reward(decision.arm)))
            if len(waiting) == batch or at == rounds - 1:
                for each, reward in waiting:
                    learner.learn(each, reward)
                    played.append((each.arm, reward, each.probability))
                waiting = []
        arms, rewards, chances = np.array(played).T
        return cls(learner.sizes.arms, arms.astype(np.int64), rewards, chances, np.array(contexts))

    @property
    def feedback(self) -> dict[str, Any]:
        """Log as a ``BanditFeedback`` dictionary, for the estimators of the pipeline."""
        return {
            "n_rounds": len(self.chosen), "n_actions": self.arms, "action": self.chosen,
            "position": None, "reward": self.rewards, "pscore": self.propensities,
            "context": self.contexts, "action_context": np.eye(self.arms),
        }  # fmt: skip

    def replay(self, learner: Learner) -> tuple[Estimate, Learner]:
        """Return the replay estimate of a learner that learns during the log (Li et al., 2011).

        The learner chooses in every round. If it agrees with the log, the round counts and is
        learned; other rounds are skipped. Unbiased if the logging policy chose uniformly.

        Args:
            learner: the initial learner, which is cloned and not changed.

        Returns:
            The estimate, of the matched rounds, and the learner afterwards.

        Raises:
            GnomonError: if sizes do not fit, or no round matched.
        """
        _check_sizes(learner, self)
        learner = learner.clone()
        earned = []
        for context, arm, reward in zip(self.contexts, self.chosen, self.rewards, strict=True):
            if learner.select(context) == arm:
                learner.update(context, int(arm), float(reward))
                earned.append(float(reward))
        if not earned:
            raise GnomonError(f"the learner and the log agree in none of {len(self.chosen)} rounds")
        least, most = float(self.rewards.min()), float(self.rewards.max())
        return mean_reward(np.array(earned), Support(1.0, least, most)), learner

    def estimates(self, learner: Learner, *, most_weight: float = 10.0) -> dict[str, Estimate]:
        """Return the reward of a learner that no longer learns, by each estimator.

        * ``ips``: inverse propensities; ``snips``: the same, self-normalized, if learner and log
          agree in a round.
        * ``direct``: a ridge regression of the rewards of each arm, trained on the half of the
          rounds without the estimated round.
        * ``doubly-robust``: the combination of both.
        * ``switch`` (Wang, Agarwal and Dudik, 2017): doubly robust if the weight is at most
          ``most_weight``, else direct.

        Intervals are 95 %. The intervals of ``ips`` and ``snips`` count rounds that the log could
        have sampled (:func:`~gnomon.learn.estimates.weighted`). The other estimates are biased by
        their model, so their intervals include that of ``snips``. ``gnomon experiment logged``
        measures the coverage on logs of sites with known rates, by logging policy, rates, policy
        and rounds: 92.5 to 100 % of 200 logs each (``reports/logged/logged-coverage.csv``).
        ``tests/learn/test_intervals.py`` fails below 95 % less three standard errors. Intervals are
        wide if the log explored rarely, and None if all rewards of the log are equal.

        Args:
            learner: the evaluated learner, which is not changed. It exploits if it can. Otherwise
                its probabilities count, or one sample per round if they have no closed form.
            most_weight: largest weight of ``switch``, above 0.

        Raises:
            GnomonError: if sizes do not fit, or the weight is out of range.
        """
        positive("most_weight", most_weight)
        policy, rounds = _policy(learner, self), np.arange(len(self.chosen))
        of_model = self._expected()
        expected, of_logged = (policy * of_model).sum(axis=1), of_model[rounds, self.chosen]
        weights = policy[rounds, self.chosen] / self.propensities
        support = self._support(policy)
        widest = weighted(*_matched(self.rewards, weights), support)
        found = {"ips": widest}
        if weights.any():
            widest = self_normalised(*_matched(self.rewards, weights), support)
            found["snips"] = widest
        for name, used in (
            ("direct", weights * 0.0),
            ("doubly-robust", weights),
            ("switch", np.where(weights <= most_weight, weights, 0.0)),
        ):
            robust = doubly_robust(expected, of_logged, self.rewards, used)
            found[name] = covering(robust, widest)
        return found

    def _expected(self) -> Floats:
        """Return rewards of all arms by ridge regression of the other half of rounds, (T, K)."""
        rows = np.column_stack([np.ones(len(self.chosen)), self.contexts])
        ridge = np.eye(rows.shape[1])
        expected: Floats = np.zeros((len(rows), self.arms))
        even = np.arange(len(rows)) % 2 == 0
        for mine, others in ((even, ~even), (~even, even)):
            for arm in range(self.arms):
                own = others & (self.chosen == arm)
                a, b = rows[own].T @ rows[own] + ridge, rows[own].T @ self.rewards[own]
                expected[mine, arm] = rows[mine] @ np.linalg.solve(a, b)
        return expected

    def inverse_propensity(self, learner: Learner, *, self_normalized: bool = False) -> Estimate:
        """Return the inverse-propensity estimate of a learner that no longer learns.

        It is the mean over all rounds of reward over propensity if the learner agrees with the log,
        else 0. Unbiased if the logging policy could choose every arm that the learner chooses.

        Args:
            learner: the evaluated learner; it exploits if it can.
            self_normalized: whether to divide by the mean weight: small bias, less variance.

        Raises:
            GnomonError: if sizes do not fit, or no round matched and ``self_normalized`` is set.
        """
        policy = _policy(learner, self)
        taken = policy[np.arange(len(self.chosen)), self.chosen]
        if self_normalized and not taken.any():
            raise GnomonError(f"the learner and the log agree in none of {len(self.chosen)} rounds")
        estimate = self_normalised if self_normalized else weighted
        given = _matched(self.rewards, taken / self.propensities)
        return estimate(*given, self._support(policy))

    def _support(self, policy: Floats) -> Support:
        """Return the range of weights and rewards of this log for a policy, (T, K)."""
        most_weight = float(policy.max()) / float(self.propensities.min())
        return Support(most_weight, float(self.rewards.min()), float(self.rewards.max()))


def _matched(rewards: Floats, weights: Floats) -> tuple[Floats, Floats, int]:
    """Return rewards and inverse weights of rounds with a weight, and the number of all rounds."""
    agrees = weights > 0
    return rewards[agrees], 1.0 / weights[agrees], len(weights)


def _policy(learner: Learner, log: Log) -> Floats:
    """Return the probability of each arm in each round, without learning, (T, K)."""
    _check_sizes(learner, log)
    learner = learner.clone()
    if not learner.exploits:
        with suppress(GnomonError):  # no closed form: its samples replace the probabilities
            return np.array([learner.probabilities(context) for context in log.contexts])
    play = learner.exploit if learner.exploits else learner.select
    return np.eye(log.arms)[[play(context) for context in log.contexts]]


def _check_sizes(learner: Learner, log: Log) -> None:
    for what, mine, theirs in (
        ("arms", learner.sizes.arms, log.arms),
        ("context values", learner.sizes.dimensions, log.contexts.shape[1]),
    ):
        if mine != theirs:
            raise GnomonError(f"the learner has {mine} {what}, the log {theirs}")


def _arms(given: Any) -> int:
    try:
        arms = int(given)
    except (TypeError, ValueError, OverflowError):
        arms = 0
    if arms < 1 or arms != given:
        raise GnomonError(f"'n_actions' must be a whole number from 1, not {short(given)}")
    return arms


def _numbers(feedback: Mapping[str, Any], key: str) -> Floats:
    try:
        return np.asarray(feedback[key], dtype=np.float64)
    except (TypeError, ValueError):
        raise GnomonError(f"{key!r} must be numbers, not {short(feedback[key])}") from None


def _vector(feedback: Mapping[str, Any], key: str, length: int | None = None) -> Floats:
    values = _numbers(feedback, key)
    if values.ndim != 1 or not len(values) or (length is not None and len(values) != length):
        rounds = "rounds" if length is None else str(length)
        raise GnomonError(f"{key!r} must have the shape ({rounds},), not {values.shape}")
    return values


def _refuse(key: str, values: Floats, bad: NDArray[np.bool_], allowed: str) -> None:
    if bad.any():
        place = np.unravel_index(bad.argmax(), bad.shape)
        raise GnomonError(
            f"{key!r} must be {allowed}; in round {place[0]} it is {float(values[place]):g}"
        )


def _rows_of_position(
    feedback: Mapping[str, Any], position: int | None, rounds: int
) -> NDArray[np.bool_]:
    if feedback.get("position") is None:
        if position is not None:
            raise GnomonError(f"the feedback has no 'position', so {position} cannot be chosen")
        return np.ones(rounds, dtype=np.bool_)
    positions = _vector(feedback, "position", rounds)
    known = np.unique(positions)
    words = ", ".join(f"{value:g}" for value in known)
    if position is None and len(known) > 1:
        raise GnomonError(f"the feedback is of several positions; choose one of {words}")
    if position is not None and position not in known:
        raise GnomonError(f"no round has position {position} (allowed: {words})")
    return np.asarray(positions == (known[0] if position is None else position))
