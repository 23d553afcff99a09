"""What every learner does: choose an arm for a context, learn from the reward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from gnomon.base.errors import GnomonError
from gnomon.learn._inputs import LARGEST_CONTEXT as LARGEST_CONTEXT  # noqa: PLC0414 - for learners
from gnomon.learn._inputs import Arms as Arms  # noqa: PLC0414 - as above
from gnomon.learn._inputs import Sizes as Sizes  # noqa: PLC0414 - as above
from gnomon.learn._steps import Steps
from gnomon.learn._trace import Trace, enter_stage
from gnomon.learn._trace import recording as recording  # noqa: PLC0414 - for learners
from gnomon.learn._watch import watching
from gnomon.learn.kernels import Floats
from gnomon.learn.settings import settings_of, share

if TYPE_CHECKING:
    from gnomon.learn._memory import Memory
    from gnomon.learn._operations import Operations


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


class Learner(Steps):
    """A contextual bandit.

    A new learner writes ``name``, ``variant``, ``keeps``, ``_scores`` and ``_learn``; ``__init__``
    takes the settings by keyword, keeps each under its name and creates the state. A learner that
    draws random numbers takes a ``seed``, hands it on, and draws from ``generator`` alone. One that
    does not always play the highest score writes ``_choose`` and clears ``follows_scores``; one
    whose arrays grow writes ``state_shapes`` and ``_restore``. Arms are taken by ``_best``,
    ``_random_arm`` and ``_arm_in_turn``, which keep to the arms on offer. One that draws its arms
    writes ``_chances``, and one that leaves something for the reward of a selection names it in
    ``leaves``, so that rewards may come late and in any order.
    """

    @classmethod
    def of(cls, sizes: Sizes, **settings: Any) -> Self:
        """An empty learner of these sizes; features of arms are drawn, actions lie on a line.

        Raises:
            GnomonError: the class must be given another setting, or one is out of range.
        """
        names = settings_of(cls)
        given: dict[str, Any] = {"dimensions": sizes.dimensions}
        if "arms" in names:
            given["arms"] = sizes.arms
        if names.get("arm_features"):
            shape = (sizes.arms, sizes.features)
            given["arm_features"] = np.random.default_rng(7).uniform(-1, 1, size=shape)
        if "actions" in names:
            given |= {"actions": 3.0 * np.arange(sizes.arms), "bandwidth": 2.0}
        given |= settings
        missing = [name for name, needed in names.items() if needed and name not in given]
        if missing:
            raise GnomonError(f"{cls.__name__}: {', '.join(missing)} must have a value by default")
        create: Callable[..., Self] = cls
        return create(**given)

    def count_step(self) -> dict[str, Operations]:
        """Operations of ``select`` and ``update``, counted in one step; this one is not changed."""
        learner, context = self.clone(), self._even_context()
        with Trace.record() as trace:
            learner.update(context, learner.select(context), 1.0)
        return {stage: trace.operations(stage) for stage in ("select", "update")}

    def measure_memory(self) -> Memory:
        """Its state, and what a step holds on top of it; this one is not changed."""
        from gnomon.learn._memory import measure

        return measure(self.clone(), self._even_context())

    def _even_context(self) -> Floats:
        return np.full(self.sizes.dimensions, 1.0 / self.sizes.dimensions)

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
        contexts = self._contexts(context)
        offer = None if on_offer is None else self._arms(on_offer)
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
        from gnomon.learn._arms import with_arms

        return with_arms(self, kept, rows)

    def save(self, path: Path) -> Path:
        """Write it, with its settings and state; the same learner gives the same bytes.

        Raises:
            GnomonError: the file cannot be written.
        """
        from gnomon.learn._store import save

        return save(self, path)

    @staticmethod
    def load(path: Path) -> Learner:
        """Read a learner that ``save`` wrote, of any class that is found.

        Raises:
            GnomonError: the file cannot be read, or is not a learner of this schema.
        """
        from gnomon.learn._store import load

        return load(path)
