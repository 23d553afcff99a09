"""The float learner of a case: what fixed point is measured against."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import gnomon.learn
from gnomon.fixedpoint._store import keep_arrays, key_of, load_arrays
from gnomon.learn import find_learner, unrecorded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gnomon.fixedpoint._case import StudyCase
    from gnomon.learn import Rounds

VARIANT = "standard"
"""Of the float learner; ``experiment linucb`` shows that the others choose the same arms."""


@dataclass(frozen=True, slots=True)
class FloatRun:
    """The arms that the float learner played, (T,)."""

    arms: NDArray[np.uint8] = field(repr=False)


def run_float(case: StudyCase, rounds: Rounds) -> FloatRun:
    """Play a case with the standard learner in float64, or take the result from the cache.

    Raises:
        GnomonError: the learner lost its precision, or the cache cannot be written.
    """
    key = key_of({"float": VARIANT, "code": _code(), **asdict(case)}, ())
    kept = load_arrays(key)
    if kept is None:
        kept = {"arms": _play(case, rounds)}
        keep_arrays(key, kept)
    return FloatRun(kept["arms"].astype(np.uint8))


def _play(case: StudyCase, rounds: Rounds) -> NDArray[np.generic]:
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


def _code() -> str:
    """Of the float learners and the environments: a change of them makes the runs again."""
    digest = hashlib.sha256()
    folder = Path(gnomon.learn.__file__).parent
    for pattern in (
        "_disjoint*.py",
        "_environment.py",
        "_hybrid*.py",
        "_kernels.py",
        "_learner.py",
    ):
        for path in sorted(folder.glob(pattern)):
            digest.update(path.read_bytes())
    return digest.hexdigest()
