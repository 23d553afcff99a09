"""Learners to test: every one in the registry, built from the sizes alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gnomon.learn import LEARNERS, Learner

EVERY_LEARNER = pytest.mark.parametrize("key", list(LEARNERS), ids="-".join)
KERNEL_LEARNERS = {"k-ucb", "ek-ucb", "cbkb", "cbbkb", "supk-ucb"}


def build(
    key: tuple[str, str], *, arms: int = 3, dimensions: int = 4, features: int = 2, **settings: Any
) -> Learner:
    """A learner of these sizes; ``features`` matters to those that have arm features."""
    sizes: dict[str, Any] = {"arms": arms, "dimensions": dimensions}
    if key[0] == "linucb-hybrid":
        rows = np.random.default_rng(7).uniform(-1, 1, size=(arms, features))
        sizes = {"arm_features": rows, "dimensions": dimensions}
    if key[0] in KERNEL_LEARNERS:
        sizes = {"actions": 3.0 * np.arange(arms), "dimensions": dimensions, "bandwidth": 2.0}
    return LEARNERS[key](**{**sizes, **settings})


def walk(learner: Learner, steps: int, seed: int = 0) -> list[int]:
    """Let a learner choose and learn; rewards depend on context and arm."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(learner.sizes.arms, learner.sizes.dimensions))
    chosen = []
    for _ in range(steps):
        context = rng.normal(size=learner.sizes.dimensions)
        arm = learner.select(context)
        learner.update(context, arm, float(truth[arm] @ context + rng.normal() * 0.1))
        chosen.append(arm)
    return chosen
