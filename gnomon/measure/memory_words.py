"""Words into a built program, words out of the memory of a run, and what both must be."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.base.errors import CheckFailed
from gnomon.program import Program
from gnomon.sim import Run
from gnomon.sim.crash import crash_of

Words = npt.NDArray[np.int32]
"""32-bit words as they lie in memory."""


def with_words(
    program: Program, values: Mapping[str, npt.NDArray[np.signedinteger[Any]]]
) -> Program:
    """The program with the words at each of these symbols replaced, in C order."""
    for name, words in values.items():
        program = _replaced(program, name, words.reshape(-1))
    return program


def _replaced(program: Program, name: str, values: npt.NDArray[np.signedinteger[Any]]) -> Program:
    symbol = program.symbol(name)
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
    raise AssertionError(f"{name} is in no segment")


def words_at(memory: bytes, architecture: Architecture, address: int, count: int) -> Words:
    """Words of the data memory that a run left behind."""
    start = address - architecture.memory.data.base
    return np.frombuffer(memory, dtype="<i4", count=count, offset=start).astype(np.int32)


def check_finished(
    title: str,
    run: Run,
    program: Program,
    *,
    any_code: bool = False,
    with_lines: Callable[[], Program] | None = None,
) -> None:
    """Refuse a run that did not end by itself, with exit code 0.

    Args:
        title: what ran, for the message.
        run: how it went.
        program: what ran, to say where it trapped.
        any_code: let other exit codes than 0 pass; those of traps never do.
        with_lines: builds the program with debug information, to say the line of a trap.

    Raises:
        CheckFailed: saying how it ended.
    """
    if run.trapped:
        lined = program if with_lines is None else with_lines()
        # Operands are placed in data; what was built otherwise has its instructions elsewhere.
        alike = _instructions(lined) == _instructions(program)
        crash = crash_of(run, lined if alike else program)
        if crash is not None:
            raise CheckFailed(f"{title}: {crash}")
    if run.halted != "exit" or (run.exit_code != 0 and not any_code):
        end = run.reason or f"exit code 0x{run.exit_code:X}"
        raise CheckFailed(f"{title}: did not finish ({run.halted}): {end}")


def _instructions(program: Program) -> list[tuple[int, bytes]]:
    return [(each.address, each.data) for each in program.segments if each.executable]


def check_equal(title: str, result: npt.NDArray[np.int64], expected: npt.NDArray[np.int64]) -> None:
    """Refuse a result that is not that of its model.

    Raises:
        CheckFailed: naming the first element that differs.
    """
    differing = np.argwhere(result != expected)
    if len(differing):
        at = tuple(int(i) for i in differing[0])
        raise CheckFailed(
            f"{title}: {len(differing)} of {expected.size} elements differ from the model; first"
            f" at [{', '.join(map(str, at))}]: {int(result[at])}, expected {int(expected[at])}"
        )
