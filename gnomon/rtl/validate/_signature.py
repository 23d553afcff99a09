"""Signatures: the words a test leaves in memory, and the text files they are compared with."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError
from gnomon.rtl.validate._isa_place import bytes_left_at

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.arch import Architecture
    from gnomon.program import Program
    from gnomon.sim import Run

WORD_BYTES = 4
_WORD = re.compile("[0-9a-fA-F]{8}")


def read_signature(path: Path) -> list[int]:
    """The words of a signature file: one per line, eight hexadecimal digits.

    Raises:
        GnomonError: the file is empty or has another line in it.
    """
    try:
        lines = path.read_text("ascii").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise GnomonError(f"{path}: cannot be read: {error}") from None
    words = []
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text and number == len(lines):
            break
        if not _WORD.fullmatch(text):
            raise GnomonError(
                f"{path}:{number}: {text!r} is not a word of a signature: it must be eight"
                " hexadecimal digits"
            )
        words.append(int(text, 16))
    if not words:
        raise GnomonError(f"{path}: the signature is empty")
    return words


def compare_signature(
    program: Program, run: Run, architecture: Architecture, expected: list[int]
) -> str | None:
    """None if memory holds the expected words, else the first difference in words.

    Raises:
        GnomonError: the program has no ``begin_signature`` and ``end_signature`` in one memory.
    """
    begin = program.symbol("begin_signature").address
    end = program.symbol("end_signature").address
    held = bytes_left_at(run, architecture, begin, end - begin) if begin < end else None
    if held is None:
        raise GnomonError(
            f"{program.name}: the signature {begin:#x}..{end:#x} is not inside one memory of"
            f" {architecture.name}"
        )
    words = [
        int.from_bytes(held[i : i + WORD_BYTES], "little") for i in range(0, len(held), WORD_BYTES)
    ]
    if len(words) != len(expected):
        return f"the signature has {len(words)} words, the reference {len(expected)}"
    wrong = [
        i for i, (word, other) in enumerate(zip(words, expected, strict=True)) if word != other
    ]
    if not wrong:
        return None
    first = wrong[0]
    return (
        f"{len(wrong)} of {len(words)} words differ, first word {first} at"
        f" {begin + WORD_BYTES * first:#x}: {words[first]:08x}, reference {expected[first]:08x}"
    )
