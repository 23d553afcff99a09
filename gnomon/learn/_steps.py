"""A step of a learner: choose an arm for a context, learn its reward."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from gnomon.base.errors import GnomonError
from gnomon.learn._inputs import LARGEST_REWARD, Arms, Sizes, table_of
from gnomon.learn._state import Stored
from gnomon.learn._trace import enter_stage, recorded_by
from gnomon.learn._watch import watching
from gnomon.learn.kernels import Floats, sqrt
from gnomon.learn.settings import whole

LARGEST_LOSS = 0.01
"""How far below 0 a variance may be and count as rounding, as a share of its terms."""


class Steps(Stored, ABC):
    """What every learner does in a step, around ``_scores`` and ``_learn``.

    Attributes:
        name: of the algorithm, as on the command line.
        variant: ``standard``, ``optimized``, ``corrected``, ``rank-one``.
        keeps: names of the arrays that learning changes, each an attribute.
        follows_scores: ``select`` is the arm of the highest score, in every step.
        leaves: names of arrays of the state that a selection leaves for its own reward; ones are
            for a reward without a selection.
        in_order: a reward must come before the next decision.
        exploits: its scores without ``_widths`` are the rewards that it expects.
        sizes: N, d and f.
        steps: number of updates so far.
        clamped_variances: how often a variance that rounding had left below 0 was taken as 0.
        generator: of the random numbers; None for learners that draw none.
    """

    name: ClassVar[str]
    variant: ClassVar[str]
    keeps: ClassVar[tuple[str, ...]] = ()
    follows_scores: ClassVar[bool] = True
    leaves: ClassVar[tuple[str, ...]] = ()
    in_order: ClassVar[bool] = False
    exploits: ClassVar[bool] = True
    sizes: Sizes
    steps: int
    clamped_variances: int

    def __init__(self, sizes: Sizes, *, seed: int | None = None) -> None:
        if sizes.arms < 1:
            raise GnomonError(f"the number of arms must be at least 1, not {sizes.arms}")
        if sizes.dimensions < 1:
            raise GnomonError(
                f"the number of dimensions must be at least 1, not {sizes.dimensions}"
            )
        self.sizes = sizes
        self.seed = seed
        self.steps = 0
        self.clamped_variances = 0
        draws = None if seed is None else whole("seed", seed, least=0)
        self.generator = None if draws is None else np.random.default_rng(draws)
        self._on_offer = None
        self._decisions = self._lost = 0
        self._open: set[int] = set()
        self._unanswered = 0
        self._selected: tuple[Floats, int] | None = None
        self._exploiting = False

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
        contexts = self._contexts(context)
        arms = None if on_offer is None else self._arms(on_offer)
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
        contexts = self._contexts(context)
        offer = None if on_offer is None else self._arms(on_offer)
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
        contexts = self._contexts(context)
        offer = None if on_offer is None else self._arms(on_offer)
        self._exploiting = True
        try:
            return self._offering(offer, lambda: self._best(self._scores(contexts)))
        finally:
            self._exploiting = False

    def scores(self, context: ArrayLike) -> Floats:
        """The score of each arm, as ``select`` compares them."""
        return self._scores(self._contexts(context))

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
