"""The instructions of a machine's units as the engine reads them."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.arch.operands import InstructionLatency
from gnomon.arch.units import (
    ELEMENT_BITS,
    Unit,
    UnitInstruction,
    VectorForm,
    library_text,
)
from gnomon.base.errors import GnomonError
from gnomon.base.generated import compile_cached
from gnomon.base.stateless import describe_own_data
from gnomon.sim import _ops as op
from gnomon.sim._codes import MAX_HARTS, VECTOR_PARTS
from gnomon.sim._structs import NUMBERS, UNIT, VECTOR_UNIT

_WORD_BYTES = 8  # alignment of the state of a unit


def _align(state_bytes: int) -> int:
    return -(-state_bytes // _WORD_BYTES) * _WORD_BYTES


def number_instructions(architecture: Architecture) -> dict[int, tuple[Unit, UnitInstruction]]:
    """Return the instructions of units by operation."""
    rows = [(unit, each) for unit in architecture.units for each in unit.instructions]
    vector = [row for row in rows if row[1].vector is not None]
    other = [row for row in rows if row[1].vector is None]
    return dict([*enumerate(vector, op.FIRST_VECTOR_UNIT), *enumerate(other, op.FIRST_UNIT)])


def list_latencies(architecture: Architecture) -> list[tuple[InstructionLatency, list[int]]]:
    """Return the latency models of instructions, each with its operations: core, then units."""
    found = [
        (each, [op.operation_number(name) for name in each.of])
        for each in architecture.core.instruction_latencies()
    ]
    timing = architecture.core.latency
    port = 0 if timing is None else timing.unit_port
    units = number_instructions(architecture).items()
    return found + [
        (each.latency(port), [number]) for number, (_, each) in units if each.vector is None
    ]


class StateLayout(NamedTuple):
    """Places of the states of a machine's units: those of all harts, then those of each hart."""

    places: Mapping[str, int]  # by unit, in its part: of all harts, or of one
    shared_bytes: int
    hart_bytes: int

    @classmethod
    def of(cls, architecture: Architecture) -> StateLayout:
        """Return the layout for the units of a machine."""
        places: dict[str, int] = {}
        sizes = {False: 0, True: 0}
        for unit in architecture.units:
            places[unit.name] = sizes[unit.shared]
            sizes[unit.shared] += _align(unit.state_bytes)
        return cls(places, sizes[True], sizes[False])


def unit_tables(architecture: Architecture, harts: int) -> dict[str, npt.NDArray[Any]]:
    """Return the members of ``Machine`` about units; their functions are compiled if necessary.

    Raises:
        GnomonError: if the C of a unit does not compile, or has variables of its own.
    """
    units = architecture.units
    if not units:
        return {}
    functions = iter(_functions(units))
    layout = StateLayout.of(architecture)
    numbered = number_instructions(architecture)
    vectors = sum(number < op.NOP for number in numbered)
    rows = np.zeros(len(numbered) - vectors, dtype=UNIT.dtype)
    vector_rows = np.zeros(vectors, dtype=VECTOR_UNIT.dtype)
    places, vector_places = iter(rows), iter(vector_rows)
    part = len(VECTOR_PARTS)
    for unit in units:
        for each in unit.instructions:
            if each.vector is not None:
                _fill_vector_row(next(vector_places), each, each.vector, next(functions), part)
                continue
            row = next(places)
            row["function"], row["third"] = next(functions), each.third in ("rs3", "rd")
            row["shared"] = unit.shared
            row["state"] = layout.places[unit.name] + (0 if unit.shared else layout.shared_bytes)
            row["state_step"] = 0 if unit.shared else layout.hart_bytes
        part += unit.is_vector
    state_bytes = layout.shared_bytes + harts * layout.hart_bytes
    return {
        "units": rows, "unit_state": np.zeros(max(state_bytes, 1), dtype=np.uint8),
        "vector_units": vector_rows,
    }  # fmt: skip


def _fill_vector_row(
    row: np.void, each: UnitInstruction, form: VectorForm, function: int, part: int
) -> None:
    """Fill the row of a vector instruction; ``part``: number of the functional unit of its unit."""
    kind, held = row["kind"], [VECTOR_PARTS.index(name) for name in form.holds]
    kind["start_up"] = each.model.least_cycles
    kind["units"] = sum(1 << bit for bit in {part, *held})
    kind["reduction"] = form.reduces
    kind["own"] = sum(1 << ELEMENT_BITS.index(bits) for bits in form.elements)
    kind["own_b"] = {None: 0, "register_scalar": NUMBERS["OWN_SCALAR"]}.get(
        each.row.rs2, NUMBERS["OWN_VECTOR"]
    )
    row["function"], row["third"] = function, each.third == "rs3"


@lru_cache(maxsize=64)
def _functions(units: tuple[Unit, ...]) -> tuple[int, ...]:
    """Return the addresses of the C functions; a library that was loaded stays loaded.

    Those of vector instructions compute all elements.
    """
    count = sum(len(unit.instructions) for unit in units)
    return tuple((ctypes.c_uint64 * count).in_dll(_library(units), "units_engine_table"))


@lru_cache(maxsize=64)
def _library(units: tuple[Unit, ...]) -> ctypes.CDLL:
    library = compile_cached(library_text(units))
    if what := describe_own_data(library):
        if len(units) > 1:
            for each in units:
                _library((each,))  # names the unit
        raise GnomonError(f"{units[0].code_file}: {what}")
    return library


def explain_running(units: tuple[Unit, ...]) -> str:
    """Return which instruction is executed while the engine does not return, for a message."""
    number = ctypes.c_int32.in_dll(_library(units), "units_running").value
    rows = [(unit, each) for unit in units for each in unit.instructions]
    if number >= 0:
        unit, each = rows[number]
        return (
            f"{each.mnemonic} of unit {unit.name} does not return: its C may not end"
            f" (gnomon check {unit.name} finds the operands)"
        )
    names = ", ".join(unit.name for unit in units)
    return (
        f"the simulator does not return: the C of a unit may not end (units: {names}; gnomon check"
        " UNIT finds the operands)"
    )


class UnitFunctions:
    """The C functions of a unit, with the state that they keep."""

    def __init__(self, unit: Unit) -> None:
        """Compile the functions if necessary; the state is 0.

        Raises:
            GnomonError: if the C of the unit does not compile, or has variables of its own.
        """
        self.unit = unit
        self._library = _library((unit,))
        self._step = 0 if unit.shared else _align(unit.state_bytes)
        self._state = np.zeros(MAX_HARTS * _align(unit.state_bytes) or 1, dtype=np.uint8)

    def apply(
        self, number: npt.ArrayLike, hart: npt.ArrayLike, *operands: npt.ArrayLike
    ) -> npt.NDArray[np.uint32]:
        """Return the results of a sequence of instructions.

        Args:
            number: of each instruction in the unit, shape (count,).
            hart: that executes each.
            operands: a, b and c of each; those that an instruction does not have must be 0.
        """
        arrays: list[npt.NDArray[Any]] = [
            np.ascontiguousarray(each, dtype=np.uint32) for each in (number, hart, *operands)
        ]
        result = np.zeros(len(arrays[0]), dtype=np.uint32)
        arrays += [result, self._state]
        pointers = [ctypes.c_void_p(each.ctypes.data) for each in arrays]
        done = ctypes.c_int64()
        self._library.units_apply(
            ctypes.c_int64(len(result)), *pointers, ctypes.c_int64(self._step), ctypes.byref(done)
        )
        return result
