"""Embedded learners: the C of ``algorithms/`` built, run, checked and priced on a machine."""

from __future__ import annotations

from gnomon.algorithms._build import build_learner
from gnomon.algorithms._counts import (
    DIVIDE_INSTRUCTIONS,
    Counts,
    StageCounts,
    correction_counts,
    inverse_counts,
)
from gnomon.algorithms._host import OVERFLOW_KINDS, HostLearner
from gnomon.algorithms._learner import LINES, Learner, LearnerVariant, Line
from gnomon.algorithms._measure import measure_learner
from gnomon.algorithms._paper_kernel import (
    PAPER_KERNELS,
    PaperKernel,
    PaperKernelRun,
    measure_paper_kernel,
)
from gnomon.algorithms._place import (
    PAINT_WORD,
    Words,
    used_stack_bytes,
    with_painted_stacks,
    words_at,
)
from gnomon.algorithms._registry import LEARNERS, find_learner
from gnomon.algorithms._rounds import Play, RoundsRun, play_rounds
from gnomon.algorithms._run import LearnerRun, StageRun
from gnomon.algorithms._sizes import Sizes
from gnomon.algorithms._step import CASES, Case, Step, make_step, to_steps

__all__ = [
    "CASES",
    "DIVIDE_INSTRUCTIONS",
    "LEARNERS",
    "LINES",
    "OVERFLOW_KINDS",
    "PAINT_WORD",
    "PAPER_KERNELS",
    "Case",
    "Counts",
    "HostLearner",
    "Learner",
    "LearnerRun",
    "LearnerVariant",
    "Line",
    "PaperKernel",
    "PaperKernelRun",
    "Play",
    "RoundsRun",
    "Sizes",
    "StageCounts",
    "StageRun",
    "Step",
    "Words",
    "build_learner",
    "correction_counts",
    "find_learner",
    "inverse_counts",
    "make_step",
    "measure_learner",
    "measure_paper_kernel",
    "play_rounds",
    "to_steps",
    "used_stack_bytes",
    "with_painted_stacks",
    "words_at",
]
