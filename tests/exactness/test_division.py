"""Divisions in the engine: values and cycles of vector and scalar dividers, by their laws.

The laws themselves are held against measurements in tests/dividers. Here a program executes the
instructions, and busy time, results and stalls must be what the laws say.
"""

from __future__ import annotations

import random
import struct
from typing import TYPE_CHECKING

import pytest

from gnomon.arch import load_architecture
from gnomon.arch.dividers import Divider, Lane
from gnomon.isa import assemble
from gnomon.program import load_elf
from gnomon.sim import simulate
from tests.exactness._elf_writer import write_elf
from tests.oracle.lanes import post_scaled_product, pre_shifted_quotient

if TYPE_CHECKING:
    from gnomon.sim import Run

_DATA = 0x0010_0000
_A, _B, _RESULT = 0, 0x400, 0x800  # byte offsets in data memory
_LANE_DIVIDERS = [name for name, row in Divider.by_name().items() if name != "table"]


def _run(code: str, words_a: list[int], words_b: list[int], machine: str, *overrides: str) -> Run:
    """Load both vectors into scratchpads 0 and 1, run the code, store scratchpad 2."""
    count = len(words_a)
    text = f"""
        j start
        nop
        nop
        nop
        nop
        j failed
    start:
        csrr t0, mhartid
        bne t0, x0, park
        li s0, {_DATA}
        li s1, 0x10000000
        li s2, 0x10004000
        li s3, 0x10008000
        li t1, {4 * count}
        csrw mvsize, t1
        addi t2, s0, {_B}
        kmemld s1, s0, t1
        kmemld s2, t2, t1
        lw t3, 0(s0)
        {code}
        li t2, {_DATA + _RESULT}
        kmemstr t2, s3, t1
        lw t3, 0(s0)
        li t4, 0x1A10FFF0
        sw x0, 0(t4)
    failed:
        j failed
    park:
        li t0, 8
        csrw mstatus, t0
    sleep:
        wfi
        j sleep
    """
    program = b"".join(struct.pack("<I", word) for word in assemble(text, base=0x80))
    data = struct.pack(f"<{count}i", *words_a).ljust(_B, b"\0")
    data += struct.pack(f"<{count}i", *words_b)
    elf = load_elf(write_elf([(0x80, program), (_DATA, data)]))
    run = simulate(elf, load_architecture(machine, overrides), max_cycles=200_000, trace=True)
    assert run.halted == "exit", run.reason
    return run


def _stored(run: Run, count: int) -> list[int]:
    return list(struct.unpack_from(f"<{count}i", run.data_memory, _RESULT))


def _busy_cycles(run: Run) -> list[int]:
    assert run.spans is not None
    return [last - start + 1 for unit, start, last in run.spans.tolist() if unit >= 0]


def _operands(seed: int, count: int) -> tuple[list[int], list[int]]:
    source = random.Random(seed)
    edges = [0, 1, -1, 2, -2, 0x7FFFFFFF, -0x80000000, 3, -7, 1 << 15, -(1 << 15)]

    def word() -> int:
        if source.random() < 0.3:
            return source.choice(edges)
        return source.randrange(-(1 << 31), 1 << 31) >> source.randrange(31)

    return [word() for _ in range(count)], [word() for _ in range(count)]


@pytest.mark.parametrize("simd", [1, 2, 4, 8])
@pytest.mark.parametrize("name", ["kvdiv", "kvrem"])
def test_vector_division(name: str, simd: int) -> None:
    value = Lane().quotient if name == "kvdiv" else Lane().remainder
    law = Divider.named("klessydra_vl_std")
    for count in (1, 2, 3, 4, 5, 8, 9, 31, 64):
        a, b = _operands(100 * simd + count, count)
        run = _run(f"{name} s3, s1, s2", a, b, f"t13-paper-simd{simd}")
        assert _stored(run, count) == [value(x, y) for x, y in zip(a, b, strict=True)], count
        assert _busy_cycles(run) == [law.vector_cycles(a, b, simd=simd)], count


@pytest.mark.parametrize("law", _LANE_DIVIDERS)
def test_every_divider_in_the_lanes(law: str) -> None:
    a, b = _operands(7, 33)
    run = _run("kvdiv s3, s1, s2", a, b, "t13-paper-simd4", f"vcu.divider={law}")
    assert _busy_cycles(run) == [Divider.named(law).vector_cycles(a, b, simd=4)]


@pytest.mark.parametrize("scalar", [5, -3, 0, 1 << 20])
def test_division_by_a_scalar(scalar: int) -> None:
    a, _ = _operands(8, 21)
    b = [scalar] * 21
    expected = [Lane().quotient(x, scalar) for x in a]
    cycles = [Divider.named("klessydra_vl_std").vector_cycles(a, b, simd=4)]
    for code in ("ksvdivsc s3, s1, s2", f"li t5, {scalar}\n ksvdivrf s3, s1, t5"):
        run = _run(code, a, b, "t13-paper-simd4")
        assert _stored(run, 21) == expected
        assert _busy_cycles(run) == cycles


def test_division_by_zero_as_the_scalar_core_does_it() -> None:
    a, b = [5, -5, 0, 7], [0, 0, 0, 2]
    overrides = ["vcu.divide_by_zero=riscv"]
    run = _run("kvdiv s3, s1, s2", a, b, "t13-paper-simd4", *overrides)
    assert _stored(run, 4) == [-1, -1, -1, 3]
    run = _run("kvrem s3, s1, s2", a, b, "t13-paper-simd4", *overrides)
    assert _stored(run, 4) == [5, -5, 0, 1]


@pytest.mark.parametrize("simd", [1, 4])
def test_post_scaled_product_takes_the_time_of_a_product(simd: int) -> None:
    a, b = _operands(9, 19)
    run = _run("kvmulps s3, s1, s2", a, b, f"t13-paper-simd{simd}")
    plain = _run("kvmul s3, s1, s2", a, b, f"t13-paper-simd{simd}")
    assert _stored(run, 19) == [post_scaled_product(x, y, 15) for x, y in zip(a, b, strict=True)]
    assert _busy_cycles(run) == _busy_cycles(plain)


@pytest.mark.parametrize("shift", [0, 15, 31])
def test_division_of_a_shifted_dividend(shift: int) -> None:
    a, b = _operands(10, 17)
    extension = "vcu.extensions=[kdiv, kps, kdivps]"
    code = f"csrwi mpsclfac, {shift}\n kvdivps s3, s1, s2"
    run = _run(code, a, b, "t13-paper-simd4", extension)
    pairs = list(zip(a, b, strict=True))
    assert _stored(run, 17) == [pre_shifted_quotient(x, y, shift) for x, y in pairs]
    law = Divider.named("klessydra_vl_std")
    assert _busy_cycles(run) == [law.vector_cycles(a, b, simd=4, pre_shift=shift)]


def test_steps_see_what_earlier_steps_wrote() -> None:
    # The result lands one step after the dividends: each step divides the quotients before it.
    a = [1 << 20, 1 << 20, 0, 0, 0, 0]
    code = "kvcp s3, s1\n li t5, 2\n addi t6, s3, 8\n csrwi mvsize, 16\n ksvdivrf t6, s3, t5\n"
    run = _run(code, a, [1] * 6, "t13-paper-simd2")
    assert _stored(run, 6) == [1 << 20, 1 << 20, 1 << 19, 1 << 19, 1 << 18, 1 << 18]


def test_a_transfer_in_flight_delays_the_division() -> None:
    a, b = _operands(11, 16)
    quiet = _run("kvdiv s3, s1, s2", a, b, "t13-paper-simd4")
    behind = _run("kmemld s2, t2, t1\n kvdiv s3, s1, s2", a, b, "t13-paper-simd4")
    assert behind.spans is not None
    transfer = [row for row in behind.spans.tolist() if row[0] < 0][2]
    (unit, start, last) = next(row for row in behind.spans.tolist() if row[0] >= 0)
    assert unit == 0
    assert start < transfer[2]
    assert last - transfer[2] == _busy_cycles(quiet)[0]
    assert _stored(behind, 16) == _stored(quiet, 16)


def test_narrow_elements_have_no_divider() -> None:
    with pytest.raises(AssertionError, match=r"8- or 16-bit elements, which has no hardware"):
        _run("csrwi mvtype, 1\n kvdiv s3, s1, s2", [1, 2], [1, 2], "t13-paper-simd4")


def test_a_machine_without_the_extension_traps() -> None:
    with pytest.raises(AssertionError):
        _run("kvdiv s3, s1, s2", [1], [1], "t13-simd4", "vcu.scratchpads.size=16 KiB")


@pytest.mark.parametrize("law", _LANE_DIVIDERS)
def test_scalar_divider(law: str) -> None:
    for name in ("div", "divu", "rem", "remu"):
        _compare_scalar(name, law)


def _compare_scalar(name: str, law: str) -> None:
    source = random.Random(12)
    (pairs, chosen) = ([], Divider.named(law))
    for _ in range(6):
        (x,), (y,) = _operands(source.randrange(1 << 30), 1)
        pairs.append((x, y))
    code = "".join(f"li t5, {x}\n li t6, {y}\n {name} a0, t5, t6\n" for x, y in pairs)
    run = _run(code, [1], [1], "t13-simd4", f"core.divider={law}", "vcu.scratchpads.size=16 KiB")
    signed = name in ("div", "rem")
    expected = [chosen.execute_cycles(x, y, signed=signed) for x, y in pairs]
    assert run.counters["hart0.issue.div"] == len(pairs)
    assert run.counters["hart0.execute.div"] == sum(expected) - len(pairs), name
