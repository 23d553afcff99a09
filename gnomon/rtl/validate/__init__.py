"""Validation: the simulator against truths from outside, one row per quantity compared."""

from gnomon.rtl.validate._benches import check_dividers, check_vector
from gnomon.rtl.validate._isa_check import check_isa
from gnomon.rtl.validate._record import Record
from gnomon.rtl.validate._table import accuracy_table

__all__ = [
    "Record",
    "accuracy_table",
    "check_dividers",
    "check_isa",
    "check_vector",
]
