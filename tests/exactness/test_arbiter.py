"""Requests that no hart waits for, in the arbiter of multithreaded functional units.

A vector instruction that traps or has no length asks for its functional units like any other. Where
one is not free, the request stays, and delays or blocks later instructions. The exit cycles are
those of the RTL of T13x c2c62163 under GHDL 2.0.0 (llvm), which ran these programs with
``gnomon rtl klessydra --programs`` and was equal to the model cycle by cycle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.exactness import _assembler as asm
from tests.exactness._reference import assert_clean, elf_of

if TYPE_CHECKING:
    from tests.exactness._runner import Runner

_CYCLES = 5_000

Work = tuple[tuple[str, int], ...]
"""Vector instructions of a hart and their bytes; 0 do nothing. A kmemld loads their target."""


def program(work: dict[int, Work]) -> bytes:
    """Harts with work meet, do it, meet again; then hart 0 stores to the exit register."""
    a = asm.Assembler()
    a.jal(0, asm.START_PC)
    while a.here < asm.START_PC:
        a.nop()
    a.csrr(asm.T0, asm.MHARTID)
    a.li(asm.S0, asm.DATA_BASE)
    for place, register in enumerate((asm.A0, asm.A1, asm.A2)):
        a.li(register, asm.SPM_BASE + 4096 * place)
    for hart, items in sorted(work.items()):
        a.addi(asm.T1, 0, hart)
        skip = a.word(0)
        for k, (name, size_bytes) in enumerate(((("", 0)), *items, ("", 0))):
            if name:
                a.addi(asm.T2, 0, size_bytes)
                if name == "kmemld":
                    a.kmem(name, asm.A2, asm.S0, asm.T2)
                    continue
                a.csrrw(0, asm.MVSIZE, asm.T2)
                a.kdsp(name, asm.A2, asm.A0, asm.A1)
                continue
            if k:
                a.addi(asm.T2, 0, 4)
                a.kmem("kmemld", asm.A0, asm.S0, asm.T2)  # waits for the vector unit
            flags = 0x100 * (1 + (k > 0))
            a.addi(asm.T2, 0, 1)
            a.sw(asm.T2, flags + 4 * hart, asm.S0)
            for other in work:
                poll = a.lw(asm.T2, flags + 4 * other, asm.S0)
                a.branch(0, asm.T2, 0, poll)
        if hart == 0:
            asm.exit_with(a)
        a.jal(0, a.here)
        branch = asm.Assembler(skip)
        branch.branch(1, asm.T0, asm.T1, a.here)
        a.words[(skip - a.base) // 4] = branch.words[0]
    a.jal(0, a.here)
    return elf_of(a)


_LONG = ("kaddv", 256)
_LATER = ("kbcast", 4)  # needs no functional unit
CASES: tuple[tuple[dict[int, Work], int], ...] = (
    # the request finds a free unit and has it for a cycle
    ({0: (("kaddv", 0), _LONG), 1: (_LONG,)}, 247),
    # it finds a busy one and stays; the next instruction of its hart waits and clears it
    ({0: (_LATER, ("kaddv", 0), _LONG), 1: (("kaddv", 512), _LONG)}, 375),
    # the other hart waits for the entry that no hart waits for, then for a unit that looks wanted
    ({0: (_LATER, ("kvmul", 0)), 1: (("kvmul", 512), ("kvmul", 64), ("kvmul", 64))}, 285),
    # the hart continues with another unit, and finds the old request when it needs one of the two
    (
        {
            0: (_LATER, ("kdotp", 0), ("kaddv", 4), ("kvred", 64)),
            1: (("kvmul", 512), ("kdotp", 64)),
        },
        281,
    ),
    (
        {0: (_LATER, ("kvmul", 0)), 1: (("kvmul", 256), ("kvmul", 8)), 2: (_LATER, ("kvmul", 64))},
        227,
    ),
    # a grant that only harts with higher numbers gave is lost: the hart waits on
    (
        {
            0: (("kdotp", 64), ("kbcast", 16)),
            1: (("kdotp", 0), ("kvmul", 256)),
            2: (("kdotp", 32),),
        },
        239,
    ),
)


@pytest.mark.parametrize(("work", "exit_cycle"), CASES)
def test_exit_cycle(runner: Runner, work: dict[int, Work], exit_cycle: int) -> None:
    result = runner(program(work), sharing="multithreaded", max_cycles=_CYCLES)

    assert_clean(result)
    assert result.exit_cycle == exit_cycle
