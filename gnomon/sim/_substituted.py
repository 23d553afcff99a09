"""Encodings that a machine executes as another instruction, and CSRs that it does not have.

The T13 does not check all bits of an instruction, and does not trap on CSRs that it does not have
(``core.quirks``). A program with such an instruction gets wrong results without an error of the
machine, so the run warns. The words alone identify the instructions: nothing is checked during
execution.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.isa import decode_word, disassemble
from gnomon.program import Program
from gnomon.sim._machine import Machine
from gnomon.sim._tables import suspects, taken_as

Array = npt.NDArray[np.int64]

_EFFECTS: Final = {
    "slli_ignores_funct7": "shifts left by the low five bits of the immediate, as slli",
    "jalr_ignores_funct3": "jumps as jalr",
    "amo_ignores_funct5": "swaps as amoswap.w",
    "op_rd_x0_is_nop": "does nothing instead of trapping",
    "load_rd_x0_is_nop": "loads nothing and accesses no memory",
    "csr_set_clear_x0_is_nop": "leaves the CSR as it is",
    "core.rtl: morph": "does nothing instead of trapping",
}
"""The behavior of the machine, by quirk."""

_UNARY: Final = {0x600: "clz", 0x601: "ctz", 0x602: "cpop", 0x604: "sext.b", 0x605: "sext.h"}
_BY_FUNCT7: Final = {0x14: "bseti", 0x24: "bclri", 0x34: "binvi"}
_ATOMIC: Final = {
    0x00: "amoadd.w", 0x02: "lr.w", 0x03: "sc.w", 0x04: "amoxor.w", 0x08: "amoor.w",
    0x0C: "amoand.w", 0x10: "amomin.w", 0x14: "amomax.w", 0x18: "amominu.w", 0x1C: "amomaxu.w",
}  # fmt: skip


def standard_name(word: int) -> str:
    """Return the name of a word in the RISC-V specification, including Zbb, Zbs and A."""
    opcode, funct3 = word & 0x7F, word >> 12 & 7
    name = None
    if opcode == 0x13 and funct3 == 1:
        name = _UNARY.get(word >> 20) or _BY_FUNCT7.get(word >> 25)
    elif opcode == 0x2F and funct3 == 2:
        name = _ATOMIC.get(word >> 27)
    if name is not None:
        return f"{name} ({word:#010x})"
    return disassemble(word)


def warnings_of_words(machine: Machine, program: Program) -> tuple[str, ...]:
    """Return one warning for each quirk that changed the behavior of the program.

    Each gives the number of executions, and the first place in the order of addresses.
    """
    return (*_find_missing_csrs(machine, program), *_find_substitutions(machine, program))


def _find_substitutions(machine: Machine, program: Program) -> list[str]:
    architecture: Architecture = machine.architecture
    if architecture.core.model != "t13" or architecture.core.alignment_bytes != 4:
        return []
    first, last = machine.text
    issues = machine.issues()[:, first:last].sum(axis=0)
    words = machine.ram[: int(machine.cfg["data_word0"])].view(np.uint32)[first:last]
    which = np.flatnonzero(suspects(words) & (issues > 0))
    if not len(which):
        return []
    found = []
    taken = taken_as(words[which], architecture)
    for quirk, chosen in taken.items():
        places = which[chosen]
        if not len(places):
            continue
        count = int(issues[places].sum())
        pc = int(machine.cfg["ibase"]) + 4 * (first + int(places[0]))
        key = quirk if ":" in quirk else f"core.quirks.{quirk}"
        found.append(
            f"{standard_name(int(words[places[0]]))} at 0x{pc:08X}{_format_function(program, pc)}"
            f" {_EFFECTS[quirk]} on this machine ({key}); such words were executed"
            f" {count:,} time{'s' * (count > 1)}"
        )
    return found


def _find_missing_csrs(machine: Machine, program: Program) -> list[str]:
    count = int(machine.st["missing_csrs"])
    if not count:
        return []
    pc = int(machine.st["missing_csr_pc"]) & 0xFFFF_FFFF
    decoded = decode_word(machine.instruction(machine.word_index(pc)))
    name = "?" if decoded is None else decoded.csr_name
    place = _format_function(program, pc)
    text = (
        f"the machine has no CSR {name}, which is accessed at 0x{pc:08X}{place}: it"
        " reads 0 and writes nothing, without a trap (core.quirks.unknown_csr_reads_zero);"
        f" {count:,} access{'es' * (count > 1)} to CSRs that do not exist. Cycles are counted in"
        " mcycle, instructions in minstret"
    )
    return [text]


def _format_function(program: Program, pc: int) -> str:
    function = program.function_at(pc)
    return "" if function is None else f" in {function.name}"
