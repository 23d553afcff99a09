"""Execute: a program on a machine, function and timing together, cycle by cycle exact."""

from gnomon.sim._issues import IssuedRun
from gnomon.sim._library import load_engine
from gnomon.sim._path import TimedPath
from gnomon.sim._run import Region, RegionRun, Run
from gnomon.sim._simulate import simulate
from gnomon.sim._spool import release
from gnomon.sim._window import TraceWindow
from gnomon.sim._work import BusCount, VectorCount, Work

__all__ = [
    "BusCount", "IssuedRun", "Region", "RegionRun", "Run", "TimedPath", "TraceWindow",
    "VectorCount", "Work", "load_engine", "release", "simulate",
]  # fmt: skip
