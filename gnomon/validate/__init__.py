"""Validation: the simulator against truths from outside, one row per quantity compared."""

from __future__ import annotations

from gnomon.validate._dividers import check_dividers
from gnomon.validate._isa_check import IsaReport, check_isa
from gnomon.validate._isa_run import IsaResult
from gnomon.validate._isa_tests import IsaTest
from gnomon.validate._klessydra import comparison_rows
from gnomon.validate._record import Record, read_records, record_bytes
from gnomon.validate._row import Row, Truth

__all__ = [
    "IsaReport",
    "IsaResult",
    "IsaTest",
    "Record",
    "Row",
    "Truth",
    "check_dividers",
    "check_isa",
    "comparison_rows",
    "read_records",
    "record_bytes",
]
