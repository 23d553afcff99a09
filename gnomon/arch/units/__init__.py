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
    ELEMENT_BITS,
    MOST_INSTRUCTIONS,
    MOST_VECTOR_INSTRUCTIONS,
    MOST_VECTOR_UNITS,
    Unit,
    UnitInstruction,
    UnitParameter,
    UnitPrice,
    UnitRtl,
    VectorForm,
    VectorPart,
    instruction_rows,
    join_points,
)

__all__ = [
    "ELEMENT_BITS", "MOST_INSTRUCTIONS", "MOST_VECTOR_INSTRUCTIONS", "MOST_VECTOR_UNITS",
    "NO_STATE", "UNITS_HEADER", "Unit", "UnitInstruction", "UnitParameter", "UnitPrice", "UnitRtl",
    "VectorForm", "VectorPart", "directive", "instruction_rows", "join_points", "library_text",
    "units_code", "units_header",
]  # fmt: skip
