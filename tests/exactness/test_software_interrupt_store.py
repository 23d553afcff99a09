"""A store to a software-interrupt register overwrites the register named by its offset.

The store waits for the CSR unit like a CSR instruction, and is written back like one: bits 4:0 of
its offset stand where rd would, and the value is what the CSR unit read last for the hart
(RTL-IE_STAGE.vhd, csr_instr_wait_state; RTL-CSR_Unit.vhd, csr_rdata_o). The words were printed by
the RTL of T13x c2c62163 under GHDL 2.0.0 (llvm) with ``gnomon rtl klessydra --programs``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.arch import load_architecture
from gnomon.program import load_elf
from gnomon.sim import simulate
from tests.exactness import _assembler as asm
from tests.exactness._reference import assert_clean, elf_of

if TYPE_CHECKING:
    from tests.exactness._runner import Runner

_SWI = 0xFF00
_UNTOUCHED = 0x5A5A


def program(
    target: int,
    register: int,
    *,
    read: bool = True,
    before: int | None = None,
    beyond_bytes: int = 0,
) -> bytes:
    """Hart 0 stores to the register of ``target`` with an offset that names ``register``.

    ``read``: a CSR is read first. ``before``: a plain store of 8 to that hart's register comes
    before it. ``beyond_bytes`` moves the address, 0x10 for ``target`` is not a hart.
    """
    a = asm.Assembler()
    a.jal(0, asm.START_PC)
    while a.here < asm.TRAP_PC:
        a.nop()
    handler = a.word(0)
    a.csrr(asm.T0, asm.MHARTID)
    a.branch(1, asm.T0, 0, a.here)
    a.li(asm.T6, asm.PRINT)
    a.li(asm.A3, _UNTOUCHED)
    a.addi(asm.T0, 0, 0x2C)
    if read:
        a.csrrw(0, asm.MVSIZE, asm.T0)
        a.csrr(asm.T1, asm.MVSIZE)
    a.addi(asm.T2, 0, 8)
    if before is not None:
        a.li(asm.T1, _SWI + 4 * before)
        a.sw(asm.T2, 0, asm.T1)
    a.li(asm.T1, _SWI + 4 * target + beyond_bytes - 64 - register)
    a.sw(asm.T2, 64 + register, asm.T1)
    a.sw(asm.A3, 0, asm.T6)
    a.csrr(asm.T3, asm.MIP)
    a.sw(asm.T3, 0, asm.T6)
    asm.exit_with(a)
    asm.patch_jump(a, handler, a.here)
    a.csrr(asm.T3, asm.MEPC)
    a.addi(asm.T3, asm.T3, 4)
    a.csrrw(0, asm.MEPC, asm.T3)
    a.mret()
    return elf_of(a)


CASES = (
    # arguments of the program, words printed: the register, then mip of hart 0
    ({"target": 1, "register": asm.A3}, (0x2C, 0)),
    ({"target": 1, "register": 0}, (_UNTOUCHED, 0)),
    ({"target": 0, "register": asm.A3}, (0, 8)),
    ({"target": 0, "register": asm.A3, "before": 0}, (8, 8)),
    ({"target": 2, "register": asm.A3, "read": False}, (0, 0)),
    ({"target": 0x10, "register": asm.A3, "before": 1}, (0x2C, 0)),
    ({"target": 0x10, "register": asm.A3}, (0, 8)),
)


@pytest.mark.parametrize(("arguments", "expected"), CASES)
def test_words(runner: Runner, arguments: dict[str, int], expected: tuple[int, ...]) -> None:
    result = runner(program(**arguments))

    assert_clean(result)
    assert result.printed == expected


def test_misaligned_after_a_csr_access_of_the_hart() -> None:
    """The RTL issued nothing any more after this store, in 260 cycles (GHDL 2.0.0)."""
    machine = load_architecture("t13-simd1", [])

    run = simulate(load_elf(program(0, asm.A3, beyond_bytes=2)), machine, max_cycles=5_000)

    assert run.halted == "fault"
    assert "the trap cancelled the CSR request it waits for" in run.reason
