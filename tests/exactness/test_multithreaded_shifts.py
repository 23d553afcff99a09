"""Shifts of narrow elements in a multithreaded vector unit, whose lane masks only hart 0 has.

The expected words follow RTL-DSP_Unit.vhd of T13x c2c62163: a word is shifted as a whole, each
lane is masked, and the sign fill is ORed in. ``dsp_in_shift_amount`` of harts other than 0 has no
driver and reads 0 in their mask, so nothing is masked; the fill uses the amount of the functional
unit. Random programs of ``gnomon rtl klessydra``, seeds 1007, 1054 and 1114, showed it (F8F80FE9
written for 80800FE9 in the last) and are equal to the RTL with this rule. The RTL printed the words
of these small programs too (GHDL 2.0.0, llvm).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.exactness import _assembler as asm
from tests.exactness._reference import assert_clean, elf_of

if TYPE_CHECKING:
    from tests.exactness._runner import Runner

_WORDS = (0x8123_7F94, 0xC05A_A53C)
_FACTORS = (0x7E02_9B05, 0x8134_03F1)
_MVTYPE = {8: 0, 16: 1}


def _program(hart: int, name: str, bits: int, amount: int) -> bytes:
    """One hart shifts two words and prints them (of a sum, its one word); the others loop."""
    a = asm.Assembler()
    a.jal(0, asm.START_PC)
    while a.here < asm.START_PC:
        a.nop()
    a.csrr(asm.T0, asm.MHARTID)
    a.addi(asm.T1, 0, hart)
    a.branch(1, asm.T0, asm.T1, a.here)
    a.li(asm.S0, asm.DATA_BASE)
    for place, word in enumerate(_WORDS + _FACTORS):
        a.li(asm.T0, word)
        a.sw(asm.T0, 4 * place, asm.S0)
    a.li(asm.A0, asm.SPM_BASE)
    a.li(asm.A1, asm.SPM_BASE + 4096)
    a.li(asm.A2, asm.SPM_BASE + 8192)
    a.addi(asm.T1, 0, 8)
    a.kmem("kmemld", asm.A0, asm.S0, asm.T1)
    a.addi(asm.T0, asm.S0, 8)
    a.kmem("kmemld", asm.A1, asm.T0, asm.T1)
    a.csrrw(0, asm.MVSIZE, asm.T1)
    a.csrrwi(0, asm.MVTYPE, _MVTYPE[bits])
    a.addi(asm.T2, 0, amount)
    a.csrrw(0, asm.MPSCLFAC, asm.T2)
    a.kdsp(name, asm.A2, asm.A0, asm.A1 if name == "kdotpps" else asm.T2)
    count = 1 if name == "kdotpps" else 2
    a.addi(asm.T1, 0, 4 * count)
    a.kmem("kmemstr", asm.S0, asm.A2, asm.T1)
    a.li(asm.T6, asm.PRINT)
    for place in range(count):
        a.lw(asm.T0, 4 * place, asm.S0)
        a.sw(asm.T0, 0, asm.T6)
    asm.exit_with(a)
    return elf_of(a)


_CASES = (
    # hart, instruction, element bits, amount, SIMD, words
    (0, "ksrav", 8, 4, 1, (0xF802_07F9, 0xFC05_FA03)),
    (0, "ksrav", 8, 13, 1, (0xFC04_01FF, 0xFC06_FE05)),
    (0, "ksrav", 16, 3, 2, (0xF024_0FF2, 0xF80B_F4A7)),
    (0, "ksrav", 16, 21, 1, (0xFC00_0409, 0xFC00_FE02)),
    (0, "ksrlv", 8, 4, 1, (0x0802_0709, 0x0C05_0A03)),
    (0, "ksrlv", 16, 5, 2, (0x0409_03FC, 0x0602_0529)),
    (0, "kdotpps", 8, 3, 2, (0x0000_041C,)),
    (0, "kdotpps", 8, 12, 1, (0x0000_05DE,)),
    (0, "kdotpps", 16, 6, 1, (0x0000_040E,)),
    (1, "ksrav", 8, 4, 1, (0xF812_37F9, 0xFC05_FA53)),
    (1, "ksrav", 8, 13, 1, (0xFC04_09FF, 0xFC06_FED5)),
    (1, "ksrav", 16, 3, 2, (0xF024_6FF2, 0xF80B_F4A7)),
    (1, "ksrav", 16, 21, 1, (0xFC00_0409, 0xFC00_FE02)),
    (1, "ksrlv", 8, 4, 1, (0x0812_37F9, 0x0C05_AA53)),
    (1, "ksrlv", 16, 5, 2, (0x0409_1BFC, 0x0602_D529)),
    (1, "kdotpps", 8, 3, 2, (0x0000_053C,)),
    (1, "kdotpps", 8, 12, 1, (0x0000_07BE,)),
    (1, "kdotpps", 16, 6, 1, (0x0000_3C0E,)),
    (2, "ksrav", 8, 4, 1, (0xF812_37F9, 0xFC05_FA53)),
    (2, "kdotpps", 8, 12, 1, (0x0000_07BE,)),
)


def test_masks_and_fill(runner_of_many: Runner) -> None:
    for case in _CASES:
        hart, name, bits, amount, simd, expected = case
        elf = _program(hart, name, bits, amount)

        result = runner_of_many(elf, simd=simd, sharing="multithreaded")

        assert_clean(result)
        assert [f"{word:08x}" for word in result.printed] == [f"{word:08x}" for word in expected], (
            case
        )
