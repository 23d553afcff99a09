"""Embedded learners: build, run, check and price the C code of ``algorithms/`` on a machine."""

from gnomon.measure.learners._bench import LearnerBench
from gnomon.measure.learners._checks import check_learner
from gnomon.measure.learners._firmware import write_generated
from gnomon.measure.learners._host import HostLearner
from gnomon.measure.learners._learner import (
    DEFAULT_FEATURES,
    EmbeddedLearner,
    EmbeddedSizes,
    LearnerVariant,
    embedded_learners,
    find_embedded_learner,
)
from gnomon.measure.learners._once import Decisions, Judgement, compare_decisions, judge_once
from gnomon.measure.learners._run import LearnerRun, RoundsRun, StageRun
from gnomon.measure.learners._step import Play, ReferenceStep, next_step

__all__ = [
    "DEFAULT_FEATURES", "Decisions", "EmbeddedLearner", "EmbeddedSizes", "HostLearner",
    "Judgement", "LearnerBench", "LearnerRun", "LearnerVariant", "Play", "ReferenceStep",
    "RoundsRun", "StageRun", "check_learner", "compare_decisions", "embedded_learners",
    "find_embedded_learner", "judge_once", "next_step", "write_generated",
]  # fmt: skip
