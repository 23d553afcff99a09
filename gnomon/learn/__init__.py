"""Compare: contextual bandits in float64, their kernel calls, environments and experiments."""

from __future__ import annotations

from gnomon.learn._complexity import Growth, count_step, formula, table_1
from gnomon.learn._disjoint_corrected import DisjointLinUCBCorrected
from gnomon.learn._disjoint_optimised import DisjointLinUCBOptimised
from gnomon.learn._disjoint_standard import DisjointLinUCB
from gnomon.learn._drift import Disagreement, DriftCase, DriftResult, VariantDrift, run_drift
from gnomon.learn._experiment import (
    EXPERIMENT_SIZES,
    ExperimentSize,
    LinucbExperiment,
    experiment_steps,
    find_size,
    run_linucb,
)
from gnomon.learn._fit_predict import FitPredict
from gnomon.learn._gain import CorrectionGain, correction_gain
from gnomon.learn._hybrid_closed_form import HybridLinUCBClosedForm
from gnomon.learn._hybrid_corrected import HybridLinUCBCorrected
from gnomon.learn._hybrid_optimised import HybridLinUCBOptimised
from gnomon.learn._hybrid_rank_one import HybridLinUCBRankOne
from gnomon.learn._hybrid_standard import HybridLinUCB
from gnomon.learn._memory import MemoryRow, measure_memory
from gnomon.learn._open_bandit import (
    Log,
    inverse_propensity,
    read_feedback,
    replay,
    self_normalised_inverse_propensity,
)
from gnomon.learn._operations import Operations, expand, operations_of, operations_of_call
from gnomon.learn._published import Published, published
from gnomon.learn._schedules import ScheduleCase, ScheduleGain, run_schedules
from gnomon.learn._store import load_learner, save_learner
from gnomon.learn._trace import (
    Call,
    Entry,
    Trace,
    note,
    read_trace,
    record,
    unrecorded,
    write_trace,
)
from gnomon.learn.algorithm import algorithms, find_learner, learners
from gnomon.learn.checks import float_checks
from gnomon.learn.criterion import Comparison, Criterion
from gnomon.learn.environment import Rounds, disjoint_rounds, hybrid_rounds
from gnomon.learn.estimates import Estimate
from gnomon.learn.learner import Learner, Sizes

__all__ = [
    "EXPERIMENT_SIZES",
    "Call",
    "Comparison",
    "CorrectionGain",
    "Criterion",
    "Disagreement",
    "DisjointLinUCB",
    "DisjointLinUCBCorrected",
    "DisjointLinUCBOptimised",
    "DriftCase",
    "DriftResult",
    "Entry",
    "Estimate",
    "ExperimentSize",
    "FitPredict",
    "Growth",
    "HybridLinUCB",
    "HybridLinUCBClosedForm",
    "HybridLinUCBCorrected",
    "HybridLinUCBOptimised",
    "HybridLinUCBRankOne",
    "Learner",
    "LinucbExperiment",
    "Log",
    "MemoryRow",
    "Operations",
    "Published",
    "Rounds",
    "ScheduleCase",
    "ScheduleGain",
    "Sizes",
    "Trace",
    "VariantDrift",
    "algorithms",
    "correction_gain",
    "count_step",
    "disjoint_rounds",
    "expand",
    "experiment_steps",
    "find_learner",
    "find_size",
    "float_checks",
    "formula",
    "hybrid_rounds",
    "inverse_propensity",
    "learners",
    "load_learner",
    "measure_memory",
    "note",
    "operations_of",
    "operations_of_call",
    "published",
    "read_feedback",
    "read_trace",
    "record",
    "replay",
    "run_drift",
    "run_linucb",
    "run_schedules",
    "save_learner",
    "self_normalised_inverse_propensity",
    "table_1",
    "unrecorded",
    "write_trace",
]
