"""Embedded learners: the C of ``algorithms/`` built, run, checked and priced on a machine."""

from __future__ import annotations

from gnomon.bench.learners._build import build_learner
from gnomon.bench.learners._counts import (
    DIVIDE_INSTRUCTIONS,
    Counts,
    StageCounts,
    correction_counts,
    inverse_counts,
)
from gnomon.bench.learners._host import OVERFLOW_KINDS, HostLearner
from gnomon.bench.learners._learner import LINES, Learner, LearnerVariant, Line
from gnomon.bench.learners._measure import measure_learner
from gnomon.bench.learners._paper_kernel import (
    PAPER_KERNELS,
    PaperKernel,
    PaperKernelRun,
    measure_paper_kernel,
)
from gnomon.bench.learners._place import (
    PAINT_WORD,
    Words,
    used_stack_bytes,
    with_painted_stacks,
    words_at,
)
from gnomon.bench.learners._registry import LEARNERS, find_learner
from gnomon.bench.learners._rounds import Play, RoundsRun, play_rounds
from gnomon.bench.learners._run import LearnerRun, StageRun
from gnomon.bench.learners._sizes import Sizes
from gnomon.bench.learners._step import CASES, Case, Step, make_step, to_steps

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
