"""Programs that write instructions: what is executed, and that every cycle is still counted."""

from __future__ import annotations

import pytest

from gnomon.isa import assemble
from gnomon.sim import Run, simulate
from tests.robustness._programs import all_harts_words, machine, program, t13_words

(NEW_WORD,) = assemble("addi t3, t3, 100")


def both(words: list[int], arch: str, *overrides: str) -> Run:
    """The run, which must not depend on tracing or quanta."""
    architecture = machine(arch, *overrides)
    it = program(words)
    run = simulate(it, architecture, max_cycles=20_000)
    for other in (
        simulate(it, architecture, max_cycles=20_000, trace=True),
        simulate(it, architecture, max_cycles=20_000, quantum_cycles=3),
    ):
        assert other.to_json() == run.to_json()
        assert (other.profile.cycles == run.profile.cycles).all()
    assert run.profile.cycles.sum() + run.counters.get("boot", 0) == run.wall_cycles
    return run


MACHINES = [("t13-simd2", ""), ("t13-simd2", "core.superscalar=false"), ("rv32im", "")]


@pytest.mark.parametrize(("arch", "override"), MACHINES)
@pytest.mark.parametrize("fence", ["fence.i", "nop"])
def test_a_word_is_replaced_between_two_executions(arch: str, override: str, fence: str) -> None:
    run = both(
        t13_words(
            f"""
            la t1, patch
            li t2, {NEW_WORD}
            li s1, 2
            li t3, 0
patch:
            mul t4, t3, t3
            sw t2, 0(t1)
            {fence}
            addi s1, s1, -1
            bnez s1, patch
            li t0, 0x1a10fff0
            sw t3, 0(t0)
            stay: j stay
            """
        ),
        arch,
        *([override] if override else []),
    )
    assert (run.halted, run.exit_code) == ("exit", 100)
    assert run.counters["hart0.issue.mul"] == 1


@pytest.mark.parametrize(("arch", "override"), MACHINES)
def test_code_is_copied_after_the_program_and_called(arch: str, override: str) -> None:
    run = both(
        t13_words(
            """
            la t1, routine
            li t2, 0x2000
            li s1, 4
copy:
            lw t4, 0(t1)
            sw t4, 0(t2)
            addi t1, t1, 4
            addi t2, t2, 4
            addi s1, s1, -1
            bnez s1, copy
            fence.i
            li t2, 0x2000
            li t3, 5
            jalr ra, 0(t2)
            li t0, 0x1a10fff0
            sw t3, 0(t0)
            stay: j stay
routine:
            addi t3, t3, 1
            mul t3, t3, t3
            mulh t4, t3, t3
            ret
            """
        ),
        arch,
        *([override] if override else []),
    )
    assert (run.halted, run.exit_code) == ("exit", 36)
    assert run.counters["hart0.issue.mulh"] == 1


def test_a_trap_handler_is_written_by_the_program() -> None:
    """The vector points at empty memory until the program has written it."""
    run = both(
        t13_words(
            """
            la t1, handler
            li t2, 0x2000
            csrw mtvec, t2
            li s1, 4
copy:
            lw t4, 0(t1)
            sw t4, 0(t2)
            addi t1, t1, 4
            addi t2, t2, 4
            addi s1, s1, -1
            bnez s1, copy
            ecall
handler:
            csrr t3, mcause
            lui t0, 0x1a110
            sw t3, -16(t0)
stay:       j stay
            """
        ),
        "t13-simd2",
    )
    assert (run.halted, run.exit_code) == ("exit", 11)
    assert run.counters["hart0.trap"] == 1


def test_a_transfer_writes_code() -> None:
    words = t13_words(
        f"""
        li a0, 0x10000000
        la a1, patch
        li a2, 4
        la a3, new
        li t3, 0
        kmemld a0, a3, a2
        kmemstr a1, a0, a2
        lw zero, 0(a3)
        lw t4, 0(a3)
patch:
        .word 0
        li t0, 0x1a10fff0
        sw t3, 0(t0)
stay:   j stay
new:    .word {NEW_WORD}
        """
    )
    for override in ("true", "false"):
        run = both(words, "t13-simd2", f"core.superscalar={override}")
        assert (run.halted, run.exit_code) == ("exit", 100)


@pytest.mark.parametrize("cycles", [0, 50, 51, 52])
def test_the_wfi_of_sleeping_harts_is_replaced(cycles: int) -> None:
    """They go on with the new instruction, whether or not their slots were simulated one by one."""
    run = both(
        all_harts_words(
            f"""
            csrr s0, mhartid
            bnez s0, sleep
            li s1, {cycles + 10}
delay:      addi s1, s1, -1
            bnez s1, delay
            la t1, asleep
            la t2, new
            lw t2, 0(t2)
            sw t2, 0(t1)
            li s1, 300
wait:       addi s1, s1, -1
            bnez s1, wait
            li t0, 0x1a10fff0
            lui t1, 0x100
            lw t2, 4(t1)
            lw t3, 8(t1)
            add t3, t3, t2
            sw t3, 0(t0)
stay:       j stay
sleep:      csrwi mstatus, 8
asleep:     wfi
            lui t1, 0x100
            addi t2, s0, 30
            slli t3, s0, 2
            add t1, t1, t3
            sw t2, 0(t1)
end:        wfi
new:        nop
            """
        ),
        "t13-simd2",
    )
    assert (run.halted, run.exit_code) == ("exit", 63)


@pytest.mark.parametrize("tail", ["", "sw zero, 0(t0)"])
def test_a_transfer_that_ends_the_run(tail: str) -> None:
    """The exit takes the value and the cycle of its word on the bus, the first of two exits."""
    words = t13_words(
        f"""
        li a0, 0x10000000
        li a2, 16
        li a3, 0x100000
        li t1, 77
        sw t1, 8(a3)
        kmemld a0, a3, a2
        li a1, 0x1a10ffe8
        li t0, 0x1a10fff0
        kmemstr a1, a0, a2
        {tail}
        stay: j stay
        """
    )
    run = both(words, "t13-simd2")
    traced = simulate(program(words), machine("t13-simd2"), trace=True)
    assert traced.trace is not None
    (word,) = assemble("kmemstr a1,a0,a2")
    (cycle,) = traced.trace["cycle"][traced.trace["word"] == word].tolist()
    assert (run.halted, run.exit_code) == ("exit", 77)
    assert run.exit_cycle == cycle + 1 + 2 * 2
