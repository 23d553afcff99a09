"""Requests on the data bus, as they were seen on the T13x RTL (lock-step of random programs)."""

from __future__ import annotations

import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.isa import assemble
from gnomon.program import load_elf
from gnomon.rtl.bare_metal import write_elf
from gnomon.sim import Run, simulate
from gnomon.sim._run import BUS_DTYPE

_HEAD = """
    j start
    nop
    nop
    nop
    nop
trap:
    csrr t5, mepc
    addi t5, t5, 4
    csrw mepc, t5
    mret
start:
    csrr t0, mhartid
    beqz t0, go
    li t0, 8
    csrw mstatus, t0
park:
    wfi
    j park
go:
    lui s0, 0x100
    lui s1, 0x10000
"""
_TAIL = """
    lui t0, 0x1a110
    sw zero, -16(t0)
end:
    j end
"""


def _run(body: str, machine: str = "t13-simd1", *, bus: bool = True) -> Run:
    text = _HEAD + body + _TAIL
    words = assemble(text, 0x80)
    code = b"".join(word.to_bytes(4, "little") for word in words)
    data = bytes(range(1, 65))
    program = load_elf(write_elf([(0x80, code), (0x0010_0000, data)]), name="bus")
    return simulate(program, load_architecture(machine), trace=True, bus=bus, max_cycles=5000)


def _requests(body: str) -> list[tuple[int, int, int, int]]:
    """Requests of hart 0 before the exit store, cycles from the issue of the first of them."""
    run = _run(body)
    assert run.halted == "exit"
    assert run.bus is not None
    assert run.bus.dtype == BUS_DTYPE
    rows = run.bus.tolist()
    assert rows[-1] == (run.exit_cycle, 15, 0x1A10_FFF0, 0)
    first = rows[0][0]
    return [(cycle - first, enables, address, data) for cycle, enables, address, data in rows[:-1]]


def test_loads_ask_for_the_word_and_stores_put_bytes_in_their_lanes() -> None:
    assert _requests("li t1, 0xAB\n lbu t2, 7(s0)\n sb t1, 6(s0)\n sh t1, 10(s0)\n") == [
        (0, 0, 0x0010_0004, 0),
        (4, 0b0100, 0x0010_0004, 0x00AB_0000),
        (7, 0b1100, 0x0010_0008, 0x00AB_0000),
    ]


def test_a_load_to_x0_asks_for_nothing_and_a_trap_neither() -> None:
    assert _requests("lw zero, 0(s0)\n lw t1, 2(s0)\n lw t2, 4(s0)\n") == [(0, 0, 0x0010_0004, 0)]


def test_a_swap_reads_and_writes_two_cycles_later() -> None:
    body = "addi t1, s0, 8\n li t2, 5\n amoswap.w t3, t2, (t1)\n amoswap.w zero, t2, (t1)\n"
    for access, enables in (("", 0), ("lw t3, 0(s0)\n", 15)):
        seen = _requests(access + body)[-3:]
        start = seen[0][0]
        assert seen == [
            (start, 0, 0x0010_0008, 0),
            (start + 2, enables, 0x0010_0008, 5),
            (start + 6, enables, 0x0010_0008, 5),
        ]


def test_transfers_read_one_word_too_many_and_write_every_other_cycle() -> None:
    body = "li t1, 8\n kmemld s1, s0, t1\n addi t2, s0, 32\n kmemstr t2, s1, t1\n"
    seen = _requests(body)
    reads, writes = seen[:3], seen[3:]
    assert reads == [(0, 0, 0x0010_0000, 0), (1, 0, 0x0010_0004, 0), (2, 0, 0x0010_0008, 0)]
    start = writes[0][0]
    assert writes == [
        (start, 15, 0x0010_0020, 0x0403_0201),
        (start + 2, 15, 0x0010_0024, 0x0807_0605),
    ]


def test_they_are_recorded_on_request_only() -> None:
    assert _run("lw t1, 0(s0)\n", bus=False).bus is None
    with pytest.raises(GnomonError, match="traced runs of a T13"):
        simulate(load_elf(write_elf([(0x80, bytes(4))]), name="x"),
                 load_architecture("t13-simd1"), bus=True)  # fmt: skip
