"""Execute: a program on a machine, function and timing together, cycle by cycle exact."""

from __future__ import annotations

from gnomon.sim._calls import CallNode, CallTree, StackUse
from gnomon.sim._issues import issues, registers_before
from gnomon.sim._machine import static_fetch_cycles
from gnomon.sim._path import NotPriceable, TimedPath, record_path
from gnomon.sim._retime import PRICED, retime
from gnomon.sim._run import (
    BUS_DTYPE,
    OPERANDS_DTYPE,
    SPAN_DTYPE,
    TRACE_DTYPE,
    WAIT_CAUSES,
    WAIT_DTYPE,
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
from gnomon.sim._window import TraceWindow
from gnomon.sim._work import NO_FUNCTION, VectorCount, Work, function_work, issued_kinds, split

__all__ = [
    "BUS_DTYPE", "NEVER_OBSERVED", "NO_FUNCTION", "ONE_USER", "OPERANDS_DTYPE", "PRICED",
    "SPAN_DTYPE", "TRACE_DTYPE", "WAIT_CAUSES", "WAIT_DTYPE", "CallNode", "CallTree", "Halted",
    "HartRun", "NotPriceable", "Profile", "Region", "RegionRun", "Run", "StackUse", "TimedPath",
    "TraceWindow", "VectorCount", "VectorWork", "Work", "function_work", "issued_kinds", "issues",
    "observed_fingerprint", "record_path", "registers_before", "retime", "simulate", "split",
    "static_fetch_cycles",
]  # fmt: skip
