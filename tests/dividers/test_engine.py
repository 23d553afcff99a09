"""The dividers of the engine compute, in the same time, what those of gnomon.arch.dividers do."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.arch.dividers import Divider, Lane
from gnomon.arch.dividers.section import DividerTable
from gnomon.isa import find_instruction
from gnomon.program import Program
from gnomon.sim.parts import build_machine
from tests.oracle.lanes import post_scaled_product, pre_shifted_quotient

EDGES = (0, 1, -1, 2, 3, -7, 0x7FFF, 0x8000, 2**30, 2**31 - 1, -(2**31), -(2**31) + 1)
PAIRS = list(itertools.product(EDGES, EDGES))
SHIFTS = (0, 15, 31)
LOOKUP = DividerTable(by="both", cycles=tuple(range(1, 33 * 33 + 1))).lookup()


@pytest.fixture
def machine() -> Any:
    nothing = Program(name="nothing", elf=b"", entry=0, segments=())
    made = build_machine(
        nothing, load_architecture("t13-paper-simd2"), tracing=False, max_cycles=1001
    )
    made.arrays["laws"] = np.array([LOOKUP, LOOKUP], dtype=np.int64)
    made.record["laws"], made.record["law_entries"] = made.arrays["laws"].ctypes.data, len(LOOKUP)
    return made


def test_cycles(machine: Any) -> None:
    for name, divider in Divider.by_name().items():
        _compare_cycles(machine, name, divider.with_table(LOOKUP))


def _compare_cycles(machine: Any, name: str, law: Divider) -> None:
    head = (law.law_number, law.first, law.second)
    for unit in ("div", "vdiv"):
        for parameter, value in zip(("law", "first", "second"), head, strict=True):
            machine.cfg[f"{unit}_{parameter}"] = value
    scalar, lane = machine.function("scalar_divide_cycles"), machine.function("lane_cycles")
    for a, b in PAIRS:
        for signed in (False, True):
            expected = law.execute_cycles(a, b, signed=signed)
            assert scalar(machine.pointer, a & 0xFFFF_FFFF, b & 0xFFFF_FFFF, signed) == expected, (
                name
            )
        for shift in SHIFTS if law.wide else (0,):
            assert lane(machine.pointer, a, b, shift) == law.lane_cycles(a, b, shift), name


@pytest.mark.parametrize("drops_signs", [False, True])
@pytest.mark.parametrize("as_riscv", [False, True])
def test_results(machine: Any, drops_signs: bool, as_riscv: bool) -> None:
    machine.cfg["morph"]["divide_drops_signs"] = drops_signs
    machine.cfg["divide_zero_riscv"] = as_riscv
    meant = Lane(drops_signs, as_riscv)
    for (a, b), shift in itertools.product(PAIRS, SHIFTS):
        for name, expected in (
            ("kvdiv", meant.quotient(a, b)),
            ("kvrem", meant.remainder(a, b)),
            ("kvdivps", pre_shifted_quotient(a, b, shift)),
        ):
            assert _divided(machine, name, a, b, shift) == expected, (name, a, b, shift)


@pytest.mark.parametrize("reads_unsigned", [False, True])
def test_post_scaled_products(machine: Any, reads_unsigned: bool) -> None:
    machine.cfg["morph"]["postscale_reads_unsigned"] = reads_unsigned
    scaled, spm = machine.function("scaled_products"), machine.arrays["spm"]
    number = find_instruction("kvmulps").number
    for (a, b), shift in itertools.product(PAIRS, SHIFTS):
        spm[:2] = a, b
        scaled(machine.pointer, number, 0, 1, 2, 1, 1, 0, 0, shift, True, False)
        expected = post_scaled_product(a, b, shift, unsigned=reads_unsigned)
        assert spm[2] == expected, (a, b, shift)


@pytest.mark.parametrize("at", [0, 1])
@pytest.mark.parametrize("room", [0, 1])
def test_tail_lanes_read_no_word_beyond_the_scratchpads(machine: Any, at: int, room: int) -> None:
    """Either operand ends ``room`` words before the end of the last scratchpad, behind which a slow
    division waits: the tail lane of two joins it where there is room, and there alone.
    """
    spm, words = machine.arrays["spm"], 16
    machine.record["spm_words"] = words
    machine.cfg["morph"]["divide_loses_short_vectors"] = False
    machine.cfg["morph"]["divide_tail_lanes_gate"] = True
    places = [0, words - 1 - room]
    a, b = places[at], places[1 - at]
    spm[[a, b]], spm[a + 1], spm[b + 1] = 1, 1 << 30, 1
    first_write = np.zeros(1, dtype=np.int64)
    kvdiv, pointer = find_instruction("kvdiv").number, first_write.ctypes.data
    cycles = machine.function("divide_vector")(
        machine.pointer, kvdiv, a, b, 4, 1, 0, 0, True, pointer
    )
    lanes = 1 + room
    law = Divider.named("klessydra_vl_std")
    assert cycles == law.vector_cycles([1, 1 << 30][:lanes], [1, 1][:lanes], simd=2)


def _divided(machine: Any, name: str, a: int, b: int, shift: int) -> int:
    spm, first_write = machine.arrays["spm"], np.zeros(1, dtype=np.int64)
    spm[:2] = a, b
    machine.function("divide_vector")(
        machine.pointer,
        find_instruction(name).number,
        0,
        1,
        2,
        1,
        0,
        shift,
        True,
        first_write.ctypes.data,
    )
    return int(spm[2])
