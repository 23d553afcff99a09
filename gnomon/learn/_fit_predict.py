"""Learners with the interface of MABWiser: ``fit``, ``partial_fit``, ``predict``, named arms."""

from collections.abc import Hashable, Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from gnomon.base.errors import GnomonError, allowed_hint, did_you_mean
from gnomon.learn.kernels import Floats
from gnomon.learn.learner import Learner

Arm = TypeVar("Arm", bound="Hashable")


class FitPredict(Generic[Arm]):
    """Learner that is trained on tables of decisions, rewards and contexts.

    The method names and the shapes of arguments equal those of MABWiser's ``MAB`` with contexts, so
    the two are interchangeable. MABWiser's ``LinUCB(alpha, l2_lambda)`` is ``linucb-disjoint`` here
    with ``alpha`` and ``regularisation``. Rows are learned one after another; MABWiser learns a
    table at once, which is the same regression.

    Args:
        learner: an empty learner; it is cloned and not changed.
        arms: the names of its arms, in its order.

    Raises:
        GnomonError: if the number of names is wrong, a name occurs twice, or the learner is not
            empty.

    Example:
        >>> from gnomon.learn import find_learner
        >>> learner = find_learner("linucb-disjoint")(arms=2, dimensions=2)
        >>> bandit = FitPredict(learner, ["left", "right"])
        >>> bandit.fit(["left", "right"], [0, 1], [[1, 0], [1, 0]])
        >>> bandit.predict([[1, 0]])
        'right'
    """

    def __init__(self, learner: Learner, arms: Sequence[Arm]) -> None:
        self.arms = list(arms)
        if len(self.arms) != learner.sizes.arms:
            raise GnomonError(
                f"the learner has {learner.sizes.arms} arms, but {len(self.arms)} names are given"
            )
        if len(set(self.arms)) != len(self.arms):
            raise GnomonError(f"a name comes twice in {self.arms!r}")
        if learner.steps:
            raise GnomonError(f"the learner must be empty, but has {learner.steps} updates")
        self._empty = learner.clone()
        self.learner = learner.clone()
        self._indices = {arm: index for index, arm in enumerate(self.arms)}

    def fit(self, decisions: Sequence[Arm], rewards: ArrayLike, contexts: ArrayLike) -> None:
        """Forget everything, then learn a table.

        Args:
            decisions: the arm of each row.
            rewards: one per row.
            contexts: (rows, d).

        Raises:
            GnomonError: if an arm is unknown, or lengths or values do not fit. The learner is
                unchanged.
        """
        rows = self._checked(decisions, rewards, contexts)
        learner = self._empty.clone()
        self._learn(learner, rows)
        self.learner = learner

    def partial_fit(
        self, decisions: Sequence[Arm], rewards: ArrayLike, contexts: ArrayLike
    ) -> None:
        """Learn a table in addition to earlier ones; arguments and errors as for ``fit``."""
        self._learn(self.learner, self._checked(decisions, rewards, contexts))

    def add_arm(self, arm: Arm) -> None:
        """Add an arm that has learned nothing.

        Raises:
            GnomonError: if the arm exists already, or the learner needs features of arms.
        """
        if arm in self._indices:
            raise GnomonError(f"there is an arm {arm!r} already")
        self._keep([*self.arms, arm], [*range(len(self.arms)), None])

    def remove_arm(self, arm: Arm) -> None:
        """Remove an arm, with the state that belongs to this arm alone.

        Raises:
            GnomonError: if no arm has this name, or it is the only arm.
        """
        rest = [index for index, name in enumerate(self.arms) if name != arm]
        if arm not in self._indices or not rest:
            names = [str(name) for name in self.arms]
            raise GnomonError(
                f"arm {arm!r} cannot be removed: the arms are {', '.join(names)}"
                f"{did_you_mean(str(arm), names)}"
            )
        self._keep([self.arms[index] for index in rest], rest)

    def _keep(self, arms: list[Arm], kept: list[int | None] | list[int]) -> None:
        """Restrict the learner to these arms; ``kept`` has their old indices, None for new ones."""
        self.learner, self._empty = (each.with_arms(kept) for each in (self.learner, self._empty))
        self.arms, self._indices = arms, {arm: index for index, arm in enumerate(arms)}

    def predict(self, contexts: ArrayLike) -> Arm | list[Arm]:
        """Return the arm for each row of contexts; for a single row the arm itself, not a list.

        Raises:
            GnomonError: if shapes or values do not fit.
        """
        chosen = [self.arms[self.learner.select(row)] for row in _rows(contexts)]
        self.learner.forget_selections()
        return chosen[0] if len(chosen) == 1 else chosen

    def predict_expectations(
        self, contexts: ArrayLike
    ) -> dict[Arm, float] | list[dict[Arm, float]]:
        """Return a dictionary from arms to scores for each context, for one context without a list.

        Raises:
            GnomonError: if shapes or values do not fit.
        """
        tables = [
            dict(zip(self.arms, self.learner.scores(row).tolist(), strict=True))
            for row in _rows(contexts)
        ]
        return tables[0] if len(tables) == 1 else tables

    def _learn(self, learner: Learner, rows: list[tuple[Floats, int, float]]) -> None:
        for row in rows:
            learner.update(*row)

    def _checked(
        self, decisions: Sequence[Arm], rewards: ArrayLike, contexts: ArrayLike
    ) -> list[tuple[Floats, int, float]]:
        """Return all rows, checked before any is learned."""
        values = np.asarray(rewards, dtype=np.float64)
        rows = _rows(contexts)
        if not len(decisions) == len(values) == len(rows):
            raise GnomonError(
                f"decisions, rewards and contexts must have one row each, not"
                f" {len(decisions)}, {len(values)} and {len(rows)}"
            )
        checked = []
        for number, (arm, reward, row) in enumerate(zip(decisions, values, rows, strict=True)):
            if arm not in self._indices:
                names = [str(known) for known in self.arms]
                raise GnomonError(
                    f"row {number}: there is no arm {arm!r} {allowed_hint(str(arm), names)}"
                )
            try:
                self.learner.checked(row, self._indices[arm], float(reward))
            except GnomonError as error:
                raise GnomonError(f"row {number}: {error}") from None
            checked.append((row, self._indices[arm], float(reward)))
        return checked


def _rows(contexts: ArrayLike) -> Floats:
    rows = np.asarray(contexts, dtype=np.float64)
    if rows.ndim != 2 or not len(rows):
        raise GnomonError(f"contexts must have the shape (rows, dimensions), not {rows.shape}")
    return rows
