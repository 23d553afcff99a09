"""Words that every item is made of, and what registers and addresses are for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.isa import CSR_ADDRESS, encode
from gnomon.rtl.bare import TRAP_PC

if TYPE_CHECKING:
    from collections.abc import Iterator

VALUES = range(1, 16)  # random data
RD, RS1, RS2 = 16, 17, 18  # addresses of vector operands
INTERRUPTS = 22  # software interrupts taken
PRIVATE, SHARED = 24, 25  # data of this hart, data of all
HANDLER0, HANDLER1 = 26, 27
LOOP, T, U = 28, 29, 30
LINK = 31

PATCHED_WORDS = 8
"""Of the words that harts overwrite in each other's code; behind them stands the way back."""

_PATCHED_BASE = TRAP_PC + 4


def patched_address(hart: int) -> int:
    """Where the words of a hart stand that others overwrite."""
    return _PATCHED_BASE + 4 * (PATCHED_WORDS + 1) * hart


def patched_code(harts: int) -> Iterator[int]:
    """The words at ``patched_address`` of all harts."""
    for _ in range(harts):
        for number in range(PATCHED_WORDS):
            register = VALUES[number]
            yield encode("addi", rd=register, rs1=register, imm=number + 1)
        yield encode("jalr", rs1=LINK)


def li(register: int, value: int) -> Iterator[int]:
    """Words that load a constant of 32 bits."""
    value = (value ^ 0x8000_0000) % 2**32 - 0x8000_0000
    if -2048 <= value < 2048:
        yield encode("addi", rd=register, imm=value)
        return
    low = (value & 0xFFF ^ 0x800) - 0x800
    high = ((value - low) ^ 0x8000_0000) % 2**32 - 0x8000_0000
    yield encode("lui", rd=register, imm=high)
    yield encode("addi", rd=register, rs1=register, imm=low)


def csrw(name: str, register: int) -> int:
    """A word that writes a CSR; the set and clear forms with rd = x0 do nothing on the T13."""
    return encode("csrrw", rs1=register, csr=CSR_ADDRESS[name])


def csrwi(name: str, value: int) -> int:
    """A word that writes a small constant into a CSR."""
    return encode("csrrwi", imm=value, csr=CSR_ADDRESS[name])


def csrr(register: int, name: str) -> int:
    """A word that reads a CSR."""
    return encode("csrrs", rd=register, csr=CSR_ADDRESS[name])
