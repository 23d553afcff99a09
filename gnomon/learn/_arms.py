"""Learners with other arms: arms remain with their state, arms are removed, arms are added.

An empty learner with one more arm shows which axes of the state belong to arms.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnomon.base.errors import GnomonError
from gnomon.learn._state import LearnerState

State = TypeVar("State", bound=LearnerState)
Places: TypeAlias = NDArray[np.intp]

_ROWS = ("arm_features", "actions")
"""Settings with one row per arm."""


def with_arms(learner: State, kept: Sequence[int | None], rows: Mapping[str, ArrayLike]) -> State:
    """Return a learner with other arms, see ``Learner.with_arms``."""
    _check(learner, kept)
    create: Callable[..., State] = type(learner)
    fresh = create(**_settings(learner, kept, rows))
    own = list(range(learner.sizes.arms))
    more = create(**_settings(learner, [*own, 0], {})).state_shapes
    state, shapes = {}, learner.state_shapes
    for name, array in learner.state.items():
        # Rows of each axis that belong to one arm; 0 if the axis does not belong to arms. Letters
        # are lengths.
        blocks = [
            wide - now if isinstance(now, int) and isinstance(wide, int) else 0
            for now, wide in zip(shapes[name], more[name], strict=True)
        ]
        taken, places = _indices(array.shape, blocks, kept)
        new = np.array(fresh.state[name] if any(blocks) else array)
        new[np.ix_(*places)] = array[np.ix_(*taken)]
        state[name] = new
    fresh._restore(learner._renumbered(state, kept))  # noqa: SLF001 - as for saving
    fresh.steps, fresh.clamped_variances = learner.steps, learner.clamped_variances
    fresh.waiting, fresh.generator = learner.waiting, copy.deepcopy(learner.generator)
    fresh.forget_selections()
    return fresh


def _check(learner: LearnerState, kept: Sequence[int | None]) -> None:
    if learner.waiting["open"]:
        raise GnomonError(
            f"arms change while decisions {learner.waiting['open']} wait for their rewards; learn"
            " them before, or None for those that will not come"
        )
    old = [arm for arm in kept if arm is not None]
    for arm in old:
        if type(arm) is not int or not 0 <= arm < learner.sizes.arms or old.count(arm) > 1:
            raise GnomonError(
                f"an arm that stays must be 0 to {learner.sizes.arms - 1}, once; not {arm!r}"
            )


def _settings(
    learner: LearnerState, kept: Sequence[int | None], rows: Mapping[str, ArrayLike]
) -> dict[str, Any]:
    """Return the settings of the learner for other arms."""
    settings = learner.settings
    if "arms" in settings:
        settings["arms"] = len(kept)
    of_arms = [name for name in _ROWS if name in settings]
    for name in rows:
        if name not in of_arms:
            raise GnomonError(f"{learner.name} has no {name} of arms")
    for name in of_arms:
        present = np.array(settings[name])
        if name not in rows and np.array_equal(present, np.eye(learner.sizes.arms)):
            del settings[name]  # each arm has its own feature
            continue
        width, new = present.shape[1], kept.count(None)
        added = np.asarray(rows.get(name, np.zeros((0, width))), dtype=np.float64)
        if added.shape != (new, width):
            raise GnomonError(
                f"new arms need {name} of the shape ({new}, {width}), not {added.shape}"
            )
        known = np.concatenate([present, added])
        numbers = iter(range(len(present), len(known)))
        settings[name] = known[[next(numbers) if arm is None else arm for arm in kept]]
    return settings


def _indices(
    shape: tuple[int, ...], blocks: Sequence[int], kept: Sequence[int | None]
) -> tuple[list[Places], list[Places]]:
    """Return the old and the new indices of the remaining rows of each axis."""
    pairs = [(old, new) for new, old in enumerate(kept) if old is not None]
    found: tuple[list[Places], list[Places]] = ([], [])
    for length, block in zip(shape, blocks, strict=True):
        for side, axis in enumerate(found):
            within = np.arange(block)
            moved = [pair[side] * block + within for pair in pairs]
            axis.append(np.concatenate([within[:0], *moved]) if block else np.arange(length))
    return found
