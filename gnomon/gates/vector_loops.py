"""Loops of vector instructions that separate the energies of a vector unit.

A loop has one to four instructions of the vector unit on numbers of some bits, with lengths and
places at random, and integer instructions between them. In most loops, one hart works.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from gnomon.calibrate.energy_programs import raw_program
from gnomon.gates.marginal import load_constant, sleep_others
from gnomon.isa import CSR_ADDRESS, INSTRUCTIONS, Instruction, Role, encode
from gnomon.rtl.bare_metal import DATA_BASE, SPM_BASE

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.program import Program

_LOOPS: Final = 60
_MOST_INSTRUCTIONS: Final = 4
_WORDS: Final = 32  # of memory, and of each scratchpad
_WIDTHS: Final = (0, 4, 8, 12, 16, 24, 32)  # bits of numbers
_TEMPORARY, _DATA, _COUNT = 5, 8, 20
_RD, _RS1, _RS2 = 15, 16, 17
_FREE: Final = (6, 7, 9, 10, 11, 12)
_PADS: Final = 4
_INTEGER: Final = ("add", "xor", "mul", "lw", "sw")
_SHARED: Final = 0.25  # of loops in which all harts work


def list_vector_loops(machine: Architecture) -> Iterator[Program]:
    """Yield the loops for a machine with a vector unit."""
    rows = sorted((row for row in INSTRUCTIONS if row.extension in ("kdsp", "kmem")),
                  key=lambda row: row.mnemonic)  # fmt: skip
    for number in range(_LOOPS):
        rng = random.Random(f"vector {number}")  # noqa: S311 - not secrets
        yield raw_program(f"vector {number}", _Loop(machine, rng, rows).words(),
                          int(machine.core.reset_pc))  # fmt: skip


class _Loop:
    """The words of a loop."""

    def __init__(self, machine: Architecture, rng: random.Random, rows: list[Instruction]) -> None:
        assert machine.vcu is not None
        self.rng, self.pad_bytes = rng, int(machine.vcu.scratchpads.size)
        self.rows = rng.sample(rows, rng.randint(1, _MOST_INSTRUCTIONS))
        self.bits = rng.choice(_WIDTHS)
        self.all_harts = rng.random() < _SHARED
        self.width = 2 if self.all_harts else rng.choice((0, 1, 2, 2, 2))
        self.integer = rng.choice((0, 0, 1, 4))  # instructions after one of the vector unit

    def words(self) -> list[int]:
        rng = self.rng
        words = [] if self.all_harts else sleep_others()
        for k in range(_WORDS):
            words += [*load_constant(_TEMPORARY, self._number()),
                      encode("sw", rs1=_DATA, rs2=_TEMPORARY, imm=4 * k)]  # fmt: skip
        words += [
            *load_constant(_RS2, 4 * _WORDS),
            *self._write_csr("mvtype", self.width),
            *self._write_csr("mvsize", 4 * _WORDS),
        ]
        for pad in range(_PADS):
            words += [*load_constant(_RD, SPM_BASE + pad * self.pad_bytes),
                      encode("kmemld", rd=_RD, rs1=_DATA, rs2=_RS2)]  # fmt: skip
        words += [word for register in _FREE for word in load_constant(register, self._number())]
        words += self._write_csr("mvsize", 4 * rng.randint(1, _WORDS))
        body = [word for row in self.rows for _ in range(2) for word in self._write(row)]
        return [*words, encode("addi", rd=_COUNT, imm=rng.randint(2, 6)), *body,
                encode("addi", rd=_COUNT, rs1=_COUNT, imm=-1),
                encode("bne", rs1=_COUNT, rs2=0, imm=-4 * (len(body) + 1))]  # fmt: skip

    def _write_csr(self, name: str, value: int) -> list[int]:
        return [*load_constant(_TEMPORARY, value),
                encode("csrrw", rs1=_TEMPORARY, csr=CSR_ADDRESS[name])]  # fmt: skip

    def _write(self, row: Instruction) -> Iterator[int]:
        """Yield operands, an instruction of the vector unit and integer instructions."""
        pads = self.rng.sample(range(_PADS), 3)
        for register, role, pad in zip((_RD, _RS1, _RS2), (row.rd, row.rs1, row.rs2), pads,
                                       strict=True):  # fmt: skip
            if role:
                yield from load_constant(register, self._operand(role, pad))
        named = {name: register for name, register, role in zip(
            ("rd", "rs1", "rs2"), (_RD, _RS1, _RS2), (row.rd, row.rs1, row.rs2), strict=True,
        ) if role}  # fmt: skip
        yield encode(row.mnemonic, **named)
        for _ in range(self.integer):
            yield self._integer()

    def _operand(self, role: Role, pad: int) -> int:
        match role:
            case "memory_address":
                return DATA_BASE + 4 * _WORDS
            case "byte_count":
                return 4 * self.rng.randint(1, _WORDS)
            case "register_scalar":
                return self._number()
            case "shift_amount":
                return self.rng.getrandbits(5)
        return SPM_BASE + pad * self.pad_bytes + 4 * self.rng.randrange(8)

    def _integer(self) -> int:
        name = self.rng.choice(_INTEGER)
        rd, rs1, rs2 = (self.rng.choice(_FREE) for _ in range(3))
        place = 4 * self.rng.randrange(_WORDS)
        if name == "lw":
            return encode(name, rd=rd, rs1=_DATA, imm=place)
        if name == "sw":
            return encode(name, rs1=_DATA, rs2=rs2, imm=place)
        return encode(name, rd=rd, rs1=rs1, rs2=rs2)

    def _number(self) -> int:
        return self.rng.getrandbits(self.bits) if self.bits else 0
