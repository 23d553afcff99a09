"""Validation: comparisons of the simulator with external references, one row per quantity."""

from gnomon.rtl.validate._benches import check_dividers, check_vector
from gnomon.rtl.validate._isa_check import check_isa
from gnomon.rtl.validate._record import Record, format_records, read_records
from gnomon.rtl.validate._table import accuracy_table

__all__ = [
    "Record", "accuracy_table", "check_dividers", "check_isa", "check_vector", "format_records",
    "read_records",
]  # fmt: skip
