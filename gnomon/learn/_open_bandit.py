"""Logged bandit data in the dictionary of the Open Bandit Pipeline, and estimates from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gnomon.base.errors import GnomonError
from gnomon.learn.estimates import doubly_robust, mean_reward, self_normalised, weighted
from gnomon.learn.settings import positive

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.learn.estimates import Estimate
    from gnomon.learn.kernels import Floats
    from gnomon.learn.learner import Arms, Learner


@dataclass(frozen=True, slots=True)
class Log:
    """Rounds that some policy has played.

    Attributes:
        arms: number of arms.
        chosen: arm of each round, (T).
        rewards: (T).
        propensities: probability with which the policy chose that arm, above 0, (T).
        contexts: (T, d).
    """

    arms: int
    chosen: Arms = field(repr=False)
    rewards: Floats = field(repr=False)
    propensities: Floats = field(repr=False)
    contexts: Floats = field(repr=False)

    @classmethod
    def of_feedback(cls, feedback: Mapping[str, Any], *, position: int | None = None) -> Log:
        """Read a ``BanditFeedback`` dictionary, as ``obtain_batch_bandit_feedback`` returns it.

        Used are ``n_actions``, ``action``, ``reward``, ``pscore``, ``context`` and ``position``.

        Args:
            feedback: the dictionary.
            position: take only rounds of this slot of the page; needed where there are several.

        Raises:
            GnomonError: a key is missing, lengths differ, or a value is out of range.
        """
        for key in ("n_actions", "action", "reward", "pscore", "context"):
            if feedback.get(key) is None:
                raise GnomonError(f"the feedback has no {key!r} (it has: {', '.join(feedback)})")
        arms = int(feedback["n_actions"])
        chosen = _vector(feedback, "action")
        rewards = _vector(feedback, "reward", len(chosen))
        propensities = _vector(feedback, "pscore", len(chosen))
        contexts = np.asarray(feedback["context"], dtype=np.float64)
        if contexts.ndim != 2 or len(contexts) != len(chosen):
            raise GnomonError(
                f"'context' must have the shape ({len(chosen)}, d), not {contexts.shape}"
            )
        bad = (chosen < 0) | (chosen >= arms) | (chosen != np.floor(chosen))
        _refuse("action", chosen, bad, f"a whole number from 0 to {arms - 1}")
        _refuse(
            "pscore", propensities, ~((propensities > 0) & (propensities <= 1)), "above 0, up to 1"
        )
        _refuse("reward", rewards, ~np.isfinite(rewards), "a finite number")
        rows = _rows_of_position(feedback, position, len(chosen))
        return cls(
            arms,
            chosen.astype(np.int64)[rows],
            rewards[rows],
            propensities[rows],
            contexts[rows],
        )

    def replay(self, learner: Learner) -> tuple[Estimate, Learner]:
        """Replay estimate of a learner that learns as it goes (Li et al., 2011).

        The learner chooses in every round. Where it agrees with the log, the round counts and is
        learned; the others are passed over. Unbiased where the logging policy chose uniformly.

        Args:
            learner: where to start from; it is cloned and not changed.

        Returns:
            The estimate, of the matched rounds, and the learner afterwards.

        Raises:
            GnomonError: sizes do not fit, or no round matched.
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
        return mean_reward(np.array(earned)), learner

    def estimates(self, learner: Learner, *, most_weight: float = 10.0) -> dict[str, Estimate]:
        """What a learner would earn that no longer learns, by each estimator.

        ``ips`` and ``snips``: inverse propensities, self-normalized too, which needs a round in
        which learner and log agree. ``direct``: a ridge regression of the rewards of each arm, of
        that half of the rounds that the estimated one is not in. ``doubly-robust``: both.
        ``switch`` (Wang, Agarwal and Dudik, 2017): doubly robust where the weight is at most
        ``most_weight``, else direct.

        Args:
            learner: what would have chosen; it exploits if it can, and is not changed.
            most_weight: of ``switch``, above 0.

        Raises:
            GnomonError: sizes do not fit, or the weight is out of range.
        """
        positive("most_weight", most_weight)
        mine = _choices(learner, self)
        agrees, rounds = mine == self.chosen, np.arange(len(mine))
        of_model = self._expected()
        expected, of_logged = of_model[rounds, mine], of_model[rounds, self.chosen]
        weights = agrees / self.propensities
        found = {"ips": weighted(self.rewards[agrees], self.propensities[agrees], len(mine))}
        if agrees.any():
            found["snips"] = self_normalised(
                self.rewards[agrees], self.propensities[agrees], len(mine)
            )
        for name, used in (
            ("direct", weights * 0.0),
            ("doubly-robust", weights),
            ("switch", np.where(weights <= most_weight, weights, 0.0)),
        ):
            found[name] = doubly_robust(expected, of_logged, self.rewards, used)
        return found

    def _expected(self) -> Floats:
        """Rewards of all arms by a ridge regression of the other half of the rounds, (T, K)."""
        rows = np.column_stack([np.ones(len(self.chosen)), self.contexts])
        ridge = np.eye(rows.shape[1])
        expected: Floats = np.zeros((len(rows), self.arms))
        even = np.arange(len(rows)) % 2 == 0
        for mine, others in ((even, ~even), (~even, even)):
            for arm in range(self.arms):
                own = others & (self.chosen == arm)
                a = rows[own].T @ rows[own] + ridge
                expected[mine, arm] = rows[mine] @ np.linalg.solve(
                    a, rows[own].T @ self.rewards[own]
                )
        return expected

    def inverse_propensity(self, learner: Learner, *, self_normalized: bool = False) -> Estimate:
        """Inverse-propensity estimate of a learner that no longer learns: it exploits if it can.

        The mean over all rounds of the reward over its propensity where the learner agrees with the
        log, and of 0 where it does not. Unbiased where every arm the learner takes could be logged.

        Args:
            learner: what would have chosen.
            self_normalized: divide by the mean weight: a small bias for less variance.

        Raises:
            GnomonError: sizes do not fit, or no round matched where the mean weight is needed.
        """
        agrees = _choices(learner, self) == self.chosen
        rewards, propensities = self.rewards[agrees], self.propensities[agrees]
        if not self_normalized:
            return weighted(rewards, propensities, len(agrees))
        if not agrees.any():
            raise GnomonError(f"the learner and the log agree in none of {len(self.chosen)} rounds")
        return self_normalised(rewards, propensities, len(agrees))


def _choices(learner: Learner, log: Log) -> Arms:
    """What it plays in each round, learning nothing."""
    _check_sizes(learner, log)
    play = learner.exploit if learner.exploits else learner.clone().select
    return np.array([play(context) for context in log.contexts])


def _check_sizes(learner: Learner, log: Log) -> None:
    for what, mine, theirs in (
        ("arms", learner.sizes.arms, log.arms),
        ("context values", learner.sizes.dimensions, log.contexts.shape[1]),
    ):
        if mine != theirs:
            raise GnomonError(f"the learner has {mine} {what}, the log {theirs}")


def _vector(feedback: Mapping[str, Any], key: str, length: int | None = None) -> Floats:
    values = np.asarray(feedback[key], dtype=np.float64)
    if values.ndim != 1 or not len(values) or (length is not None and len(values) != length):
        rounds = "rounds" if length is None else str(length)
        raise GnomonError(f"{key!r} must have the shape ({rounds},), not {values.shape}")
    return values


def _refuse(key: str, values: Floats, bad: NDArray[np.bool_], allowed: str) -> None:
    if bad.any():
        row = int(bad.argmax())
        raise GnomonError(f"{key!r} must be {allowed}; in round {row} it is {values[row]:g}")


def _rows_of_position(
    feedback: Mapping[str, Any], position: int | None, rounds: int
) -> NDArray[np.bool_]:
    if feedback.get("position") is None:
        if position is not None:
            raise GnomonError(f"the feedback has no 'position', so none is {position}")
        return np.ones(rounds, dtype=np.bool_)
    positions = _vector(feedback, "position", rounds)
    known = np.unique(positions)
    words = ", ".join(f"{value:g}" for value in known)
    if position is None:
        if len(known) > 1:
            raise GnomonError(f"the feedback is of several positions; choose one of {words}")
        return np.ones(rounds, dtype=np.bool_)
    if position not in known:
        raise GnomonError(f"there is no round of position {position} (there are: {words})")
    return np.asarray(positions == position)
