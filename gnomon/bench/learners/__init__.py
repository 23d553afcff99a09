"""Embedded learners: the C of ``algorithms/`` built, run, checked and priced on a machine."""

from __future__ import annotations

from gnomon.bench.learners._build import build_learner
from gnomon.bench.learners._checks import learner_checks
from gnomon.bench.learners._host import OVERFLOW_KINDS, HostLearner
from gnomon.bench.learners._learner import (
    LINES,
    Learner,
    LearnerVariant,
    Line,
    find_learner,
    learners,
)
from gnomon.bench.learners._measure import measure_learner
from gnomon.bench.learners._place import (
    PAINT_WORD,
    used_stack_bytes,
    with_painted_stacks,
)
from gnomon.bench.learners._rounds import Play, RoundsRun, play_rounds
from gnomon.bench.learners._run import LearnerRun, StageRun
from gnomon.bench.learners._sizes import Sizes
from gnomon.bench.learners._step import CASES, Case, Step, make_step, to_steps

__all__ = [
    "CASES",
    "LINES",
    "OVERFLOW_KINDS",
    "PAINT_WORD",
    "Case",
    "HostLearner",
    "Learner",
    "LearnerRun",
    "LearnerVariant",
    "Line",
    "Play",
    "RoundsRun",
    "Sizes",
    "StageRun",
    "Step",
    "build_learner",
    "find_learner",
    "learner_checks",
    "learners",
    "make_step",
    "measure_learner",
    "play_rounds",
    "to_steps",
    "used_stack_bytes",
    "with_painted_stacks",
]
