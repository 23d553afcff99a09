"""Learners by name, for the arms and contexts of a log."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.learn.algorithm import find_learner
from gnomon.learn.learner import Learner
from gnomon.learn.logged._survey import Survey
from gnomon.learn.settings import settings_of

BANDWIDTH = 1.0
"""Bandwidth of kernel learners; the default of their classes fits contexts closer together."""

LARGEST_MODEL = 1000
"""Most weights of a model shared by all arms: a step takes their square, times the arms."""


@dataclass(frozen=True, slots=True)
class LearnerChoice:
    """Learner to be evaluated.

    Attributes:
        text: the user's text, which names the rows of reports.
        kind: the class.
        settings: settings from the user's text.
    """

    text: str
    kind: type[Learner]
    settings: Mapping[str, Any]

    @classmethod
    def read(cls, text: str) -> LearnerChoice:
        """Read one learner, in the format of :meth:`Evaluation.choices`."""
        head, *parts = text.split(":")
        name, slash, variant = head.partition("/")
        kind = find_learner(name, variant if slash else None)
        allowed = set(settings_of(kind)) - {"arms", "dimensions", "arm_features", "actions", "seed"}
        settings: dict[str, Any] = {}
        for part in parts:
            key, equals, value = part.partition("=")
            if key not in allowed or not equals:
                raise GnomonError(
                    f"learner {text!r}: settings are KEY=NUMBER with a key of"
                    f" {', '.join(sorted(allowed))}, not {part!r}{did_you_mean(key, allowed)}"
                )
            settings[key] = _number(text, part, value)
        return cls(text, kind, settings)

    def build(self, log: Survey, seed: int) -> Learner:
        """Return an empty learner of the sizes of the log.

        Learners with one model for all arms see the features of arms. If a log has none, each arm
        has its own feature. The hybrid learner, which has a model for each arm in addition, sees a
        constant.

        Raises:
            GnomonError: if a setting is out of range, or the model would be too large.
        """
        arms, dimensions = len(log.arms), len(log.user_features) + 1
        names = settings_of(self.kind)
        given: dict[str, Any] = {"dimensions": dimensions}
        plain = {"arms": arms, "seed": seed, "horizon": log.rounds}
        given |= {name: value for name, value in plain.items() if name in names}
        features = log.arm_features
        if "actions" in names:
            # Arms without features are far from each other, so that none informs another.
            far = 10.0 * BANDWIDTH * np.arange(arms)
            given["bandwidth"] = BANDWIDTH
            given["actions"] = far if features is None else features[:, 1:]
        elif "arm_features" in names:
            shared = not names["arm_features"]  # without features, each arm gets its own
            if features is not None or not shared:
                given["arm_features"] = np.ones((arms, 1)) if features is None else features
            weights = dimensions * (arms if features is None else features.shape[1])
            if shared and weights > LARGEST_MODEL:
                raise GnomonError(
                    f"learner {self.text}: one model for {arms} arms without features and"
                    f" {dimensions} context values has {weights} weights, more than"
                    f" {LARGEST_MODEL}; take fewer rounds or dimensions, or a learner with a model"
                    " for each arm"
                )
        return self.kind(**{**given, **self.settings})


def _number(text: str, part: str, value: str) -> float | int:
    try:
        number = json.loads(value)
    except ValueError:
        number = None
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise GnomonError(f"learner {text!r}: the value of {part!r} must be a number")
    return number
