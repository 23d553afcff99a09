"""Embedded learners: the C of ``algorithms/`` built, run, checked and priced on a machine."""

from gnomon.bench.learners._bench import LearnerBench
from gnomon.bench.learners._host import HostLearner
from gnomon.bench.learners._learner import Learner, LearnerVariant, Sizes, find_learner
from gnomon.bench.learners._run import LearnerRun
from gnomon.bench.learners._step import Play

__all__ = [
    "HostLearner", "Learner", "LearnerBench", "LearnerRun", "LearnerVariant", "Play", "Sizes",
    "find_learner",
]  # fmt: skip
