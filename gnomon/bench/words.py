"""Words into a built program, and words out of the memory that a run leaves behind."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.arch import Architecture
    from gnomon.program import Program, Symbol

Words = npt.NDArray[np.int32]
"""32-bit words as they lie in memory."""


def with_words(
    program: Program, symbol: Symbol, values: npt.NDArray[np.signedinteger[Any]]
) -> Program:
    """The program with the words at a symbol replaced."""
    assert 4 * values.size <= symbol.size_bytes
    for index, segment in enumerate(program.segments):
        if segment.address <= symbol.address and symbol.end <= segment.end:
            offset = symbol.address - segment.address
            # A segment is as long as its last byte from the file; the rest of it is zero.
            data = bytearray(segment.data.ljust(offset + 4 * values.size, b"\0"))
            data[offset : offset + 4 * values.size] = values.astype("<i4").tobytes()
            changed = replace(segment, data=bytes(data))
            segments = (*program.segments[:index], changed, *program.segments[index + 1 :])
            return replace(program, segments=segments)
    raise AssertionError(f"{symbol.name} is in no segment")


def with_all_words(
    program: Program, values: Mapping[str, npt.NDArray[np.signedinteger[Any]]]
) -> Program:
    """The program with the words at each of these symbols replaced, in C order."""
    for name, words in values.items():
        program = with_words(program, program.symbol(name), words.reshape(-1))
    return program


def words_at(memory: bytes, architecture: Architecture, address: int, count: int) -> Words:
    """Words of the data memory that a run left behind."""
    start = address - architecture.memory.data.base
    return np.frombuffer(memory, dtype="<i4", count=count, offset=start).astype(np.int32)
