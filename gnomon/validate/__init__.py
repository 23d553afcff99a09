"""Validation: the simulator against truths from outside, one row per quantity compared."""

from __future__ import annotations

from gnomon.validate._isa_check import IsaReport, check_isa
from gnomon.validate._isa_run import IsaResult
from gnomon.validate._isa_tests import IsaTest
from gnomon.validate._row import Row, Truth

__all__ = ["IsaReport", "IsaResult", "IsaTest", "Row", "Truth", "check_isa"]
