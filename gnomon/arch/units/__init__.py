"""User-defined functional units: instructions with their C, latency models and encodings."""

from gnomon.arch.units._code import (
    NO_STATE,
    UNITS_HEADER,
    directive,
    library_text,
    units_code,
    units_header,
)
from gnomon.arch.units._unit import (
    MOST_INSTRUCTIONS,
    Unit,
    UnitInstruction,
    UnitParameter,
    UnitPrice,
    UnitRtl,
    instruction_rows,
)

__all__ = [
    "MOST_INSTRUCTIONS", "NO_STATE", "UNITS_HEADER", "Unit", "UnitInstruction", "UnitParameter",
    "UnitPrice", "UnitRtl", "directive", "instruction_rows", "library_text", "units_code",
    "units_header",
]  # fmt: skip
