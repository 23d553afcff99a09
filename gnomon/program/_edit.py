"""Changes of the assembly text between a compiler and its assembler, and marks of its lines.

The compiler writes the assembly of a C source, an edit changes it, and the compiler assembles it.
:data:`MARKS` names each instruction in the symbol table and changes no byte of the program.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from gnomon.isa import REGISTER_OF_NAME
from gnomon.program._program import Program

_INSTRUCTION: Final = re.compile(r"\s+(?P<mnemonic>[a-z][\w.]*)(?:\s+(?P<operands>[^#]*))?")
_LABEL: Final = re.compile(r"\s*[\w.$]+:")
_NUMBER: Final = re.compile(r"-?(?:0x[0-9a-f]+|\d+)", re.IGNORECASE)
_INLINE: Final = {"#APP": True, "#NO_APP": False}
_MARK: Final = re.compile(r"gnomon\.(\d+)\.(\d+)(l?)(f?)")


@dataclass(frozen=True, slots=True)
class AssemblyEdit:
    """A change of assembly text.

    ``key``: digest of everything that decides the change. ``apply``: returns the new text from the
    number of the source in the build and its text.
    """

    key: str
    apply: Callable[[int, str], str] = field(compare=False)


class Mark(NamedTuple):
    """A line of assembly that is an instruction.

    ``source``: the number of its source in the build; ``line``: of its text, from 0 on.
    ``labelled``: whether a label precedes it. ``fixed``: whether it must stay as it is: inline
    assembly, or an operand that the linker computes.
    """

    source: int
    line: int
    labelled: bool
    fixed: bool


def find_marks(program: Program) -> dict[int, Mark]:
    """Return the marks of a program that was built with :data:`MARKS`, by address."""
    found: dict[int, Mark] = {}
    for symbol in program.symbols:
        if match := _MARK.fullmatch(symbol.name):
            source, line, labelled, fixed = match.groups()
            mark = Mark(int(source), int(line), bool(labelled), bool(fixed))
            if other := found.get(symbol.address):  # the linker has deleted an instruction
                mark = mark._replace(labelled=mark.labelled or other.labelled, fixed=True)
            found[symbol.address] = mark
    return dict(sorted(found.items()))


def _mark_lines(source: int, text: str) -> str:
    lines = []
    labelled = inline = False
    for number, line in enumerate(text.split("\n")):
        inline = _INLINE.get(line.strip(), inline)
        found = _INSTRUCTION.match(line)
        if found is not None:
            fixed = inline or not _is_plain(found["operands"] or "")
            flags = "l" * labelled + "f" * fixed
            lines.append(f"gnomon.{source}.{number}{flags}:")
            labelled = False
        elif _LABEL.match(line):
            labelled = True
        lines.append(line)
    return "\n".join(lines)


def _is_plain(operands: str) -> bool:
    """Return whether all operands are registers and numbers."""
    words = [word.strip() for word in operands.split(",")]
    return all(word in REGISTER_OF_NAME or _NUMBER.fullmatch(word) for word in words)


MARKS: Final = AssemblyEdit("marks 2", _mark_lines)
