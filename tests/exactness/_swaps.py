"""Small programs around amoswap.w, whose issues and requests were recorded on the RTL.

Three harts run a body each. Their first instructions are the same and access no memory, so the
bodies begin in three consecutive slots of the rotation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tests.exactness import _assembler as asm
from tests.exactness._elf_writer import write_elf

Body = Callable[[asm.Assembler], None]

BUS_ERROR = 0xDEAD_0000
_TIMES = 4
_PAUSE = 12  # instructions after which the other harts have made their accesses
_BYTES = 32
_OTHER, _PAD, _PAD2 = asm.S1, asm.S2, asm.S3  # another word; two scratchpads
_HELD = asm.Registers(start=(asm.T5, asm.T6), handler=(asm.T3, asm.T4), interrupts=27)
_MHPMCOUNTER3, _MHPMCOUNTERS = 0xB03, range(0xB06, 0xB0B)


def _swap(a: asm.Assembler) -> None:
    a.amoswap(asm.A0, asm.T1, asm.S0)


def _swap_x0(a: asm.Assembler) -> None:
    a.amoswap(asm.X0, asm.T1, asm.S0)


def _swap_misaligned(a: asm.Assembler) -> None:
    a.amoswap(asm.A0, asm.T1, asm.S4)


def _swap_other(a: asm.Assembler) -> None:
    a.amoswap(asm.A0, asm.T1, _OTHER)


def _load(funct3: int, a: asm.Assembler, rd: int = asm.A1, rs1: int = asm.S0) -> None:
    a.i(0x03, funct3, rd, rs1, 0)


def _store(funct3: int, a: asm.Assembler) -> None:
    a.s(funct3, asm.T2, asm.S0, 4)


def _load_pad(a: asm.Assembler, pad: int = _PAD) -> None:
    a.kmem("kmemld", pad, asm.S0, asm.A3)


def _store_pad(a: asm.Assembler) -> None:
    a.kmem("kmemstr", _OTHER, _PAD, asm.A3)


def _add(a: asm.Assembler) -> None:
    a.kdsp("kaddv", _PAD, _PAD, _PAD2)


def _divide(a: asm.Assembler) -> None:
    a.muldiv("div", asm.A1, asm.T1, asm.A3)


def _nop(a: asm.Assembler) -> None:
    a.nop()


def _clear(a: asm.Assembler) -> None:
    """The reset of the RTL leaves the event counters undefined."""
    for csr in (_MHPMCOUNTER3, *_MHPMCOUNTERS):
        a.csrrw(asm.X0, csr, asm.X0)


def _count(a: asm.Assembler) -> None:
    """Store what the event counters have counted, at the end of the other accesses."""
    a.csrr(asm.A1, _MHPMCOUNTER3)
    for register, csr in enumerate(_MHPMCOUNTERS, asm.S5):
        a.csrr(register, csr)
    for place, register in enumerate((asm.A1, *range(asm.S5, asm.S5 + len(_MHPMCOUNTERS)))):
        a.sw(register, 64 + 4 * place, asm.S0)


_LW, _SW = partial(_load, 2), partial(_store, 2)
_WORD = (_LW,)  # a word was accessed, so a swap writes a word
_PAUSED = (_nop,) * _PAUSE
_SWAPS = (_swap,) * _TIMES

PROGRAMS: dict[str, tuple[tuple[Body, ...], ...]] = {
    # Before the first load or store, for hart 0; what counts as one.
    "first": ((_swap, _LW),),
    "first, to x0": ((_swap_x0, _swap, _LW),),
    "first, of three harts": ((_swap, _swap, _LW),) * 3,
    "first, counted": ((_clear, _swap, _swap_x0, _count),),
    "after a load to x0": ((partial(_load, 2, rd=0), _swap, _LW),),
    "after a misaligned load": ((partial(_load, 1, rs1=asm.S4), _swap, _LW),),
    "after a load with an error": ((partial(_load, 0, rs1=asm.S6), _swap, _LW),),
    "after a misaligned swap": ((_swap_misaligned, _swap, _LW),),
    "after kmemld": ((_load_pad, _swap, _LW),),
    "after kmemstr": ((_load_pad, _store_pad, _swap, _LW),),
    **{
        f"after {name} of another hart": ((*_PAUSED, _swap, _swap_x0, _LW), (access,), ())
        for name, access in (
            ("lb", partial(_load, 0)), ("lhu", partial(_load, 5)), ("lw", _LW),
            ("sb", partial(_store, 0)), ("sh", partial(_store, 1)), ("sw", _SW),
        )
    },
    # Next to what other harts do.
    "one hart": ((*_WORD, *_SWAPS),),
    "two harts, two words": ((*_WORD, *_SWAPS), (_swap_other,) * _TIMES, ()),
    "two harts, one word": ((*_WORD, *_SWAPS), _SWAPS, ()),
    "three harts, one word": ((*_WORD, *_SWAPS), _SWAPS, _SWAPS),
    "three harts, some to x0": ((*_WORD, *_SWAPS), (_swap_x0, _swap) * 2, (_swap_x0,) * _TIMES),
    "next to lw and sw": ((*_WORD, *_SWAPS), (_LW,) * _TIMES, (_SW, _swap) * 2),
    "next to sb": ((*_WORD, *_SWAPS), (partial(_store, 0), _nop) * 2, (_SW,) * _TIMES),
    "next to kmemld": ((*_WORD, *_SWAPS), (_load_pad,) * 2, _SWAPS),
    "next to kmemstr": ((*_WORD, *_SWAPS), (_load_pad, _store_pad, _store_pad), _SWAPS),
    "next to kaddv": (
        (*_WORD, *_SWAPS), (_load_pad, partial(_load_pad, pad=_PAD2), _add, _nop, _add), _SWAPS
    ),
    "next to div": ((*_WORD, *_SWAPS), (_divide,) * 2, (_divide, _swap) * 2),
}  # fmt: skip
"""The bodies of hart 0 and, of programs in which they do something, of harts 1 and 2."""


def swap_elf(name: str) -> bytes:
    """Return a program as an ELF file."""
    bodies = PROGRAMS[name]
    a = asm.Assembler()

    def assemble() -> list[int]:
        entries = []
        for hart in range(3):
            entries.append(a.here)
            _begin(a, hart)
            for place in bodies[hart] if hart < len(bodies) else ():
                place(a)
            for _ in range(8 * _PAUSE if hart == 0 else 0):
                a.nop()
            if hart == 0:
                a.li(asm.T0, asm.EXIT)
                a.sw(asm.X0, 0, asm.T0)
            a.jal(asm.X0, a.here)
        return entries

    asm.start_harts(a, _HELD, assemble)
    words = b"".join((0x0101_0101 * k).to_bytes(4, "little") for k in range(1, 33))
    return write_elf([(a.base, a.code()), (asm.DATA_BASE, words)])


def _begin(a: asm.Assembler, hart: int) -> None:
    a.li(asm.S0, asm.DATA_BASE)
    a.li(_OTHER, asm.DATA_BASE + 8)
    a.li(_PAD, asm.SPM_BASE)
    a.li(_PAD2, asm.SPM_BASE + 4096)
    a.li(asm.S4, asm.DATA_BASE + 1)
    a.li(asm.S6, BUS_ERROR)
    a.addi(asm.A3, 0, _BYTES)
    a.li(asm.T1, 0x2233_4455 + 0x1111_1111 * hart)
    a.li(asm.T2, 0x6677_8899)
    a.li(asm.A1, 0x3FF)
    a.csrrw(asm.X0, asm.PCER, asm.A1)
    a.csrrwi(asm.X0, asm.MVTYPE, 2)
    a.csrrw(asm.X0, asm.MVSIZE, asm.A3)
