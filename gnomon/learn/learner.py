"""Base class of learners: choose an arm for a context, learn from the reward."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from gnomon.base.errors import GnomonError
from gnomon.learn._arms import with_arms
from gnomon.learn._inputs import LARGEST_CONTEXT as LARGEST_CONTEXT  # noqa: PLC0414 - for learners
from gnomon.learn._inputs import (
    LARGEST_REWARD,
    check_arm,
    check_contexts,
    check_offer,
    check_reward,
    table_of,
)
from gnomon.learn._inputs import Arms as Arms  # noqa: PLC0414 - as above
from gnomon.learn._inputs import Sizes as Sizes  # noqa: PLC0414 - as above
from gnomon.learn._recorder import enter_stage, recorded_by
from gnomon.learn._recorder import recording as recording  # noqa: PLC0414 - for learners
from gnomon.learn._state import LearnerState
from gnomon.learn._watch import watching
from gnomon.learn.kernels import Floats, sqrt
from gnomon.learn.settings import share

LARGEST_LOSS = 0.01
"""Most negative variance that counts as rounding, as a share of the magnitude of its terms."""


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """An arm that a learner chose, with the state needed to learn its reward when it arrives.

    Attributes:
        number: index of the decision, from 0.
        arm: the arm to play.
        probability: probability of that choice; None if it has no closed form.
        contexts: one row for each arm, (arms, d).
        left: state that the selection leaves for its reward, by name.
    """

    number: int
    arm: int
    probability: float | None
    contexts: Floats
    left: dict[str, Floats]


class Learner(LearnerState, ABC):
    """A contextual bandit.

    A subclass defines ``name``, ``variant``, ``keeps``, ``_scores`` and ``_learn``. Its
    ``__init__`` takes the settings by keyword, stores each under its name and creates the state.

    * A learner that draws random numbers takes a ``seed``, passes it to the base class, and draws
      from ``generator`` alone. If it samples its arms, it defines ``_chances``.
    * A learner that does not always play the highest score defines ``_choose`` and clears
      ``follows_scores``. It chooses arms by ``_best``, ``_random_arm`` and ``_arm_in_turn``, which
      return arms on offer only.
    * A learner whose arrays grow defines ``state_shapes`` and ``_restore``.
    * A learner whose selection leaves state for the reward names it in ``leaves``, so that rewards
      may arrive late and in any order.

    Attributes:
        variant: ``standard``, ``optimized``, ``corrected``, ``rank-one``.
        follows_scores: whether ``select`` returns the arm of the highest score in every step.
        in_order: whether a reward must arrive before the next decision.
        exploits: whether its scores without ``_widths`` are the expected rewards.
    """

    variant: ClassVar[str]
    follows_scores: ClassVar[bool] = True
    in_order: ClassVar[bool] = False
    exploits: ClassVar[bool] = True

    @property
    def largest_context(self) -> float:
        """Largest magnitude of a context value that the learner accepts."""
        return LARGEST_CONTEXT

    def select(self, context: ArrayLike, on_offer: ArrayLike | None = None) -> int:
        """Return the arm with the highest score; if scores are equal, the lowest arm.

        A learner whose ``follows_scores`` is false may take another arm to explore.

        Args:
            context: one vector (d) for all arms, or one row for each arm (arms, d).
            on_offer: the arms to choose from in this round, each once; by default all arms.

        Raises:
            GnomonError: if a shape is wrong, a value is not finite or too large, an arm on offer
                does not exist, or the state has lost its precision.
        """
        contexts = check_contexts(context, self.sizes, self.largest_context)
        arms = None if on_offer is None else check_offer(on_offer, self.sizes)
        enter_stage("select")
        with watching(self, contexts) as seen:
            arm = int(
                self._choose(seen)
                if arms is None
                else self._offering(arms, lambda: self._choose(seen))
            )
        if self.leaves:
            self._selected = contexts[arm], arm
            self._unanswered += 1
        return arm

    def probabilities(self, context: ArrayLike, on_offer: ArrayLike | None = None) -> Floats:
        """Return the probability of each arm to be selected next, (arms,); the sum is 1.

        Raises:
            GnomonError: as for ``select``; or if the probabilities of the learner have no closed
                form.
        """
        contexts = check_contexts(context, self.sizes, self.largest_context)
        offer = None if on_offer is None else check_offer(on_offer, self.sizes)
        chances = self._distribution(contexts, offer)
        if chances is None:
            raise GnomonError(f"the probabilities of {self.name} have no closed form")
        return chances

    def _distribution(self, contexts: Floats, offer: Arms | None) -> Floats | None:
        """Return the probabilities of the arms; record nothing and leave the state unchanged."""
        names = (*self.leaves, "clamped_variances")
        before = {name: copy.copy(getattr(self, name)) for name in names}
        with recorded_by(None):
            chances = self._offering(offer, lambda: self._chances(contexts))
        vars(self).update(before)
        return chances

    def exploit(self, context: ArrayLike, on_offer: ArrayLike | None = None) -> int:
        """Return the arm of the highest expected reward, without exploration and without learning.

        This is the arm for a policy that no longer learns. Of equal arms, the lowest.

        Raises:
            GnomonError: as for ``select``; or if the learner has no estimate without exploration.
        """
        if not self.exploits:
            raise GnomonError(f"{self.name} has no estimate of rewards without exploration")
        contexts = check_contexts(context, self.sizes, self.largest_context)
        offer = None if on_offer is None else check_offer(on_offer, self.sizes)
        self._exploiting = True
        try:
            return self._offering(offer, lambda: self._best(self._scores(contexts)))
        finally:
            self._exploiting = False

    def scores(self, context: ArrayLike) -> Floats:
        """Return the score of each arm, as compared by ``select``."""
        return self._scores(check_contexts(context, self.sizes, self.largest_context))

    def update(self, context: ArrayLike, arm: int, reward: float) -> None:
        """Learn the reward of an arm in a context; the context as for ``select``.

        If the last selection chose this arm in this context, the reward belongs to this selection;
        otherwise, to an arm that another policy played.

        Raises:
            GnomonError: if the arm does not exist, a value is not finite or too large, or several
                selections are open and the learner must know which of them this reward belongs to.
                The learner is unchanged.
        """
        contexts, arm, value = self.checked(context, arm, reward)
        if self._unanswered and not self._is_selected(contexts, arm):
            if self._unanswered > 1:
                raise GnomonError(
                    f"{self._unanswered} selections have no reward yet, and {self.name} must know"
                    " which of them this one belongs to: use decide and learn in place of select"
                    " and update"
                )
            self.forget_selections()
        enter_stage("update")
        with watching(self, contexts) as seen:
            self._learn(seen, arm, value)
        self.steps += 1
        self._unanswered, self._selected = 0, None

    def checked(self, context: ArrayLike, arm: int, reward: float) -> tuple[Floats, int, float]:
        """Return the checked arguments of ``update``: contexts (arms, d), arm, reward.

        Raises:
            GnomonError: if the arm does not exist, or a value is not finite or too large.
        """
        contexts = check_contexts(context, self.sizes, self.largest_context)
        return contexts, check_arm(arm, self.sizes), check_reward(reward)

    def _is_selected(self, contexts: Floats, arm: int) -> bool:
        """Return whether the last selection chose this arm for this context."""
        if self._selected is None or self._selected[1] != arm:
            return False
        return np.array_equal(self._selected[0], contexts[arm])

    def decide(
        self,
        context: ArrayLike,
        on_offer: ArrayLike | None = None,
        *,
        perturb: float = 0.0,
        generator: np.random.Generator | None = None,
    ) -> Decision:
        """Select an arm whose reward may arrive late, in batches or in any order: see ``learn``.

        Args:
            context: as for ``select``.
            on_offer: as for ``select``.
            perturb: share of decisions that sample an arm on offer uniformly, so that a
                deterministic learner leaves a log with propensities.
            generator: generator of these samples.

        Raises:
            GnomonError: as for ``select``; if this learner needs rewards in order and one is
                missing; if ``perturb`` is not within 0 and 1, or the learner samples its arms.
        """
        if self.in_order and self._open:
            raise GnomonError(
                f"{self.name} must learn the reward of a decision before the next one:"
                f" decision {min(self._open)} has no reward yet"
            )
        if share("perturb", perturb) and (not self.follows_scores or generator is None):
            need = "a generator" if self.follows_scores else "a learner that draws nothing"
            raise GnomonError(f"perturb needs {need}; {self.name} is given {perturb!r}")
        contexts = check_contexts(context, self.sizes, self.largest_context)
        offer = None if on_offer is None else check_offer(on_offer, self.sizes)
        chances = self._distribution(contexts, offer)
        enter_stage("select")
        before = {name: getattr(self, name).copy() for name in self.leaves}
        with watching(self, contexts) as seen:
            arm = self._offering(offer, lambda: self._choose(seen))
        if perturb and generator is not None:
            arms = np.arange(self.sizes.arms) if offer is None else offer
            if generator.random() < perturb:
                arm = int(generator.choice(arms))
            if chances is not None:
                chances = (1.0 - perturb) * chances
                chances[arms] += perturb / len(arms)
        left = {name: getattr(self, name) for name in self.leaves}
        vars(self).update(before)
        decision = Decision(
            self._decisions, arm, None if chances is None else float(chances[arm]),
            contexts.copy(), left,
        )  # fmt: skip
        self._open.add(decision.number)
        self._decisions += 1
        return decision

    def learn(self, decision: Decision, reward: float | None) -> None:
        """Learn the reward of a decision of ``decide``; None if the reward will never arrive.

        Raises:
            GnomonError: if no decision of this number waits for its reward; or as for
                ``update``. The learner is unchanged.
        """
        if decision.number not in self._open:
            raise GnomonError(
                f"decision {decision.number} waits for no reward: it has one already, or another"
                " learner decided it"
            )
        if reward is None:
            self._lost += 1
        else:
            before = {
                name: getattr(self, name) for name in (*self.leaves, "_unanswered", "_selected")
            }
            after = {name: array.copy() for name, array in decision.left.items()}
            vars(self).update(after, _unanswered=0)
            try:
                self.update(decision.contexts, decision.arm, reward)
            finally:
                vars(self).update(before)
        self._open.remove(decision.number)

    def with_arms(self, kept: Sequence[int | None], **rows: ArrayLike) -> Self:
        """Return a learner with other arms and the same experience; this one is unchanged.

        State of an arm moves with the arm. State that arms share remains, including the experience
        from arms that are left out. New arms have learned nothing.

        Args:
            kept: number in this learner of each arm of the new learner; None: a new arm.
            rows: for learners with ``arm_features`` or ``actions``, a row for each new arm, by this
                name. Arms whose features are the rows of an identity matrix need none.

        Raises:
            GnomonError: if an arm does not exist or occurs twice, rows do not fit, or decisions
                wait for their rewards.

        Example:
            >>> from gnomon.learn import find_learner
            >>> learner = find_learner("ucb1")(arms=3, dimensions=1)
            >>> learner.with_arms([0, 2, None]).sizes.arms  # without arm 1, with a new one
            3
        """
        return with_arms(self, kept, rows)

    def run(self, contexts: ArrayLike, rewards: ArrayLike) -> Arms:
        """Select an arm and learn its reward, once per context.

        Arms and state equal those of ``select`` and ``update`` in turn, to the last bit, but all
        values are checked at once, before the first step.

        Args:
            contexts: one per step, (steps, d).
            rewards: reward of every arm in every step, (steps, arms); the learner learns the
                rewards of chosen arms.

        Returns:
            The arms chosen, (steps,).

        Raises:
            GnomonError: if a shape is wrong, or a value is not finite or too large; the learner is
                unchanged. Also if the state loses its precision; earlier steps are learned.
        """
        xs = table_of("contexts", contexts, self.sizes.dimensions, self.largest_context)
        rs = table_of("rewards", rewards, self.sizes.arms, LARGEST_REWARD)
        if len(xs) != len(rs):
            raise GnomonError(
                f"contexts and rewards must have as many rows, not {len(xs)} and {len(rs)}"
            )
        chosen = np.zeros(len(xs), dtype=np.int64)
        self._run(xs, rs, chosen)
        return chosen

    def _run(self, contexts: Floats, rewards: Floats, chosen: Arms) -> None:
        """Write the arms of all steps to ``chosen``."""
        for step, context in enumerate(contexts):
            chosen[step] = self._step(context, rewards[step])

    def _step(self, context: Floats, rewards: Floats) -> int:
        """Select an arm, learn its reward and return the arm."""
        arm = self.select(context)
        self.update(context, arm, float(rewards[arm]))
        return arm

    def _choose(self, contexts: Floats) -> int:
        """Return the arm to play for contexts of shape (arms, d)."""
        return self._best(self._scores(contexts))

    def _chances(self, contexts: Floats) -> Floats | None:
        """Return arm probabilities, (arms,), without sampling; None without a closed form."""
        return self._surely(self._choose(contexts)) if self.follows_scores else None

    @property
    def _turn(self) -> int:
        """Decisions so far: rewards learned, decisions that wait for theirs, and rewards lost."""
        return self.steps + len(self._open) + self._lost

    @abstractmethod
    def _scores(self, contexts: Floats) -> Floats:
        """Return one score per arm for contexts of shape (arms, d)."""

    @abstractmethod
    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        """Update the state with a reward."""

    def _widths(self, variances: Floats, magnitudes: Callable[[], Floats]) -> Floats:
        """Return the square roots of the variances of the arms; zeros for ``exploit``.

        Args:
            variances: one per arm.
            magnitudes: function that returns, per arm, the sum of the magnitudes of the terms of
                the variance.
        """
        if self._exploiting:
            return np.zeros_like(variances)
        negative = variances < 0
        if np.count_nonzero(negative):
            lost = variances < -LARGEST_LOSS * magnitudes()
            if lost.any():
                arm = int(lost.argmax())
                raise GnomonError(
                    f"the inverse matrices have lost their precision after {self.steps} updates:"
                    f" the variance of arm {arm} is {variances[arm]:.3g}, and must not be negative;"
                    " scale the contexts to about 1, or correct more often"
                )
            self.clamped_variances += int(negative.sum())
            variances = np.maximum(variances, 0.0)
        return sqrt(variances)
