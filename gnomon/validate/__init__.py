"""Validation: the simulator against truths from outside, one row per quantity compared."""

from __future__ import annotations

from gnomon.validate._core import CORE_QUANTITIES, check_core
from gnomon.validate._dividers import check_dividers
from gnomon.validate._figures import check_published
from gnomon.validate._isa_check import IsaReport, check_isa
from gnomon.validate._isa_record import isa_records
from gnomon.validate._isa_run import IsaResult
from gnomon.validate._isa_tests import IsaTest
from gnomon.validate._klessydra import comparison_rows
from gnomon.validate._laws import check_laws
from gnomon.validate._measured import measured_bench, measured_rows, measured_trace
from gnomon.validate._record import Record, read_records, record_bytes
from gnomon.validate._row import Criterion, Row, Truth
from gnomon.validate._table import TABLE_STEPS, accuracy_table

__all__ = [
    "CORE_QUANTITIES",
    "TABLE_STEPS",
    "Criterion",
    "IsaReport",
    "IsaResult",
    "IsaTest",
    "Record",
    "Row",
    "Truth",
    "accuracy_table",
    "check_core",
    "check_dividers",
    "check_isa",
    "check_laws",
    "check_published",
    "comparison_rows",
    "isa_records",
    "measured_bench",
    "measured_rows",
    "measured_trace",
    "read_records",
    "record_bytes",
]
