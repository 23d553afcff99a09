"""Validation: the simulator against truths from outside, one row per quantity compared."""

from __future__ import annotations

from gnomon.rtl.validate._benches import VECTOR_STEPS, check_dividers, check_vector
from gnomon.rtl.validate._core import CORE_QUANTITIES, check_core
from gnomon.rtl.validate._isa_check import check_isa, isa_records
from gnomon.rtl.validate._laws import check_laws
from gnomon.rtl.validate._record import Record, read_records, record_bytes
from gnomon.rtl.validate._table import (
    TABLE_STEPS,
    accuracy_table,
    check_published,
    comparison_rows,
)

__all__ = [
    "CORE_QUANTITIES", "TABLE_STEPS", "VECTOR_STEPS", "Record", "accuracy_table",
    "check_core", "check_dividers", "check_isa", "check_laws", "check_published", "check_vector",
    "comparison_rows", "isa_records", "read_records", "record_bytes",
]  # fmt: skip
