"""Compare: contextual bandits in float64, their kernel calls, environments and experiments."""

from __future__ import annotations

from gnomon.learn._fit_predict import FitPredict
from gnomon.learn._memory import measure_memory
from gnomon.learn._open_bandit import Log
from gnomon.learn._operations import (
    STAGES,
    Operations,
    Stage,
    count_step,
    expand,
    operations_of,
    operations_of_call,
)
from gnomon.learn._store import load_learner, save_learner
from gnomon.learn._trace import (
    SHAPE_NAMES,
    Call,
    Trace,
    first_lines,
    note,
    read_trace,
    record,
    unrecorded,
    write_trace,
)
from gnomon.learn.algorithm import find_learner, learners
from gnomon.learn.checks import float_checks
from gnomon.learn.criterion import Criterion
from gnomon.learn.environment import Rounds, linear_rounds
from gnomon.learn.learner import Learner, Sizes

__all__ = [
    "SHAPE_NAMES",
    "STAGES",
    "Call",
    "Criterion",
    "FitPredict",
    "Learner",
    "Log",
    "Operations",
    "Rounds",
    "Sizes",
    "Stage",
    "Trace",
    "count_step",
    "expand",
    "find_learner",
    "first_lines",
    "float_checks",
    "learners",
    "linear_rounds",
    "load_learner",
    "measure_memory",
    "note",
    "operations_of",
    "operations_of_call",
    "read_trace",
    "record",
    "save_learner",
    "unrecorded",
    "write_trace",
]
