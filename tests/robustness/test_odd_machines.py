"""Machines at the edge of what is allowed: tiny and many scratchpads, memories in odd places."""

from __future__ import annotations

import pytest

from gnomon.base.errors import GnomonError
from gnomon.isa import assemble
from gnomon.sim import Run, simulate
from tests.robustness._programs import PRINT, machine, program, run_words, t13_words

STOP = "li t0, 0x1a10fff0\nsw s2, 0(t0)\nstay: j stay"


@pytest.mark.parametrize(
    ("harts", "sharing", "count"),
    [(3, "shared", 1), (4, "replicated", 4), (5, "multithreaded", 8), (5, "shared", 8)],
)
def test_scratchpads_of_one_word(harts: int, sharing: str, count: int) -> None:
    """The last word of the last scratchpad, by transfer and by vector instruction."""
    last = 0x1000_0000 + 4 * (count - 1)
    run = run_words(
        t13_words(
            f"""
            li t0, 4
            csrw mvsize, t0
            li a0, {last}
            li a1, 0x100000
            li t1, 1234
            sw t1, 0(a1)
            kmemld a0, a1, t0
            ksvaddrf a0, a0, t0
            kmemstr a1, a0, t0
            lw s2, 0(a1)
            {STOP}
            """
        ),
        "vcu.simd=1",
        f"vcu.sharing={sharing}",
        f"vcu.scratchpads.count={count}",
        "vcu.scratchpads.size=4 B",
        f"core.harts={harts}",
    )
    assert (run.halted, run.exit_code) == ("exit", 1238)
    assert len(run.harts) == harts


TRANSFERS = (
    (0x1000_0000, 4096, False),
    (0x1000_0000, 4097, False),  # continues at the start: vcu.quirks.long_transfer_wraps
    (0x1000_0000, 8191, False),
    (0x1000_0004, 8189, True),
    (0x1000_0FFC, 4, False),
    (0x1000_0FFC, 5, True),
    (0x1000_0FFF, 1, False),
    (0x1000_0FFF, 2, True),
    (0x1000_3FFC, 4, False),
    (0x1000_3FFC, 8, True),
    (0x1000_4000, 4, True),
    (0x0FFF_FFFC, 4, True),
)


def test_transfers_at_the_ends_of_a_scratchpad() -> None:
    for address, size_bytes, trapped in TRANSFERS:
        run = _transfer(address, size_bytes)
        assert (run.halted, run.exit_code) == ("exit", 99 if trapped else 1), (address, size_bytes)


def _transfer(address: int, size_bytes: int) -> Run:
    return run_words(
        t13_words(
            f"""
            li a0, {address}
            li a1, 0x100000
            li a2, {size_bytes}
            kmemld a0, a1, a2
            kmemstr a1, a0, a2
            li s2, 1
            {STOP}
            """
        )
    )


@pytest.mark.parametrize("size_bytes", [4, 8, 4096])
def test_a_vector_longer_than_its_scratchpad_traps(size_bytes: int) -> None:
    run = run_words(
        t13_words(
            f"""
            li t0, {2 * size_bytes - 4}
            csrw mvsize, t0
            li a0, 0x10000000
            li a1, {0x1000_0000 + size_bytes}
            li t1, 5
            kbcast a0, t1
            li s2, 1
            {STOP}
            """
        ),
        "vcu.simd=1",
        f"vcu.scratchpads.size={size_bytes} B",
    )
    assert run.exit_code == (1 if size_bytes == 4 else 99)


@pytest.mark.parametrize("unmapped", ["protocol", "fault"])
def test_instruction_memory_of_one_word(unmapped: str) -> None:
    """Hart 2 issues the word twice, as the first slot after reset does; hart 1 is the first out."""
    run = simulate(
        program(assemble("addi t0, zero, 1", 0x80)),
        machine(
            "t13-simd2",
            "memory.instruction.base=0x80",
            "memory.instruction.size=4 B",
            f"memory.unmapped={unmapped}",
        ),
    )
    assert run.counters == {
        "boot": 2,
        "hart0.issue.alu": 1,
        "hart1.issue.alu": 1,
        "hart2.issue.alu": 2,
    }
    assert (run.halted, run.reason) == (
        "fault",
        "hart 1 at pc 0x00000084: fetch outside the instruction memory at 0x00000084",
    )


def test_software_interrupts_at_addresses_without_memory() -> None:
    run = run_words(
        t13_words(f"li t1, 0xff04\nli t2, 8\nsw t2, 0(t1)\nli s2, 1\n{STOP}"),
        "memory.instruction.size=4 KiB",
        "memory.unmapped=fault",
    )
    assert run.halted == "exit"
    assert run.counters["hart1.trap"] == 1


def test_memories_at_the_top_of_the_address_space() -> None:
    """Transfers and pcs wrap to address 0, where this machine has nothing."""
    overrides = (
        "memory.data.base=0xFFFFF000",
        "memory.data.size=4 KiB",
        "memory.unmapped=fault",
    )
    body = """
        li a0, 0x10000000
        li a1, 0xfffffff8
        li a2, {size_bytes}
        kmemstr a1, a0, a2
        kmemld a0, a1, a2
        lw s2, 4(a1)
    """
    run = run_words(t13_words(body.format(size_bytes=8) + STOP), *overrides)
    assert (run.halted, run.exit_code) == ("exit", 0)
    # Behind the end comes address 0, which is instruction memory here.
    run = run_words(t13_words(body.format(size_bytes=12) + STOP), *overrides)
    assert (run.halted, run.exit_code) == ("exit", 0)


def test_code_at_the_top_of_the_address_space() -> None:
    words = assemble(f"nop\n{STOP.replace('stay: j stay', 'addi t1, zero, 1')}", 0xFFFF_FFEC)
    it = program(words, base=0xFFFF_FFEC)
    run = simulate(
        it,
        machine(
            "rv32im",
            "memory.instruction.base=0xFFFFFE00",
            "memory.instruction.size=512 B",
            "core.reset_pc=entry",
        ),
        max_cycles=100,
    )
    assert (run.halted, run.exit_code) == ("exit", 0)


def test_more_prints_than_the_buffer_holds() -> None:
    run = run_words(
        t13_words(
            f"""
            li t0, {PRINT}
            li t1, 20000
again:      sw t1, 0(t0)
            addi t1, t1, -1
            bnez t1, again
            li s2, 3
            {STOP}
            """
        ),
        max_cycles=1_000_000,
    )
    assert run.exit_code == 3
    assert run.printed == tuple(range(20000, 0, -1))


def test_more_rows_than_the_trace_buffer_holds() -> None:
    words = t13_words(f"li t1, 50000\nagain: addi t1, t1, -1\nbnez t1, again\n{STOP}")
    run = simulate(program(words), machine("t13-simd2"), trace=True)
    assert run.trace is not None
    assert len(run.trace) == sum(hart.issued for hart in run.harts) > 200_000
    assert (run.trace["cycle"][1:] > run.trace["cycle"][:-1]).all()


def test_more_spans_than_the_buffer_holds() -> None:
    words = t13_words(
        f"""
        li a0, 0x10000000
        li a1, 0x100000
        li a2, 4
        li t1, 40000
again:  kmemld a0, a1, a2
        kmemstr a1, a0, a2
        addi t1, t1, -1
        bnez t1, again
        {STOP}
        """
    )
    run = simulate(program(words), machine("t13-simd2"), trace=True)
    assert run.spans is not None
    assert len(run.spans) == 80_000
    assert (run.spans["start"][1:] > run.spans["last"][:-1]).all()


@pytest.mark.parametrize("base", [0x102, 0x103])
def test_a_memory_at_an_odd_address_is_refused(base: int) -> None:
    with pytest.raises(GnomonError) as caught:
        machine("t13", f"memory.data.base={base}")
    assert str(caught.value) == (
        f"--set memory.data.base={base}: memory.data.base: must be a multiple of 4, not 0x{base:X}"
    )


@pytest.mark.parametrize("base", [0x100004, 0x10000C, 0x12345678 & ~3])
def test_a_memory_at_any_multiple_of_four(base: int) -> None:
    run = run_words(
        t13_words(
            f"""
            li a0, {base}
            li t1, 0x1234
            sb t1, 1(a0)
            sh t1, 2(a0)
            lw s2, 0(a0)
            {STOP}
            """
        ),
        f"memory.data.base={base}",
        "memory.data.size=4 B",
    )
    assert run.exit_code == 0x12343400
