"""Small programs of one vector instruction on known scratchpad contents, and their result words."""

from __future__ import annotations

import struct
from dataclasses import dataclass

from tests.exactness import _assembler as asm
from tests.exactness._reference import elf_of

PADS, PAD_WORDS = 3, 24  # scratchpads that are filled, and how far
_MVTYPE = {8: 0, 16: 1, 32: 2}
_REGISTER_SCALARS = {"ksvaddrf", "ksvmulrf", "ksvslt"}
SUMS = {"kvred", "kdotp", "kdotpps"}


@dataclass(frozen=True, kw_only=True)
class VectorCase:
    """Places are (scratchpad, word). ``behind``: a kmemld into this scratchpad is in flight.

    The transfer brings what is there already, so that it changes the timing and nothing else.
    """

    name: str
    bits: int
    size_bytes: int
    simd: int
    rd: tuple[int, int]
    rs1: tuple[int, int]
    rs2: tuple[int, int] = (1, 0)
    behind: int | None = None
    sharing: str = "shared"

    @property
    def result_words(self) -> int:
        return 1 if self.name in SUMS else -(-self.size_bytes // 4)

    def elf(self) -> bytes:
        a = asm.Assembler()
        a.jal(0, asm.START_PC)
        while a.here < asm.START_PC:
            a.nop()
        a.csrr(asm.T0, asm.MHARTID)
        a.branch(1, asm.T0, 0, a.here)  # harts other than 0 stay here
        a.addi(asm.T2, 0, 4 * PAD_WORDS)
        for pad in range(PADS):
            self._load(a, pad)
        a.addi(asm.T1, 0, self.size_bytes)
        a.csrrw(0, asm.MVSIZE, asm.T1)
        a.csrrwi(0, asm.MVTYPE, _MVTYPE[self.bits])
        a.csrrwi(0, asm.MPSCLFAC, 3)
        _address(a, asm.A0, self.rd)
        _address(a, asm.A1, self.rs1)
        if self.name in _REGISTER_SCALARS:
            a.li(asm.A2, 0x8765_4321)
        else:
            _address(a, asm.A2, self.rs2)
        if self.behind is not None:
            self._load(a, self.behind)
        a.kdsp(self.name, asm.A0, asm.A1, asm.A2)
        a.li(asm.S1, asm.DATA_BASE + 0x400)
        a.addi(asm.T1, 0, 4 * self.result_words)
        a.kmem("kmemstr", asm.S1, asm.A0, asm.T1)
        a.li(asm.T6, asm.PRINT)
        for place in range(self.result_words):
            a.lw(asm.T0, 4 * place, asm.S1)
            a.sw(asm.T0, 0, asm.T6)
        asm.exit_with(a)
        contents = [(word * 0x9E37_79B9 + 0x0102_0304) % 2**32 for word in range(PADS * PAD_WORDS)]
        return elf_of(a, (asm.DATA_BASE, struct.pack(f"<{len(contents)}I", *contents)))

    def _load(self, a: asm.Assembler, pad: int) -> None:
        a.li(asm.S0, asm.DATA_BASE + 4 * PAD_WORDS * pad)
        _address(a, asm.T3, (pad, 0))
        a.kmem("kmemld", asm.T3, asm.S0, asm.T2)


def _address(a: asm.Assembler, register: int, place: tuple[int, int]) -> None:
    a.li(register, asm.SPM_BASE + 4096 * place[0] + 4 * place[1])
