"""Learners to test, built from the sizes alone."""

from __future__ import annotations

from typing import Any

from gnomon.learn import Learner, find_learner
from gnomon.learn.checks import build_learner


def build(key: tuple[str, str], **settings: Any) -> Learner:
    """A learner of 3 arms and 4 dimensions, or as the settings say."""
    return build_learner(find_learner(*key), **settings)
