"""Lock-step of the simulator with a user's own checkout of the Klessydra-T13 RTL."""

from __future__ import annotations

from gnomon.rtl.klessydra._case import Case, Item, Minimized, minimize, write_elf
from gnomon.rtl.klessydra._check import (
    Given,
    Regression,
    Result,
    Settings,
    Target,
    read_programs,
    revision_of,
    run_all,
)
from gnomon.rtl.klessydra._compare import Compared, Divergence, compare
from gnomon.rtl.klessydra._generate import random_case
from gnomon.rtl.klessydra._ghdl import Build, Ghdl, build_bench, find_ghdl
from gnomon.rtl.klessydra._observe import Observed
from gnomon.rtl.klessydra._record import Conditions, write_record
from gnomon.rtl.klessydra._setting import Setting, parse_sharings, parse_simds, parse_superscalar

__all__ = [
    "Build", "Case", "Compared", "Conditions", "Divergence", "Ghdl", "Given", "Item", "Minimized",
    "Observed", "Regression", "Result", "Setting", "Settings", "Target", "build_bench", "compare",
    "find_ghdl", "minimize", "parse_sharings", "parse_simds", "parse_superscalar", "random_case",
    "read_programs", "revision_of", "run_all", "write_elf", "write_record",
]  # fmt: skip
