"""Rules that the tables do not reach, one directed program each.

The expected figures are worked out by hand from the documented behavior of the core; they come
from no simulator.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.exactness import _assembler as asm
from tests.exactness._reference import IssueIndex, assert_clean, elf_of
from tests.exactness._rule_program import TRAP_PRINTS, print_register, run_body

if TYPE_CHECKING:
    from tests.exactness._runner import Runner


@pytest.mark.parametrize("harts", [3, 4, 5])
def test_rotation_starts_with_the_last_hart(runner: Runner, harts: int) -> None:
    result = run_body(runner, lambda a: a.nop(), harts=harts)

    first = [row[:3] for row in result.trace[:harts]]
    assert first == [(2 + n, harts - 1 - n, asm.RESET_PC) for n in range(harts)]
    order = [row[1] for row in result.trace]
    assert order == [harts - 1 - n % harts for n in range(len(order))]


@pytest.mark.parametrize("harts", [3, 4, 5])
def test_last_hart_runs_the_boot_word_twice(runner: Runner, harts: int) -> None:
    a = asm.Assembler()
    a.addi(asm.A0, asm.A0, 0)  # a word that does not redirect the pc
    a.li(asm.T0, asm.EXIT)
    park = a.here
    a.csrr(asm.A1, asm.MHARTID)
    a.branch(1, asm.A1, 0, park)
    a.sw(0, 0, asm.T0)

    result = runner(elf_of(a), harts=harts)

    pcs = {h: [pc for _, hart, pc, _ in result.trace if hart == h][:3] for h in range(harts)}
    assert pcs[harts - 1] == [0x80, 0x80, 0x84]
    for hart in range(harts - 1):
        assert pcs[hart] == [0x80, 0x84, 0x88]


@pytest.mark.parametrize("superscalar", [True, False])
def test_a_store_holds_the_next_lsu_instruction_for_a_cycle(
    runner: Runner, superscalar: bool
) -> None:
    """Without superscalar execution it holds any instruction, here a parked hart's."""
    pcs: dict[str, int] = {}

    def body(a: asm.Assembler) -> None:
        a.li(asm.S0, asm.DATA_BASE)
        pcs["store"] = a.sw(0, 0, asm.S0)
        pcs["next"] = a.nop()

    result = run_body(runner, body, superscalar=superscalar)

    index = IssueIndex(result)
    assert index.first(pcs["next"]) - index.first(pcs["store"]) == (3 if superscalar else 4)


@pytest.mark.parametrize(
    ("access", "expected"),
    [
        (0, 0x1111_1144),  # lb: byte 0 only
        (1, 0x1111_3344),  # lh: the low half
        (2, 0x2222_3344),  # lw: the word
    ],
)
def test_amoswap_writes_the_bytes_of_the_last_access(
    runner: Runner, access: int, expected: int
) -> None:
    def body(a: asm.Assembler) -> None:
        a.li(asm.S0, asm.DATA_BASE)
        a.li(asm.T0, 0x1111_1111)
        a.li(asm.T1, 0x2222_3344)
        a.sw(asm.T0, 0, asm.S0)
        a.i(0x03, access, asm.T2, asm.S0, 16)
        a.amoswap(asm.A0, asm.T1, asm.S0)
        a.lw(asm.A1, 0, asm.S0)
        print_register(a, asm.A0)
        print_register(a, asm.A1)

    assert run_body(runner, body).printed == (0x1111_1111, expected)


def test_every_amo_swaps(runner: Runner) -> None:
    """amoadd.w (funct5 0) does what amoswap.w does."""

    def body(a: asm.Assembler) -> None:
        a.li(asm.S0, asm.DATA_BASE)
        a.addi(asm.T0, 0, 5)
        a.addi(asm.T1, 0, 7)
        a.sw(asm.T0, 0, asm.S0)
        a.r(0x2F, 2, 0, (asm.A0, asm.S0, asm.T1))
        a.lw(asm.A1, 0, asm.S0)
        print_register(a, asm.A0)
        print_register(a, asm.A1)

    assert run_body(runner, body).printed == (5, 7)


def test_jumps_keep_the_low_bits_of_the_pc(runner: Runner) -> None:
    """Jalr to 4k+2 fetches the word at 4k and continues at 4k+6; links count from the full pc."""
    pcs: dict[str, int] = {}

    def body(a: asm.Assembler) -> None:
        target = a.here + 16
        a.li(asm.T0, target + 2)
        while a.here < target - 4:
            a.nop()
        a.jalr(asm.A0, asm.T0)
        assert a.here == target
        pcs["target"] = a.nop()
        a.word(asm.A1 << 7 | 0x17)  # auipc a1, 0
        a.word(asm.A2 << 7 | 0x17)
        a.addi(asm.A2, asm.A2, 14)  # aligned again: 4k+10 + 14 = 4k+24
        a.jalr(asm.A3, asm.A2)
        a.nop()
        for register in (asm.A1, asm.A3):
            print_register(a, register)

    result = run_body(runner, body)

    target = pcs["target"]
    assert result.printed == (target + 2 + 4, target + 2 + 20)
    pcs_run = [pc for _, hart, pc, _ in result.trace if hart == 0]
    first = pcs_run.index(target + 2)
    assert pcs_run[first : first + 6] == [target + 2 + 4 * n for n in range(5)] + [target + 24]


def test_the_bus(runner: Runner) -> None:
    """Unmapped loads read 0; the cycle register reads the issue cycle of the load."""
    pcs: dict[str, int] = {}

    def body(a: asm.Assembler) -> None:
        a.li(asm.S0, 0x1A11_0000)
        pcs["load"] = a.lw(asm.A0, -8, asm.S0)
        print_register(a, asm.A0)
        for address in (0x4000_0000, asm.SPM_BASE, asm.EXIT, asm.PRINT):
            a.li(asm.S1, address)
            a.lw(asm.A0, 0, asm.S1)
            print_register(a, asm.A0)

    result = run_body(runner, body)

    assert result.printed == (IssueIndex(result).first(pcs["load"]), 0, 0, 0, 0)


def test_software_interrupt_wakes_a_parked_hart(runner: Runner) -> None:
    """The parked hart prints mcause and mepc; mret returns to the instruction after the wfi."""
    a = asm.Assembler()
    a.jal(0, asm.START_PC)
    while a.here < asm.TRAP_PC:
        a.nop()
    trap = a.word(0)
    start_jump = a.word(0)
    asm.patch_jump(a, trap, a.here)
    a.li(asm.T6, asm.PRINT)
    a.csrr(asm.T0, asm.MCAUSE)
    a.sw(asm.T0, 0, asm.T6)
    a.csrr(asm.T0, asm.MEPC)
    a.sw(asm.T0, 0, asm.T6)
    a.csrr(asm.T0, asm.MSTATUS)
    a.sw(asm.T0, 0, asm.T6)
    a.mret()
    park = a.here
    a.addi(asm.T0, 0, 8)
    a.csrrw(0, asm.MSTATUS, asm.T0)
    sleep = a.wfi()
    a.li(asm.T5, TRAP_PRINTS)
    a.sw(asm.T5, 0, asm.T6)
    a.csrr(asm.T0, asm.MSTATUS)
    a.sw(asm.T0, 0, asm.T6)
    a.jal(0, a.here)
    asm.patch_jump(a, start_jump, a.here)
    a.csrr(asm.T0, asm.MHARTID)
    a.branch(1, asm.T0, 0, park)
    for _ in range(8):
        a.nop()
    a.li(asm.T0, 0xFF00)
    a.addi(asm.T1, 0, 8)
    pcs = a.sw(asm.T1, 4, asm.T0)
    for _ in range(30):
        a.nop()
    asm.exit_with(a)

    result = runner(elf_of(a))

    assert_clean(result)
    # mstatus: MPIE 1, MIE 0 in the handler; MIE back after it.
    assert result.printed == (0xC000_0003, sleep, 0x1880, TRAP_PRINTS, 0x1888)
    swi = IssueIndex(result).first(pcs)
    after = [(cycle, hart, pc) for cycle, hart, pc, _ in result.trace if cycle > swi][:5]
    # The store takes two extra cycles, the discarded wfi of hart 1 none; its next slot is the trap.
    assert after == [
        (swi + 3, 2, sleep),
        (swi + 4, 1, sleep),
        (swi + 5, 0, pcs + 4),
        (swi + 6, 2, sleep),
        (swi + 7, 1, asm.TRAP_PC),
    ]


def test_wfi_without_interrupts_is_a_nop(runner: Runner) -> None:
    pcs: dict[str, int] = {}

    def body(a: asm.Assembler) -> None:
        pcs["wfi"] = a.wfi()
        pcs["next"] = a.nop()

    index = IssueIndex(run_body(runner, body))

    assert index.count(pcs["wfi"]) == 1
    assert index.first(pcs["next"]) - index.first(pcs["wfi"]) == 3


@pytest.mark.parametrize("harts", [3, 4, 5])
def test_interrupt_register_of_no_hart_acts_on_the_last_csr_user(
    runner: Runner, harts: int
) -> None:
    """Hart 0 made the last CSR access, so its own MSIP is set; MIE is off, so it stays pending."""

    def body(a: asm.Assembler) -> None:
        a.li(asm.T0, 0xFF00)
        a.addi(asm.T1, 0, 8)
        a.csrr(asm.A0, asm.MIP)
        a.sw(asm.T1, 4 * harts, asm.T0)
        a.csrr(asm.A1, asm.MIP)
        print_register(a, asm.A0)
        print_register(a, asm.A1)

    assert run_body(runner, body, harts=harts).printed == (0, 8)


def test_an_exception_sets_mpie(runner: Runner) -> None:
    """Interrupts were off, yet after the handler they are on."""
    a = asm.start_single_hart()
    to_main = a.word(0)
    handler = a.here
    a.csrr(asm.A0, asm.MSTATUS)
    a.csrr(asm.A3, asm.MEPC)
    a.addi(asm.A3, asm.A3, 4)
    a.csrrw(0, asm.MEPC, asm.A3)
    a.mret()
    asm.patch_jump(a, to_main, a.here)
    a.li(asm.T0, handler)
    a.csrrw(0, asm.MTVEC, asm.T0)
    a.csrr(asm.A1, asm.MSTATUS)
    a.ecall()
    a.csrr(asm.A2, asm.MSTATUS)
    for register in (asm.A1, asm.A0, asm.A2):
        print_register(a, register)
    asm.exit_with(a)

    result = runner(elf_of(a))

    assert_clean(result)
    assert result.printed == (0x1800, 0x1880, 0x1888)
