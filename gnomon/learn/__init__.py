"""Compare: contextual bandits in float64, their kernel calls, environments and experiments."""

from __future__ import annotations

from gnomon.learn._disjoint_corrected import DisjointLinUCBCorrected
from gnomon.learn._disjoint_optimised import DisjointLinUCBOptimised
from gnomon.learn._disjoint_standard import DisjointLinUCB
from gnomon.learn._hybrid_corrected import HybridLinUCBCorrected
from gnomon.learn._hybrid_optimised import HybridLinUCBOptimised
from gnomon.learn._hybrid_rank_one import HybridLinUCBRankOne
from gnomon.learn._hybrid_standard import HybridLinUCB
from gnomon.learn._learner import Learner, Sizes
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
    "HybridLinUCB",
    "HybridLinUCBCorrected",
    "HybridLinUCBOptimised",
    "HybridLinUCBRankOne",
    "Learner",
    "Sizes",
    "Trace",
    "find_learner",
    "load_learner",
    "read_trace",
    "record",
    "save_learner",
    "unrecorded",
    "write_trace",
]
