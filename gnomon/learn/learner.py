"""What every learner does: choose an arm for a context, learn from the reward."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

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
"""How far below 0 a variance may be and count as rounding, as a share of its terms."""


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """An arm that a learner decided for, and what it needs to learn the reward when that comes.

    Attributes:
        number: of the learner's decisions, from 0.
        arm: to play.
        probability: with which the learner took that arm; None where it has no closed form.
        contexts: one row for each arm, (arms, d).
        left: by name, the state that the selection left for its reward.
    """

    number: int
    arm: int
    probability: float | None
    contexts: Floats
    left: dict[str, Floats]


class Learner(LearnerState, ABC):
    """A contextual bandit.

    A new learner writes ``name``, ``variant``, ``keeps``, ``_scores`` and ``_learn``; ``__init__``
    takes the settings by keyword, keeps each under its name and creates the state. A learner that
    draws random numbers takes a ``seed``, hands it on, and draws from ``generator`` alone. One that
    does not always play the highest score writes ``_choose`` and clears ``follows_scores``; one
    whose arrays grow writes ``state_shapes`` and ``_restore``. Arms are taken by ``_best``,
    ``_random_arm`` and ``_arm_in_turn``, which keep to the arms on offer. One that draws its arms
    writes ``_chances``, and one that leaves something for the reward of a selection names it in
    ``leaves``, so that rewards may come late and in any order.

    Attributes:
        name: of the algorithm, as on the command line.
        variant: ``standard``, ``optimized``, ``corrected``, ``rank-one``.
        follows_scores: ``select`` is the arm of the highest score, in every step.
        leaves: names of arrays of the state that a selection leaves for its own reward; ones are
            for a reward without a selection.
        in_order: a reward must come before the next decision.
        exploits: its scores without ``_widths`` are the rewards that it expects.
    """

    name: ClassVar[str]
    variant: ClassVar[str]
    follows_scores: ClassVar[bool] = True
    leaves: ClassVar[tuple[str, ...]] = ()
    in_order: ClassVar[bool] = False
    exploits: ClassVar[bool] = True

    @property
    def largest_context(self) -> float:
        """Largest magnitude of a context value that is taken."""
        return LARGEST_CONTEXT

    def select(self, context: ArrayLike, on_offer: ArrayLike | None = None) -> int:
        """The arm with the highest score; of equal scores, the lowest arm.

        A learner whose ``follows_scores`` is false may take another arm to explore.

        Args:
            context: one vector (d) for all arms, or one row for each arm (arms, d).
            on_offer: the arms to choose from in this round, each once; without it, all arms.

        Raises:
            GnomonError: a shape is wrong, a value is not finite or too large, an arm on offer does
                not exist, or the state has lost its precision.
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

    def _renumbered(
        self, state: dict[str, Floats], kept: Sequence[int | None]
    ) -> dict[str, Floats]:
        """The state for other arms, where it holds numbers of arms."""
        del kept
        return state

    def probabilities(self, context: ArrayLike, on_offer: ArrayLike | None = None) -> Floats:
        """The probability of each arm to be selected next, (arms,); their sum is 1.

        Raises:
            GnomonError: as for ``select``; or the learner draws its arm in a way that has no closed
                form.
        """
        contexts = check_contexts(context, self.sizes, self.largest_context)
        offer = None if on_offer is None else check_offer(on_offer, self.sizes)
        chances = self._distribution(contexts, offer)
        if chances is None:
            raise GnomonError(f"the probabilities of {self.name} have no closed form")
        return chances

    def _distribution(self, contexts: Floats, offer: Arms | None) -> Floats | None:
        """The chances of the arms; finding them is no step, so nothing is recorded or changed."""
        names = (*self.leaves, "clamped_variances")
        before = {name: copy.copy(getattr(self, name)) for name in names}
        with recorded_by(None):
            chances = self._offering(offer, lambda: self._chances(contexts))
        vars(self).update(before)
        return chances

    def exploit(self, context: ArrayLike, on_offer: ArrayLike | None = None) -> int:
        """The arm of the highest expected reward, nothing added to explore; it learns nothing.

        What a policy that no longer learns should play. Of equal arms, the lowest.

        Raises:
            GnomonError: as for ``select``; or the learner has no estimate apart from exploration.
        """
        if not self.exploits:
            raise GnomonError(f"{self.name} has no estimate apart from what it adds to explore")
        contexts = check_contexts(context, self.sizes, self.largest_context)
        offer = None if on_offer is None else check_offer(on_offer, self.sizes)
        self._exploiting = True
        try:
            return self._offering(offer, lambda: self._best(self._scores(contexts)))
        finally:
            self._exploiting = False

    def scores(self, context: ArrayLike) -> Floats:
        """The score of each arm, as ``select`` compares them."""
        return self._scores(check_contexts(context, self.sizes, self.largest_context))

    def update(self, context: ArrayLike, arm: int, reward: float) -> None:
        """Learn the reward of an arm in a context; the context as for ``select``.

        The reward is that of the last selection, if it was of this arm in this context, and
        otherwise one of an arm that somebody else has played.

        Raises:
            GnomonError: the arm does not exist, or a value is not finite or too large; or it cannot
                be told which of several selections the reward belongs to, and that matters here.
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
        """Return what ``update`` takes, as it learns it: contexts of (arms, d), arm, reward.

        Raises:
            GnomonError: the arm does not exist, or a value is not finite or too large.
        """
        contexts = check_contexts(context, self.sizes, self.largest_context)
        return contexts, check_arm(arm, self.sizes), check_reward(reward)

    def forget_selections(self) -> None:
        """No reward of a selection will come; the next one is of what somebody else has played."""
        for name in self.leaves:
            getattr(self, name)[...] = 1.0
        self._unanswered, self._selected = 0, None

    def _is_selected(self, contexts: Floats, arm: int) -> bool:
        """Whether that was the last selection."""
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
        """``select`` for rewards that come late, in batches or in any order: see ``learn``.

        Args:
            context: as for ``select``.
            on_offer: as for ``select``.
            perturb: share of decisions that take any arm on offer, each as likely, so that a
                learner that draws nothing leaves a log with propensities.
            generator: of these draws.

        Raises:
            GnomonError: as for ``select``; this learner takes rewards in order alone, and one is
                missing; ``perturb`` is no share, or asked of a learner that draws its arms itself.
        """
        if self.in_order and self._open:
            raise GnomonError(
                f"{self.name} must learn the reward of a decision before the next one:"
                f" decision {min(self._open)} has none yet"
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
        """Learn the reward of a decision of ``decide``; None: it will never come.

        Raises:
            GnomonError: no decision of this number waits for its reward; or as for
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

    def with_arms(self, kept: Sequence[int | None], **rows: ArrayLike) -> Learner:
        """A learner like this one with other arms; this one is not changed.

        What belongs to an arm goes with it; what arms share stays, also what an arm that is left
        out has taught. New arms have learned nothing.

        Args:
            kept: of each arm of the new learner, its number here; None: a new arm.
            rows: where arms have ``arm_features`` or ``actions``: a row for each new arm, by that
                name. Arms with one feature of their own need none.

        Raises:
            GnomonError: an arm does not exist or stays twice, rows do not fit, or decisions wait
                for their rewards.

        Example:
            >>> from gnomon.learn import find_learner
            >>> learner = find_learner("ucb1")(arms=3, dimensions=1)
            >>> learner.with_arms([0, 2, None]).sizes.arms  # without arm 1, with a new one
            3
        """
        return with_arms(self, kept, rows)

    def run(self, contexts: ArrayLike, rewards: ArrayLike) -> Arms:
        """Many steps: select an arm, learn its reward, again and again.

        The same arms and the same state, to the last bit, as ``select`` and ``update`` in turn, but
        all values are checked at once, before the first step.

        Args:
            contexts: one per step, (steps, d).
            rewards: of every arm in every step, (steps, arms); those of chosen arms are learned.

        Returns:
            The arms chosen, (steps,).

        Raises:
            GnomonError: a shape is wrong, or a value is not finite or too large, and the learner is
                unchanged; or the state loses its precision, and the steps before that are learned.
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
        """Write the arms of all steps."""
        for step, context in enumerate(contexts):
            chosen[step] = self._step(context, rewards[step])

    def _step(self, context: Floats, rewards: Floats) -> int:
        """One step: the arm that was chosen and learned."""
        arm = self.select(context)
        self.update(context, arm, float(rewards[arm]))
        return arm

    def _choose(self, contexts: Floats) -> int:
        """The arm to play for contexts of shape (arms, d)."""
        return self._best(self._scores(contexts))

    def _chances(self, contexts: Floats) -> Floats | None:
        """Probabilities of the arms, (arms,); None without a closed form. It draws nothing."""
        return self._surely(self._choose(contexts)) if self.follows_scores else None

    @property
    def _turn(self) -> int:
        """Decisions so far: rewards learned, decisions that wait for theirs, and rewards lost."""
        return self.steps + len(self._open) + self._lost

    @abstractmethod
    def _scores(self, contexts: Floats) -> Floats:
        """One score per arm from contexts of shape (arms, d)."""

    @abstractmethod
    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        """Change the state."""

    def _widths(self, variances: Floats, magnitudes: Callable[[], Floats]) -> Floats:
        """Square roots of the variances of the arms; zeros for ``exploit``.

        Args:
            variances: one per arm.
            magnitudes: of each arm, the sum of the magnitudes of what the variance sums up.
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
