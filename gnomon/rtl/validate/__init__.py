"""Validation: the simulator against truths from outside, one row per quantity compared."""

from gnomon.rtl.validate._benches import check_dividers, check_vector
from gnomon.rtl.validate._core import check_core
from gnomon.rtl.validate._isa_check import check_isa
from gnomon.rtl.validate._laws import check_laws
from gnomon.rtl.validate._record import Record
from gnomon.rtl.validate._table import accuracy_table, check_published, comparison_rows

__all__ = [
    "Record", "accuracy_table", "check_core", "check_dividers", "check_isa", "check_laws",
    "check_published", "check_vector", "comparison_rows",
]  # fmt: skip
