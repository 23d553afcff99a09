"""Rules that the tables do not reach, one directed program each.

The expected figures are worked out by hand from the documented behaviour of the core; they come
from no simulator. One file, as the rules are one list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.exactness import _assembler as asm
from tests.exactness._reference import IssueIndex, assert_clean, elf_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.exactness._runner import Runner, RunResult

_TRAP_PRINTS = 0x5555


def _run(runner: Runner, body: Callable[[asm.Assembler], object], **hardware: Any) -> RunResult:
    """Run a body on hart 0, begun when the other harts are parked."""
    a = asm.start_single_hart()
    for _ in range(6):
        a.nop()
    body(a)
    asm.exit_with(a)
    result = runner(elf_of(a), **hardware)
    assert_clean(result)
    return result


def _print(a: asm.Assembler, register: int) -> None:
    a.li(asm.T6, asm.PRINT)
    a.sw(register, 0, asm.T6)


@pytest.mark.parametrize("harts", [3, 4, 5])
def test_rotation_starts_with_the_last_hart(runner: Runner, harts: int) -> None:
    result = _run(runner, lambda a: a.nop(), harts=harts)

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

    result = _run(runner, body, superscalar=superscalar)

    index = IssueIndex(result)
    assert index.first(pcs["next"]) - index.first(pcs["store"]) == (3 if superscalar else 4)


def test_mcycle_counts_from_the_write_of_pcer(runner: Runner) -> None:
    pcs: dict[str, int] = {}

    def body(a: asm.Assembler) -> None:
        a.addi(asm.T0, 0, 3)
        pcs["write"] = a.csrrw(0, asm.PCER, asm.T0)
        a.nop()
        pcs["cycles"] = a.csrr(asm.A0, asm.MCYCLE)
        pcs["issues"] = a.csrr(asm.A1, asm.MINSTRET)
        _print(a, asm.A0)
        _print(a, asm.A1)

    result = _run(runner, body)

    index = IssueIndex(result)
    written, read = index.first(pcs["write"]), index.first(pcs["cycles"])
    issues = [row for row in result.trace if written + 2 <= row[0] <= index.first(pcs["issues"])]
    assert result.printed == (read - written - 1, len(issues) - 1)


@pytest.mark.parametrize("count_all", [True, False])
def test_writing_the_counters(runner: Runner, count_all: bool) -> None:
    pcs: dict[str, int] = {}

    def body(a: asm.Assembler) -> None:
        a.addi(asm.T0, 0, 3)
        a.csrrw(0, asm.PCER, asm.T0)
        a.li(asm.T1, 1000)
        pcs["write_cycles"] = a.csrrw(0, asm.MCYCLE, asm.T1)
        a.muldiv("div", asm.A2, asm.T1, asm.T0)
        pcs["read_cycles"] = a.csrr(asm.A0, asm.MCYCLE)
        pcs["write_issues"] = a.csrrw(0, asm.MINSTRET, asm.T1)
        a.nop()
        pcs["read_issues"] = a.csrr(asm.A1, asm.MINSTRET)
        _print(a, asm.A0)
        _print(a, asm.A1)

    result = _run(runner, body, count_all=count_all)

    index = IssueIndex(result)
    at = {name: index.first(pc) for name, pc in pcs.items()}
    ends = [*(row[0] for row in result.trace[1:]), result.exit_cycle + 1]
    holder = {
        cycle: row[1]
        for row, end in zip(result.trace, ends, strict=True)
        for cycle in range(row[0], end)
    }
    cycles = range(at["write_cycles"] + 2, at["read_cycles"] + 1)
    held = len(cycles) if count_all else sum(holder[cycle] == 0 for cycle in cycles)
    issues = sum(
        at["write_issues"] < cycle <= at["read_issues"] and (count_all or hart == 0)
        for cycle, hart, _, _ in result.trace
    )
    assert result.printed == (1000 + held, 1000 - 1 + issues)


def test_clearing_and_setting_into_x0_changes_no_csr(runner: Runner) -> None:
    def body(a: asm.Assembler) -> None:
        a.li(asm.T0, 64)
        a.csrrw(0, asm.MVSIZE, asm.T0)
        a.li(asm.T1, 4)
        a.csrrs(0, asm.MVSIZE, asm.T1)
        a.csrr(asm.A0, asm.MVSIZE)
        a.csrrs(asm.A1, asm.MVSIZE, asm.T1)
        a.csrr(asm.A2, asm.MVSIZE)
        for register in (asm.A0, asm.A1, asm.A2):
            _print(a, register)

    assert _run(runner, body).printed == (64, 64, 68)


@pytest.mark.parametrize(("value", "read"), [(0, 0), (1, 4), (2, 8)])
def test_mvtype_reads_back_shifted(runner: Runner, value: int, read: int) -> None:
    def body(a: asm.Assembler) -> None:
        a.csrrwi(0, asm.MVTYPE, value)
        a.csrr(asm.A0, asm.MVTYPE)
        _print(a, asm.A0)

    assert _run(runner, body).printed == (read,)


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
        _print(a, asm.A0)
        _print(a, asm.A1)

    assert _run(runner, body).printed == (0x1111_1111, expected)


def test_every_amo_swaps(runner: Runner) -> None:
    """amoadd.w (funct5 0) does what amoswap.w does."""

    def body(a: asm.Assembler) -> None:
        a.li(asm.S0, asm.DATA_BASE)
        a.addi(asm.T0, 0, 5)
        a.addi(asm.T1, 0, 7)
        a.sw(asm.T0, 0, asm.S0)
        a.r(0x2F, 2, 0, (asm.A0, asm.S0, asm.T1))
        a.lw(asm.A1, 0, asm.S0)
        _print(a, asm.A0)
        _print(a, asm.A1)

    assert _run(runner, body).printed == (5, 7)


def test_jumps_keep_the_low_bits_of_the_pc(runner: Runner) -> None:
    """Jalr to 4k+2 fetches the word at 4k and goes on at 4k+6; links count from the full pc."""
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
            _print(a, register)

    result = _run(runner, body)

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
        _print(a, asm.A0)
        for address in (0x4000_0000, asm.SPM_BASE, asm.EXIT, asm.PRINT):
            a.li(asm.S1, address)
            a.lw(asm.A0, 0, asm.S1)
            _print(a, asm.A0)

    result = _run(runner, body)

    assert result.printed == (IssueIndex(result).first(pcs["load"]), 0, 0, 0, 0)


def test_software_interrupt_wakes_a_parked_hart(runner: Runner) -> None:
    """The parked hart prints mcause and mepc; mret goes on behind the wfi."""
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
    a.li(asm.T5, _TRAP_PRINTS)
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
    # mstatus: MPIE 1, MIE 0 in the handler; MIE back behind it.
    assert result.printed == (0xC000_0003, sleep, 0x1880, _TRAP_PRINTS, 0x1888)
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

    index = IssueIndex(_run(runner, body))

    assert index.count(pcs["wfi"]) == 1
    assert index.first(pcs["next"]) - index.first(pcs["wfi"]) == 3


def test_exit_by_a_transfer(runner: Runner) -> None:
    """Word k of a kmemstr is on the bus in cycle I+1+2k; the exit counts issues up to there."""
    a = asm.start_single_hart()
    a.li(asm.A0, asm.SPM_BASE)
    a.li(asm.A1, asm.EXIT - 8)
    a.addi(asm.A2, 0, 16)
    store = a.kmem("kmemstr", asm.A1, asm.A0, asm.A2)
    a.jal(0, a.here)

    result = runner(elf_of(a))

    assert_clean(result)
    assert result.exit_cycle == IssueIndex(result).first(store) + 1 + 2 * 2
    assert result.trace[-1][0] == result.exit_cycle
    assert sum(result.issued) == len(result.trace)


def test_registers_are_written_by_no_vector_instruction(runner: Runner) -> None:
    def body(a: asm.Assembler) -> None:
        a.li(asm.T0, 16)
        a.csrrw(0, asm.MVSIZE, asm.T0)
        a.li(asm.A0, asm.SPM_BASE)
        a.li(asm.A1, asm.SPM_BASE + 4096)
        a.li(asm.A2, asm.SPM_BASE + 8192)
        a.kdsp("kaddv", asm.A0, asm.A1, asm.A2)
        a.kmem("kmemld", asm.A0, 0, 0)
        _print(a, asm.A0)

    assert _run(runner, body).printed == (asm.SPM_BASE,)


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
        _print(a, asm.A0)
        _print(a, asm.A1)

    assert _run(runner, body, harts=harts).printed == (0, 8)


def test_an_interrupted_retry_is_a_retry(runner: Runner) -> None:
    """The trace shows its word, and the counts follow the trace."""
    a = asm.start_single_hart()
    handler_jump = a.word(0)
    handler = a.here
    asm.exit_with(a)
    asm.patch_jump(a, handler_jump, a.here)
    a.li(asm.T0, handler)
    a.csrrw(0, asm.MTVEC, asm.T0)
    a.li(asm.T0, 1024)
    a.csrrw(0, asm.MVSIZE, asm.T0)
    a.li(asm.A0, asm.SPM_BASE)
    a.li(asm.A1, asm.SPM_BASE + 4096)
    a.li(asm.A2, asm.SPM_BASE + 8192)
    a.csrrwi(0, asm.MSTATUS, 8)
    a.li(asm.T0, 0xFF00)
    a.addi(asm.T1, 0, 8)
    a.kdsp("kaddv", asm.A0, asm.A1, asm.A2)
    a.sw(asm.T1, 0, asm.T0)  # interrupts hart 0 itself
    busy = a.kdsp("kaddv", asm.A0, asm.A1, asm.A2)

    result = runner(elf_of(a))

    assert_clean(result)
    assert IssueIndex(result).count(busy) == IssueIndex(result).retries(busy) == 1
    assert (result.retries, result.retired[0]) == ((1, 0, 0), result.issued[0] - 1)


def _two_harts(first: int) -> tuple[asm.Assembler, Callable[[int], None]]:
    """Begin a program for harts 0 and ``first``; the second value places the entry of either."""
    a = asm.Assembler()
    a.jal(0, asm.START_PC)
    while a.here < asm.START_PC:
        a.nop()
    a.csrr(asm.T0, asm.MHARTID)
    a.addi(asm.T1, 0, first)
    jumps = {first: a.word(0), 0: a.word(0)}
    a.branch(1, asm.T0, 0, a.here)  # the others stay here

    def entry(hart: int) -> None:
        jump = asm.Assembler(jumps[hart])
        jump.branch(0, asm.T0, asm.T1 if hart else 0, a.here)
        a.words[(jumps[hart] - a.base) // 4] = jump.words[0]

    return a, entry


def test_a_counter_write_costs_the_other_harts_a_cycle(runner: Runner) -> None:
    """Hart 0 writes mcycle six times between two reads by hart 1."""
    a, entry = _two_harts(1)
    entry(1)
    a.addi(asm.T0, 0, 3)
    a.csrrw(0, asm.PCER, asm.T0)
    first = a.csrr(asm.A0, asm.MCYCLE)
    for _ in range(16):
        a.nop()
    second = a.csrr(asm.A1, asm.MCYCLE)
    _print(a, asm.A0)
    _print(a, asm.A1)
    a.jal(0, a.here)
    entry(0)
    for _ in range(6):
        a.nop()
    writes = [a.csrrw(0, asm.MCYCLE, 0) for _ in range(6)]
    for _ in range(40):
        a.nop()
    asm.exit_with(a)

    result = runner(elf_of(a))

    assert_clean(result)
    index = IssueIndex(result)
    start, end = index.first(first, 1), index.first(second, 1)
    assert all(start < index.first(write) < end for write in writes)
    before, after = result.printed
    assert after - before == end - start - 6


@pytest.mark.parametrize(
    ("distance", "delay"),
    [(3, 0), (2, 0), (1, 3), (0, 3), (-1, 4), (-2, 5)],
)
def test_multithreaded_functional_unit_hands_over(
    runner: Runner, distance: int, delay: int
) -> None:
    """Hart 1 and then hart 0 add. ``distance`` is from the last busy cycle to the second issue.

    Two cycles behind the end the unit is free at once. Earlier, the second one starts in the cycle
    after max(end + 2, issue + 2).
    """
    nops = 5
    # Hart 0 has the nops and one more branch, so it issues 3 * (nops + 1) + 1 cycles behind hart 1.
    words = 3 * (nops + 1) - 2 - distance
    a, entry = _two_harts(1)
    measured = {}
    for hart in (1, 0):
        entry(hart)
        a.addi(asm.T0, 0, 4 * words)
        a.csrrw(0, asm.MVSIZE, asm.T0)
        a.li(asm.A0, asm.SPM_BASE)
        a.li(asm.A1, asm.SPM_BASE + 4096)
        a.li(asm.A2, asm.SPM_BASE + 8192)
        for _ in range(0 if hart else nops):
            a.nop()
        measured[hart] = a.kdsp("kaddv", asm.A0, asm.A1, asm.A2)
        if hart:
            a.jal(0, a.here)
    a.kmem_nothing()
    asm.exit_with(a)

    result = runner(elf_of(a), sharing="multithreaded")

    assert_clean(result)
    index = IssueIndex(result)
    first, second = index.first(measured[1], 1), index.first(measured[0], 0)
    end = first + words + 4 - 1
    assert second - end == distance
    assert (1, first, end) in result.vcu_intervals
    assert (0, second, second + delay + words + 4 - 1) in result.vcu_intervals


@pytest.mark.parametrize("shift", [3, 4, 5, 6])
def test_overlapping_copy_sees_writes_that_are_old_enough(runner: Runner, shift: int) -> None:
    """Copy words 0..11 to ``shift``.. in the same scratchpad; writes are 4 cycles behind reads.

    Beat k reads word k, written by beat k - shift in cycle k - shift + 4. A read in the cycle of
    the write still gets the old word.
    """
    count = 12

    def body(a: asm.Assembler) -> None:
        a.li(asm.S0, asm.DATA_BASE)
        for word in range(count + shift):
            a.addi(asm.T0, 0, 100 + word)
            a.sw(asm.T0, 4 * word, asm.S0)
        a.li(asm.A0, asm.SPM_BASE)
        a.addi(asm.A1, 0, 4 * (count + shift))
        a.kmem("kmemld", asm.A0, asm.S0, asm.A1)
        a.addi(asm.T0, 0, 4 * count)
        a.csrrw(0, asm.MVSIZE, asm.T0)
        a.addi(asm.A2, asm.A0, 4 * shift)
        a.kdsp("kvcp", asm.A2, asm.A0, 0)
        a.kmem("kmemstr", asm.S0, asm.A0, asm.A1)
        for word in range(count + shift):
            a.lw(asm.T0, 4 * word, asm.S0)
            _print(a, asm.T0)

    expected = [100 + word for word in range(count + shift)]
    source = list(expected)
    for beat in range(count):
        seen = expected if shift > 4 else source
        expected[beat + shift] = seen[beat]
    assert list(_run(runner, body).printed) == expected


def test_an_exception_sets_mpie(runner: Runner) -> None:
    """Interrupts were off, yet behind the handler they are on."""
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
        _print(a, register)
    asm.exit_with(a)

    result = runner(elf_of(a))

    assert_clean(result)
    assert result.printed == (0x1800, 0x1880, 0x1888)
