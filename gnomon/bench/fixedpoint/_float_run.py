"""The float learner of a case: what fixed point is measured against."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.base.digest import digest
from gnomon.base.kept import kept
from gnomon.base.sources import source_digest
from gnomon.bench.fixedpoint._case import KEPT_AS
from gnomon.learn import find_learner, unrecorded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.bench.fixedpoint._case import StudyCase
    from gnomon.learn import Rounds

VARIANT = "standard"
"""Of the float learner; ``experiment linucb`` shows that the others choose the same arms."""


@dataclass(frozen=True, slots=True)
class FloatRun:
    """The arms that the float learner played, (T,)."""

    arms: NDArray[np.uint8] = field(repr=False)


def run_float(case: StudyCase, rounds: Rounds, *, fresh: bool = False) -> FloatRun:
    """Play a case with the standard learner in float64, or take it from the cache unless ``fresh``.

    Raises:
        GnomonError: the learner lost its precision, or the cache cannot be written.
    """
    key = digest(("float", VARIANT, source_digest(__name__, names=[case.name]), case))
    return FloatRun(kept(KEPT_AS, key, lambda: _play(case, rounds), fresh=fresh))


def _play(case: StudyCase, rounds: Rounds) -> NDArray[np.uint8]:
    settings: dict[str, Any] = {"dimensions": case.dimensions, "alpha": case.alpha}
    if case.features:
        settings["arm_features"] = rounds.arm_features
    else:
        settings["arms"] = case.arms
    create: Any = find_learner(case.name, VARIANT)
    learner = create(**settings)
    arms = np.zeros(case.rounds, dtype=np.uint8)
    with unrecorded():
        for index, context in enumerate(rounds.contexts * case.context_scale):
            arm = learner.select(context)
            learner.update(context, arm, rounds.reward(index, arm))
            arms[index] = arm
    return arms
