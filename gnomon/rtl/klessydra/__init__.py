"""Lock-step of the simulator with a user's own checkout of the Klessydra-T13 RTL."""

from __future__ import annotations

from gnomon.rtl.klessydra._check import (
    Regression,
    Result,
    Settings,
    Target,
    read_programs,
    revision_of,
    run_all,
)
from gnomon.rtl.klessydra._ghdl import Build, build_bench, find_ghdl
from gnomon.rtl.klessydra._record import Conditions, write_record

__all__ = [
    "Build", "Conditions", "Regression", "Result", "Settings", "Target", "build_bench",
    "find_ghdl", "read_programs", "revision_of", "run_all", "write_record",
]  # fmt: skip
