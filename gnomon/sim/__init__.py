"""Execute: a program on a machine, function and timing together, cycle by cycle exact."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.late import late
from gnomon.sim._run import WAIT_CAUSES, Region, RegionRun, Run
from gnomon.sim._simulate import simulate
from gnomon.sim._tables import static_fetch_cycles
from gnomon.sim._unobserved import NEVER_OBSERVED, ONE_USER, observed_fingerprint
from gnomon.sim._window import TraceWindow
from gnomon.sim._work import NO_FUNCTION, VectorCount, Work, function_work, issued_kinds, split

if TYPE_CHECKING:
    from gnomon.sim._issues import issues, registers_before
    from gnomon.sim._path import NotPriceable, TimedPath, record_path
    from gnomon.sim._retime import PRICED, retime
else:  # what runs do not need
    __getattr__ = late(
        __name__,
        {
            "NotPriceable": "_path",
            "PRICED": "_retime",
            "TimedPath": "_path",
            "issues": "_issues",
            "record_path": "_path",
            "registers_before": "_issues",
            "retime": "_retime",
        },
    )

__all__ = [
    "NEVER_OBSERVED", "NO_FUNCTION", "ONE_USER", "PRICED", "WAIT_CAUSES", "NotPriceable", "Region",
    "RegionRun", "Run", "TimedPath", "TraceWindow", "VectorCount", "Work", "function_work",
    "issued_kinds", "issues", "observed_fingerprint", "record_path", "registers_before",
    "retime", "simulate", "split", "static_fetch_cycles",
]  # fmt: skip
