"""32-bit words of programs and of memory after a run, and checks of a run and its result."""

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
    for index, segment in enumerate(program.segments):
        if segment.address <= symbol.address and symbol.end <= segment.end:
            offset = symbol.address - segment.address
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


def check_finished(
    title: str,
    run: Run,
    program: Program,
    *,
    any_code: bool = False,
    with_lines: Callable[[], Program] | None = None,
) -> None:
    """Check that a run ended regularly with exit code 0.

    Args:
        title: name of the run for the message.
        run: result of the run.
        program: the program that ran, to locate a trap.
        any_code: whether to accept exit codes other than 0; traps are always errors.
        with_lines: function that builds the program with debug information, to name the line of a
            trap.

    Raises:
        CheckFailed: if the run ended differently; the message states how.
    """
    if run.trapped:
        lined = program if with_lines is None else with_lines()
        # Operands are stored as data. A build with other options has its instructions elsewhere.
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
    """Check that a result equals that of its model.

    Raises:
        CheckFailed: if an element differs; the message names the first.
    """
    differing = np.argwhere(result != expected)
    if len(differing):
        at = tuple(int(i) for i in differing[0])
        raise CheckFailed(
            f"{title}: {len(differing)} of {expected.size} elements differ from the model; first"
            f" at [{', '.join(map(str, at))}]: {int(result[at])}, expected {int(expected[at])}"
        )
