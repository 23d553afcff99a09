"""Words that every item is made of, and what registers and addresses are for."""

from collections.abc import Iterator

from gnomon.isa import CSR_ADDRESS, encode
from gnomon.rtl.bare import TRAP_PC

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


def csrw(name: str, register: int) -> int:
    """A word that writes a CSR; the set and clear forms with rd = x0 do nothing on the T13."""
    return encode("csrrw", rs1=register, csr=CSR_ADDRESS[name])


def csrwi(name: str, value: int) -> int:
    """A word that writes a small constant into a CSR."""
    return encode("csrrwi", imm=value, csr=CSR_ADDRESS[name])


def csrr(register: int, name: str) -> int:
    """A word that reads a CSR."""
    return encode("csrrs", rd=register, csr=CSR_ADDRESS[name])
