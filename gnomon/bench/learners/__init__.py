"""Embedded learners: the C of ``algorithms/`` built, run, checked and priced on a machine."""

from gnomon.bench.learners._bench import LearnerBench
from gnomon.bench.learners._checks import check_learner
from gnomon.bench.learners._host import HostLearner
from gnomon.bench.learners._learner import (
    DEFAULT_FEATURES,
    EmbeddedLearner,
    EmbeddedSizes,
    LearnerVariant,
    embedded_learners,
    find_embedded_learner,
)
from gnomon.bench.learners._run import LearnerRun
from gnomon.bench.learners._step import Play

__all__ = [
    "DEFAULT_FEATURES", "EmbeddedLearner", "EmbeddedSizes", "HostLearner", "LearnerBench",
    "LearnerRun", "LearnerVariant", "Play", "check_learner", "embedded_learners",
    "find_embedded_learner",
]  # fmt: skip
