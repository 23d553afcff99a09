"""Execute: a program on a machine, function and timing together, cycle by cycle exact."""

from __future__ import annotations

from gnomon.sim._function_work import function_work
from gnomon.sim._run import (
    SPAN_DTYPE,
    TRACE_DTYPE,
    Halted,
    HartRun,
    Profile,
    Region,
    RegionRun,
    Run,
    VectorWork,
)
from gnomon.sim._simulate import simulate
from gnomon.sim._unobserved import NEVER_OBSERVED, ONE_USER, observed_fingerprint
from gnomon.sim._work import VectorCount, Work

__all__ = [
    "NEVER_OBSERVED",
    "ONE_USER",
    "SPAN_DTYPE",
    "TRACE_DTYPE",
    "Halted",
    "HartRun",
    "Profile",
    "Region",
    "RegionRun",
    "Run",
    "VectorCount",
    "VectorWork",
    "Work",
    "function_work",
    "observed_fingerprint",
    "simulate",
]
