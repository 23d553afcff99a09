"""One instruction on known operands, whose result is stored: what a core computes, apart."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from gnomon.calibrate._programs import (
    ACCESSES,
    ALU,
    BRANCHES,
    CSRS,
    JALR_ODD,
    JALR_SAME,
    PLAIN,
    SHIFTS,
    encode_operation,
    units,
)
from gnomon.isa import encode
from gnomon.rtl.bare_metal import li

_A, _B, RESULT, _DATA, _T = 10, 11, 12, 8, 5
_REST: Final = [PLAIN] * 4
_LOADED: Final = 0x8F7E_9D6C
_STORED: Final = {
    "sb": (0xA1B2_C351, 0xA2B3_C462, 0xA3B4_C573, 0xA4B5_C684),
    "sh": (0xE5F6_9D6C, 0, 0x1728_B8A7),
    "sw": (_LOADED,),
}
"""Values by offset: bytes of a wrong lane differ from those that an earlier store left there."""
_SLOT, _PLACE, _OTHER, _CSR = 4, 64, 68, 0x340
_OPERANDS: Final = (
    (0x1234_5678, 30), (7, 3), (0xFFFF_FFFF, 0x8000_0001), (0x8000_0000, 0xFFFF_FFFF), (0, 5),
    (0xFFFF_FF80, 0x7F), (0x7F, 0xFFFF_FF80), (0x7FFF_FFFF, 0x8000_0000),
    (0x8765_4321, 0x89AB_CDEF), (0xFFFF_FF80, 0), (7, 0), (0x8765_4321, 31), (1 << 31, 1 << 31),
)  # fmt: skip

_OLD_DATA: Final = (
    "; a bus adapter that reads memory in the cycle of store(...) must return the stored bytes"
)


@dataclass(frozen=True)
class Case:
    """Words that end with one store, which shows what the instruction computed."""

    mnemonic: str
    words: tuple[int, ...]
    operands: str = ""
    previous: tuple[int, ...] = ()
    """Words directly before, which belong to the fault: the last ones of the case before."""
    remedy: str = ""
    """What else than the core may be wrong."""

    def __str__(self) -> str:
        return f"{self.mnemonic}{self.operands}"


def list_cases(isa: str) -> Iterator[Case]:
    """Yield several cases of every instruction."""
    for a, b in _OPERANDS:
        for name in (*ALU, *SHIFTS, *units(isa)):
            word, second = encode_operation(name, a, b, rd=RESULT, rs1=_A, rs2=_B)
            yield _case(name, word, a, b, second)
        for name in BRANCHES:
            yield _branch(name, a, b)
            yield _branch(name, a, a)
    words = (*li(_A, _LOADED), *_REST, _store(_A, _PLACE))
    yield Case("sw", words)  # the loads below read it
    for name in ACCESSES:
        for offset in range(0, 4, {"b": 1, "h": 2, "w": 4}[name[1]]):
            yield _access(name, offset)
    yield from _load_after_store()
    yield from _jumps()
    fence = [encode("addi", rd=RESULT, imm=1), *_REST, encode("fence", imm=0xFF),
             encode("addi", rd=RESULT, rs1=RESULT, imm=1)]  # fmt: skip
    yield Case("fence", (*fence, *_REST, _store(RESULT)))
    for name in CSRS if isa.endswith("_zicsr") else ():
        yield from _csr(name)


def _store(register: int, offset: int = _SLOT) -> int:
    return encode("sw", rs1=_DATA, rs2=register, imm=offset)


def _case(name: str, word: int, a: int, b: int, second: int) -> Case:
    words = (*li(_A, a), *li(_B, b), *_REST, word, *_REST, _store(RESULT))
    return Case(name, words, f" of {a:#x}, {second:#x}")


def _branch(name: str, a: int, b: int) -> Case:
    """Return a branch over one instruction that counts."""
    word = encode(name, rs1=_A, rs2=_B, imm=8)
    count = encode("addi", rd=RESULT, rs1=RESULT, imm=1)
    words = (*li(_A, a), *li(_B, b), encode("addi", rd=RESULT), *_REST, word, count, *_REST)
    return Case(name, (*words, _store(RESULT)), f" of {a:#x}, {b:#x}")


def _access(name: str, offset: int) -> Case:
    """Return an access to one of the lanes of a word."""
    at = f" at an address 4 n + {offset}"
    if name[0] == "s":
        word = encode(name, rs1=_DATA, rs2=_A, imm=_OTHER + offset)
        return Case(name, (*li(_A, _STORED[name][offset]), *_REST, word), at)
    loaded = encode(name, rd=RESULT, rs1=_DATA, imm=_PLACE + offset)
    return Case(name, (*_REST, loaded, *_REST, _store(RESULT)), at)


def _load_after_store() -> Iterator[Case]:
    """Yield a store, and a load of its word that directly follows."""
    words = (*li(_A, _LOADED >> 1), *_REST, _store(_A, _PLACE))
    yield Case("sw", words)
    loaded = encode("lw", rd=RESULT, rs1=_DATA, imm=_PLACE)
    yield Case("lw", (loaded, *_REST, _store(RESULT)), " directly after a store to its word",
               words[-1:], _OLD_DATA)  # fmt: skip


def _jumps() -> Iterator[Case]:
    count = encode("addi", rd=RESULT, imm=9)
    yield Case("jal", (*_REST, encode("jal", rd=RESULT, imm=8), count, *_REST, _store(RESULT)))
    for odd in (0, 1):
        base = [encode("auipc", rd=_T), *_REST]
        word = encode("jalr", rd=RESULT, rs1=_T, imm=4 * len(base) + 8 + odd)
        name = JALR_ODD if odd else "jalr"
        shown = [encode("auipc", rd=RESULT)] * odd  # an odd pc shows in a store, too
        yield Case(name, (*base, word, count, *shown, *_REST, _store(RESULT)))
    base = [encode("auipc", rd=RESULT), *_REST]
    word = encode("jalr", rd=RESULT, rs1=RESULT, imm=4 * len(base) + 8)
    yield Case(JALR_SAME, (*base, word, count, *_REST, _store(RESULT)))


def _csr(name: str) -> Iterator[Case]:
    """Yield the value that an access reads, and the value that it leaves."""
    given = {"imm": 5} if name.endswith("i") else {"rs1": _B}
    start = (*li(_A, 0x0F0F_1234), *li(_B, 0x00FF_00FF), *_REST,
             encode("csrrw", rd=0, csr=_CSR, rs1=_A), *_REST)  # fmt: skip
    word = encode(name, rd=RESULT, csr=_CSR, **given)
    yield Case(name, (*start, word, *_REST, _store(RESULT)), ", value read")
    left = encode("csrrs", rd=RESULT, csr=_CSR, rs1=0)
    yield Case(name, (*start, word, *_REST, left, *_REST, _store(RESULT)), ", value left")
