"""32-bit words of programs and of memory after a run."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.program import Program

Words = npt.NDArray[np.int32]
"""32-bit words as stored in memory."""


def with_words(
    program: Program, values: Mapping[str, npt.NDArray[np.signedinteger[Any]]]
) -> Program:
    """Return the program with the words at each of these symbols replaced, in C order."""
    for name, words in values.items():
        program = _replaced(program, name, words.reshape(-1))
    return program


def _replaced(program: Program, name: str, values: npt.NDArray[np.signedinteger[Any]]) -> Program:
    symbol = program.symbol(name)
    assert 4 * values.size <= symbol.size_bytes
    address = program.load_address(symbol.address)
    for index, segment in enumerate(program.segments):
        if segment.address <= address and address + symbol.size_bytes <= segment.end:
            offset = address - segment.address
            # A segment ends with its last byte in the file; the rest of it is zero.
            data = bytearray(segment.data.ljust(offset + 4 * values.size, b"\0"))
            data[offset : offset + 4 * values.size] = values.astype("<i4").tobytes()
            changed = replace(segment, data=bytes(data))
            segments = (*program.segments[:index], changed, *program.segments[index + 1 :])
            return replace(program, segments=segments)
    raise AssertionError(f"{name} is in no segment")


def words_at(memory: bytes, architecture: Architecture, address: int, count: int) -> Words:
    """Return words of the data memory after a run."""
    start = address - architecture.memory.data.base
    return np.frombuffer(memory, dtype="<i4", count=count, offset=start).astype(np.int32)
