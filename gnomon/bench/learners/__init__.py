"""Embedded learners: the C of ``algorithms/`` built, run, checked and priced on a machine."""

from __future__ import annotations

from gnomon.bench.learners._build import build_learner
from gnomon.bench.learners._checks import learner_checks
from gnomon.bench.learners._host import OVERFLOW_KINDS, HostLearner
from gnomon.bench.learners._learner import LINES, Learner, LearnerVariant, Line, find_learner
from gnomon.bench.learners._measure import measure_learner, record_learner, retimed_learner
from gnomon.bench.learners._random import random_words
from gnomon.bench.learners._rounds import Play, play_rounds
from gnomon.bench.learners._run import LearnerRun, StageRun
from gnomon.bench.learners._sizes import Sizes
from gnomon.bench.learners._step import Step, make_step, to_steps

__all__ = [
    "LINES",
    "OVERFLOW_KINDS",
    "HostLearner",
    "Learner",
    "LearnerRun",
    "LearnerVariant",
    "Line",
    "Play",
    "Sizes",
    "StageRun",
    "Step",
    "build_learner",
    "find_learner",
    "learner_checks",
    "make_step",
    "measure_learner",
    "play_rounds",
    "random_words",
    "record_learner",
    "retimed_learner",
    "to_steps",
]
