"""Latency models as the engine reads them: :mod:`gnomon.arch.operands` in arrays."""

from typing import Any

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.arch.operands import PROPERTIES, InstructionLatency, LatencyModel
from gnomon.sim import _ops as op
from gnomon.sim._structs import LATENCY, OPERAND_CYCLES
from gnomon.sim._units import list_latencies

_BY_NUMBER = {name: number for number, name in enumerate(PROPERTIES)}
_NO_CYCLES = LatencyModel("none", (0,))


def latency_tables(architecture: Architecture) -> dict[str, npt.NDArray[Any]]:
    """Return the members of ``Machine`` that hold latency models.

    Row 0 of ``latencies`` is the model of each lane. The others are those of instructions, and
    ``latency_of`` has the row of each operation; 0: it has no model.
    """
    vcu, instructions = architecture.vcu, list_latencies(architecture)
    rows = np.zeros(1 + len(instructions), dtype=LATENCY.dtype)
    latency_of = np.zeros(op.OP_COUNT, dtype=np.uint8)
    places: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
    entries: list[npt.NDArray[np.void]] = []

    def add(row: np.void, model: LatencyModel, static: int, waits: tuple[int, ...]) -> None:
        row["property"] = property_number(model)
        row["first"], row["second"] = model.parameters
        row["static_cycles"] = static
        cycles = tuple(each - static for each in model.cycles)
        place = places.get((cycles, waits))
        if place is None:
            place = places[cycles, waits] = sum(map(len, entries))
            entries.append(np.zeros(len(cycles), dtype=OPERAND_CYCLES.dtype))
            entries[-1]["cycles"], entries[-1]["wait"] = cycles, waits or 0
        row["cycles"] = place * OPERAND_CYCLES.dtype.itemsize

    lane = None if vcu is None else vcu.lane_latency()
    add(rows[0], lane or _NO_CYCLES, 0, ())
    for number, (each, operations) in enumerate(instructions, 1):
        add(rows[number], each.model, each.static_cycles, _waits(architecture, each))
        latency_of[operations] = number
    operand_cycles = np.concatenate(entries)
    rows["cycles"] += operand_cycles.ctypes.data
    return {"latencies": rows, "operand_cycles": operand_cycles, "latency_of": latency_of}


def property_number(model: LatencyModel) -> int:
    """Return the number of how operands give that of a model, as the engine counts these ways."""
    return 2 * _BY_NUMBER[model.by] + model.magnitudes


def _waits(architecture: Architecture, latency: InstructionLatency) -> tuple[int, ...]:
    """Return the waits for the next instruction, by the number of the operands."""
    timing = architecture.core.latency
    if timing is None or architecture.computes_fetch:
        return ()
    waits, hides = architecture.static_fetch_waits, latency.hides
    return tuple(timing.fetch_wait(each, waits, hides=hides) for each in latency.model.cycles)


def lane_key(tables: dict[str, npt.NDArray[Any]]) -> bytes:
    """Return bytes that are equal if and only if the lanes take the same cycles."""
    row = tables["latencies"][:1].copy()
    size = list(PROPERTIES.values())[int(row["property"][0]) // 2].size
    row["cycles"] = 0  # an address; those of the lanes are the first ones
    return row.tobytes() + tables["operand_cycles"][:size].tobytes()
