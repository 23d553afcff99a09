"""Learners to test: every one that is found, built from the sizes alone."""

from __future__ import annotations

from typing import Any

import pytest

from gnomon.learn import Learner, find_learner, learners
from gnomon.learn.checks import build_learner

EVERY_LEARNER = pytest.mark.parametrize("key", list(learners()), ids="-".join)


def build(key: tuple[str, str], **settings: Any) -> Learner:
    """A learner of 3 arms and 4 dimensions, or as the settings say."""
    return build_learner(find_learner(*key), **settings)
