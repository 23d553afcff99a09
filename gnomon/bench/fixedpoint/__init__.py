"""The embedded learners beside float over many rounds, by number format: regret, arms, inverses."""

from __future__ import annotations

from gnomon.bench.fixedpoint._case import Cell, StudyCase, checkpoints
from gnomon.bench.fixedpoint._errors import InverseError
from gnomon.bench.fixedpoint._events import (
    INVERSE_OFF,
    Cause,
    Event,
    Group,
    cause,
    explaining,
    first_of,
)
from gnomon.bench.fixedpoint._learner_format import (
    FORMAT_BITS,
    LearnerFormat,
    ares_formats,
    least_bits,
    softucb_formats,
)
from gnomon.bench.fixedpoint._leave import TOLERANCE, Leave, burn_in, leave
from gnomon.bench.fixedpoint._regret import Regret, play_regret
from gnomon.bench.fixedpoint._study import (
    STUDY_SIZES,
    CellResult,
    FixedPointStudy,
    FloatCurve,
    StudySize,
    find_study_size,
    run_fixed_point,
)

__all__ = [
    "FORMAT_BITS",
    "INVERSE_OFF",
    "STUDY_SIZES",
    "TOLERANCE",
    "Cause",
    "Cell",
    "CellResult",
    "Event",
    "FixedPointStudy",
    "FloatCurve",
    "Group",
    "InverseError",
    "LearnerFormat",
    "Leave",
    "Regret",
    "StudyCase",
    "StudySize",
    "ares_formats",
    "burn_in",
    "cause",
    "checkpoints",
    "explaining",
    "find_study_size",
    "first_of",
    "least_bits",
    "leave",
    "play_regret",
    "run_fixed_point",
    "softucb_formats",
]
