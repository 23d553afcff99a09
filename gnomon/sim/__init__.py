"""Execution: a program on a machine, function and timing together, exact to the cycle."""

from gnomon.sim._by_function import (
    compute_fetch_cycles,
    find_executed_kinds,
    find_executed_words,
    split_work_by_function,
)
from gnomon.sim._codes import BUSES
from gnomon.sim._device_probe import DeviceProbe
from gnomon.sim._effort import translated_blocks
from gnomon.sim._issues import IssuedRun
from gnomon.sim._library import load_engine
from gnomon.sim._path import PRICED_KEYS, TimedPath, record_path
from gnomon.sim._recorder import NotPriceable
from gnomon.sim._run import WAIT_CAUSES, Region, RegionRun, Run
from gnomon.sim._simulate import simulate
from gnomon.sim._spool import release
from gnomon.sim._units import UnitFunctions
from gnomon.sim._unobserved import (
    NEVER_OBSERVED,
    ONE_USER,
    check_run_machine,
    observed_fingerprint,
)
from gnomon.sim._window import TraceWindow
from gnomon.sim._work import BusCount, VectorCount, Work

__all__ = [
    "BUSES", "NEVER_OBSERVED", "ONE_USER", "PRICED_KEYS", "WAIT_CAUSES", "BusCount", "DeviceProbe",
    "IssuedRun",
    "NotPriceable", "Region", "RegionRun", "Run", "TimedPath", "TraceWindow", "UnitFunctions",
    "VectorCount", "Work", "check_run_machine", "compute_fetch_cycles", "find_executed_kinds",
    "find_executed_words", "load_engine", "observed_fingerprint", "record_path", "release",
    "simulate", "split_work_by_function", "translated_blocks",
]  # fmt: skip
