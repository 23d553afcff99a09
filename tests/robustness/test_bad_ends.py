"""Every way a run can end other than by its exit: the whole message, in ``Run`` and on stderr."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import GnomonError
from gnomon.cli import main
from gnomon.observe.diff import compare_programs
from gnomon.sim import simulate
from tests.robustness._programs import all_harts_words, elf, machine, program, t13_words

if TYPE_CHECKING:
    from pathlib import Path

# Each hart sets its element width, hart 0 to 32 bits; the 8-bit product of hart 1 never ends then.
VECTOR_UNIT_HANGS = """
    csrr s0, mhartid
    beqz s0, sleep
    li t0, 2
    beq s0, t0, sleep
    li t0, 32
    csrw mvsize, t0
    csrwi mvtype, 0
    li a0, 0x10000000
    li a1, 0x10001000
    li a2, 0x10002000
    kvmul a2, a0, a1
again:
    {then}
sleep:
    csrwi mstatus, 8
    wfi
"""


def vector(instruction: str, *, a0: int = 0x1000_0000, mvtype: int = 2) -> list[int]:
    return t13_words(
        f"""
        li t0, 8
        csrw mvsize, t0
        csrwi mvtype, {mvtype}
        li a0, {a0}
        li a1, 0x10001000
        {instruction}
        """
    )


@dataclass(frozen=True)
class BadEnd:
    words: list[int]
    halted: str
    reason: str
    overrides: tuple[str, ...] = ()
    arch: str = "t13-simd2"


FAULTS = ("memory.unmapped=fault",)
TWO_PADS = ("vcu.scratchpads.count=2",)

BAD_ENDS = {
    "no handler": BadEnd(
        t13_words(".word 0", handler=".word 0"),
        "fault",
        "hart 0 at pc 0x000000A0: trap, and no handler at mtvec = 0x00000094 "
        "(mcause 0x2, illegal instruction, mepc 0x000000A0)"
        "; zeros, which are not an instruction: memory without code holds them",
    ),
    "handler outside the memory": BadEnd(
        t13_words("li t0, 0x40000000\ncsrw mtvec, t0\necall"),
        "fault",
        "hart 0 at pc 0x000000A8: trap, and no handler at mtvec = 0x40000000 "
        "(mcause 0xB, environment call, mepc 0x000000A8)",
    ),
    "no handler for a denied csr": BadEnd(
        t13_words("csrw mhartid, t0", handler=".word 0"),
        "fault",
        "hart 0 at pc 0x000000A0: trap, and no handler at mtvec = 0x00000094 "
        "(mcause 0x2, illegal instruction, mepc 0x000000A0)"
        "; the machine has no CSR mhartid, or one that cannot be written: csrrw zero,mhartid,t0",
    ),
    "trap loop": BadEnd(
        t13_words("ecall", handler="ecall"),
        "fault",
        "hart 0 at pc 0x00000094: the same trap repeats without progress "
        "(mcause 0xB, environment call, mepc 0x00000094)",
    ),
    "jump into nowhere": BadEnd(
        t13_words("li t0, 0x20000000\njalr zero, 8(t0)"),
        "fault",
        "hart 0 at pc 0x20000008: fetch outside the instruction memory at 0x20000008",
    ),
    "jump into data": BadEnd(
        t13_words("li t0, 0x100000\njalr zero, 0(t0)"),
        "fault",
        "hart 0 at pc 0x00100000: fetch outside the instruction memory at 0x00100000",
    ),
    "jump into empty instruction memory": BadEnd(
        t13_words("li t0, 0x8000\njalr zero, 0(t0)", handler=".word 0"),
        "fault",
        "hart 0 at pc 0x00008000: trap, and no handler at mtvec = 0x00000094 "
        "(mcause 0x2, illegal instruction, mepc 0x00008000)",
    ),
    "endless loop": BadEnd(
        t13_words("again: j again"),
        "max-cycles",
        "the cycle limit is reached, hart 0 at pc 0x000000A0",
    ),
    "all harts asleep": BadEnd(
        t13_words("j park"),
        "hang",
        "no event can ever wake a hart, last hart 0 at pc 0x000000A8",
    ),
    "vector unit that never ends, retried": BadEnd(
        all_harts_words(VECTOR_UNIT_HANGS.format(then="kaddv a2, a0, a1")),
        "hang",
        "a vector unit that never finishes blocks every hart, last hart 1 at pc 0x000000C4",
    ),
    "vector unit that never ends, waited for": BadEnd(
        all_harts_words(VECTOR_UNIT_HANGS.format(then="kmemld a0, zero, a1")),
        "hang",
        "a vector unit that never finishes blocks every hart, last hart 1 at pc 0x000000C4",
    ),
    "vector unit that never ends, in order": BadEnd(
        all_harts_words(VECTOR_UNIT_HANGS.format(then="nop")),
        "hang",
        "a vector unit that never finishes blocks every hart, last hart 1 at pc 0x000000C0",
        ("core.superscalar=false",),
    ),
    "ebreak": BadEnd(
        t13_words("ebreak"),
        "fault",
        "hart 0 at pc 0x000000A0: ebreak: the machine enters debug mode and stops",
    ),
    "load from nowhere": BadEnd(
        t13_words("li t0, 0x300000\nlw t1, 4(t0)"),
        "fault",
        "hart 0 at pc 0x000000A4: load from 0x00300004, where the machine has no memory",
        FAULTS,
    ),
    "store to nowhere": BadEnd(
        t13_words("li t0, 0x300000\nsb t1, 7(t0)"),
        "fault",
        "hart 0 at pc 0x000000A4: store to 0x00300007, where the machine has no memory",
        FAULTS,
    ),
    "transfer that leaves the memory": BadEnd(
        t13_words("li t0, 0x10000000\nli t1, 0x13fffc\nli t2, 8\nkmemstr t1, t0, t2"),
        "fault",
        "hart 0 at pc 0x000000B0: store to 0x00140000, where the machine has no memory",
        FAULTS,
    ),
    "vector address outside the scratchpads": BadEnd(
        vector("kvcp a0, a1", a0=0x1000_2000),
        "fault",
        "hart 0 at pc 0x000000B4: vector access to 0x10002000, where there is no scratchpad; "
        "this machine does not trap on it and its result is undefined",
        TWO_PADS,
    ),
    "transfer outside the scratchpads": BadEnd(
        t13_words("li t0, 0x10005000\nli t1, 0x100000\nli t2, 8\nkmemld t0, t1, t2"),
        "fault",
        "hart 0 at pc 0x000000AC: vector access to 0x10005000, where there is no scratchpad; "
        "this machine does not trap on it and its result is undefined",
        TWO_PADS,
    ),
    "vector address not aligned": BadEnd(
        vector("kvcp a0, a1", a0=0x1000_0002),
        "fault",
        "hart 0 at pc 0x000000B8: vector address 0x10000002 is not a multiple of 4; the machine "
        "does not trap on it and its result is undefined",
    ),
    "MVTYPE 3": BadEnd(
        vector("kvcp a0, a1", mvtype=3),
        "fault",
        "hart 0 at pc 0x000000B4: vector instruction with MVTYPE = 3, which is undefined",
    ),
    "load from nowhere on rv32im": BadEnd(
        t13_words("lui t0, 0x300\nlw t1, 0(t0)"),
        "fault",
        "hart 0 at pc 0x000000A4: load from 0x00300000, where the machine has no memory",
        arch="rv32im",
    ),
    "misaligned load across the end of memory on rv32im": BadEnd(
        t13_words("li t0, 0x13fffd\nlw t1, 0(t0)"),
        "fault",
        "hart 0 at pc 0x000000A8: load from 0x00140000, where the machine has no memory",
        arch="rv32im",
    ),
    "no handler on rv32im": BadEnd(
        t13_words("csrr t0, 0x7c0"),
        "fault",
        "hart 0 at pc 0x000000A0: trap, and no handler at mtvec = 0x00000000 "
        "(mcause 0x2, illegal instruction, mepc 0x000000A0)"
        "; the machine has no CSR 0x7c0, or one that cannot be written: csrrs t0,0x7c0,zero",
        arch="rv32im",
    ),
}


def cli(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """The exit code of ``gnomon``; anything but SystemExit would be a traceback."""
    monkeypatch.setattr(sys, "argv", ["gnomon", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    assert isinstance(end.value.code, int)
    return end.value.code


@pytest.mark.parametrize("name", BAD_ENDS)
def test_the_run_says_why_it_ended(name: str) -> None:
    end = BAD_ENDS[name]
    architecture = machine(end.arch, *end.overrides)
    plain, traced = (
        simulate(program(end.words), architecture, max_cycles=5000, trace=tracing)
        for tracing in (False, True)
    )
    assert (plain.halted, plain.reason) == (end.halted, end.reason)
    assert plain.exit_code is None
    assert sum(plain.counters.values()) == plain.wall_cycles
    assert plain.to_json() == traced.to_json()
    assert traced.trace is not None
    assert len(traced.trace) == sum(hart.issued for hart in traced.harts)


@pytest.mark.parametrize(
    "name",
    ["no handler on rv32im", "endless loop", "vector unit that never ends, in order"],
)
def test_gnomon_run_prints_it_in_one_line(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    end = BAD_ENDS[name]
    path = tmp_path / "it.elf"
    path.write_bytes(elf(end.words))
    overrides = [part for override in end.overrides for part in ("--set", override)]

    code = cli(
        monkeypatch, "run", str(path), "--arch", end.arch, "--max-cycles", "5000", *overrides
    )

    assert code == 2
    assert capsys.readouterr().err == f"gnomon: {path}: {end.halted}: {end.reason}\n"


def test_json_is_printed_for_a_bad_end_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "it.elf"
    path.write_bytes(elf(BAD_ENDS["ebreak"].words))

    code = cli(monkeypatch, "run", str(path), "--arch", "t13-simd2", "--json")

    out, err = capsys.readouterr()
    assert code == 2
    assert '"halted": "fault"' in out
    assert out.count("\n") == 1
    assert err == f"gnomon: {path}: fault: {BAD_ENDS['ebreak'].reason}\n"


MEMORIES = "(0x00000000..0x0003FFFF, 0x00100000..0x0013FFFF)"


@pytest.mark.parametrize(
    ("address", "end"), [(0x200000, 0x200003), (0x13FFFE, 0x140001), (0x3FFFF, 0x40002)]
)
def test_a_segment_outside_the_memories(address: int, end: int) -> None:
    with pytest.raises(GnomonError) as caught:
        simulate(program(t13_words("j park"), (address, bytes(4))), machine("t13"))
    assert str(caught.value) == (
        f"it: segment 0x{address:08X}..0x{end:08X} is outside the memories of the machine "
        f"{MEMORIES}"
    )


def test_an_entry_that_is_not_aligned() -> None:
    with pytest.raises(GnomonError) as caught:
        simulate(program(t13_words("j park"), base=0x82), machine("rv32im"))
    assert str(caught.value) == (
        "it: its entry 0x00000082 is not a multiple of 4, where an instruction must be"
    )


@pytest.mark.parametrize(
    ("limit", "allowed"),
    [(0, "at least 1"), (-1, "at least 1"), (2**60 + 1, f"at most {2**60} (2^60)")],
)
def test_limits_that_are_none(limit: int, allowed: str) -> None:
    it, architecture = program(t13_words("j park")), machine("t13")
    with pytest.raises(GnomonError) as caught:
        simulate(it, architecture, max_cycles=limit)
    assert str(caught.value) == f"max_cycles must be {allowed}, not {limit}"
    with pytest.raises(GnomonError) as caught:
        simulate(it, architecture, quantum_cycles=limit)
    assert str(caught.value) == f"quantum_cycles must be {allowed}, not {limit}"
    with pytest.raises(GnomonError, match=rf"^max_cycles must be .*, not {limit}$"):
        compare_programs((it, architecture), (it, architecture), max_cycles=limit)


def test_the_largest_limit_is_none() -> None:
    halt = t13_words("li t1, 0x1a10fff0\nsw zero, 0(t1)\nstay: j stay")
    ends = [simulate(program(halt), machine("t13"), max_cycles=most) for most in (2**60, None)]
    assert ends[0].to_json() == ends[1].to_json()
