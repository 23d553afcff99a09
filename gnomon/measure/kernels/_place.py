"""Placement of operands in a built program."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.measure.kernels.fixed import Operands, Steps
from gnomon.measure.memory_words import with_words
from gnomon.program import Program

# Guard between and around operands, to detect writes outside the result. No kernel computes it by
# chance: it is neither a small number nor a sum of a few small numbers.
GUARD_WORD = -0x5A17_C0DF
_GUARD_WORDS = 8


@dataclass(frozen=True, slots=True)
class PlacedProgram:
    """Program with its operands in place, and the positions of result and workspace."""

    program: Program
    before: Steps
    result: range
    work: range


def check_room(
    program: Program, operand_words: Sequence[int], result_words: int, work_words: int
) -> None:
    """Check that the program has room, before anything of this size is allocated.

    Raises:
        GnomonError: if it has not; the message states needed and available bytes.
    """
    room = program.symbol("measure_words").size_bytes // 4
    sizes = [*operand_words, result_words, *([work_words] if work_words else [])]
    used = sum(sizes) + _GUARD_WORDS * (len(sizes) + 1)
    if used > room:
        what = "operands, result and workspace" if work_words else "operands and result"
        raise GnomonError(
            f"{what} take {4 * used} bytes, but the machine has room for"
            f" {4 * room}; increase the room with --set memory.data.size"
        )


def place_operands(
    program: Program,
    arguments: tuple[int, ...],
    operands: Operands,
    result_words: int,
    work_words: int,
) -> PlacedProgram:
    """Write operands and numbers into the data of a program that was built with ``measure.h``.

    Thus one build serves all sizes and all inputs.
    """
    check_room(program, [each.size for each in operands], result_words, work_words)
    guard = np.full(_GUARD_WORDS, GUARD_WORD, dtype=np.int64)
    sizes = (result_words, work_words) if work_words else (result_words,)
    empty = [np.full(words, GUARD_WORD, dtype=np.int64) for words in sizes]
    pieces, places, used = [guard], [], _GUARD_WORDS
    for values in (*operands, *empty):
        places.append(used)
        pieces += [values.reshape(-1), guard]
        used += values.size + _GUARD_WORDS
    before = np.concatenate(pieces)
    given = {
        "measure_words": before,
        "measure_arguments": np.array(arguments, dtype=np.int64),
        "measure_places": np.array(places, dtype=np.int64),
    }
    at = places[len(operands)]
    return PlacedProgram(
        with_words(program, given),
        before,
        range(at, at + result_words),
        range(places[-1], places[-1] + work_words),
    )
