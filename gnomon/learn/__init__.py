"""Compare: contextual bandits in float64, their kernel calls, environments and experiments."""

from __future__ import annotations

from gnomon.learn._complexity import Growth, count_step, formula, table_1
from gnomon.learn._disjoint_corrected import DisjointLinUCBCorrected
from gnomon.learn._disjoint_optimised import DisjointLinUCBOptimised
from gnomon.learn._disjoint_standard import DisjointLinUCB
from gnomon.learn._environment import Rounds, disjoint_rounds, hybrid_rounds
from gnomon.learn._fit_predict import FitPredict
from gnomon.learn._hybrid_corrected import HybridLinUCBCorrected
from gnomon.learn._hybrid_optimised import HybridLinUCBOptimised
from gnomon.learn._hybrid_rank_one import HybridLinUCBRankOne
from gnomon.learn._hybrid_standard import HybridLinUCB
from gnomon.learn._learner import Learner, Sizes
from gnomon.learn._open_bandit import (
    Estimate,
    Log,
    inverse_propensity,
    read_feedback,
    replay,
    self_normalised_inverse_propensity,
)
from gnomon.learn._operations import Operations, expand, operations_of, operations_of_call
from gnomon.learn._registry import LEARNERS, find_learner
from gnomon.learn._store import load_learner, save_learner
from gnomon.learn._trace import Call, Entry, Trace, read_trace, record, unrecorded, write_trace

__all__ = [
    "LEARNERS",
    "Call",
    "DisjointLinUCB",
    "DisjointLinUCBCorrected",
    "DisjointLinUCBOptimised",
    "Entry",
    "Estimate",
    "FitPredict",
    "Growth",
    "HybridLinUCB",
    "HybridLinUCBCorrected",
    "HybridLinUCBOptimised",
    "HybridLinUCBRankOne",
    "Learner",
    "Log",
    "Operations",
    "Rounds",
    "Sizes",
    "Trace",
    "count_step",
    "disjoint_rounds",
    "expand",
    "find_learner",
    "formula",
    "hybrid_rounds",
    "inverse_propensity",
    "load_learner",
    "operations_of",
    "operations_of_call",
    "read_feedback",
    "read_trace",
    "record",
    "replay",
    "save_learner",
    "self_normalised_inverse_propensity",
    "table_1",
    "unrecorded",
    "write_trace",
]
