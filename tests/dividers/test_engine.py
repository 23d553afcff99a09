"""The dividers of the engine compute, in the same time, what those of gnomon.arch.dividers do."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.arch.dividers import Divider, Lane
from gnomon.arch.dividers.section import DividerTable
from gnomon.arch.operands import PROPERTIES, LatencyModel
from gnomon.isa import find_instruction
from gnomon.program import Program
from gnomon.sim.parts import build_machine, property_number
from tests.oracle.lanes import post_scaled_product, pre_shifted_quotient

EDGES = (0, 1, -1, 2, 3, -7, 0x7FFF, 0x8000, 2**30, 2**31 - 1, -(2**31), -(2**31) + 1)
PAIRS = list(itertools.product(EDGES, EDGES))
SHIFTS = (0, 15, 31)
CYCLES = tuple(range(1, 33 * 33 + 1))
WIDTHS = (32, 47, 63)
LIMITS = ((0, 128), (0, 7), (2, 5))


def _build(*settings: str) -> Any:
    nothing = Program(name="nothing", elf=b"", entry=0, segments=())
    architecture = load_architecture("t13-paper-simd2", settings)
    return build_machine(nothing, architecture, tracing=False, max_cycles=1001)


@pytest.fixture
def machine() -> Any:
    return _build()


@pytest.mark.parametrize("name", Divider.by_name())
def test_cycles(name: str) -> None:
    divider = Divider.named(name)
    settings = [f"{unit}.divider={name}" for unit in ("core", "vcu")]
    if name == "table":
        for unit in ("core", "vcu"):
            settings += [f"{unit}.divider_table.by=both",
                         f"{unit}.divider_table.cycles={list(CYCLES)}"]  # fmt: skip
        divider = divider.with_table(DividerTable(by="both", cycles=CYCLES).lookup())
    machine = _build(*settings)
    cycles, lane = machine.function("operand_cycles"), machine.function("lane_cycles")
    for a, b in PAIRS:
        for mnemonic, signed in (("div", True), ("rem", True), ("divu", False), ("remu", False)):
            row = int(machine.arrays["latency_of"][find_instruction(mnemonic).number])
            expected = divider.execute_cycles(a, b, signed=signed)
            assert cycles(machine.pointer, row, a & 0xFFFF_FFFF, b & 0xFFFF_FFFF, 0) == expected
        for shift in SHIFTS if divider.wide else (0,):
            assert lane(machine.pointer, a, b, shift) == divider.lane_cycles(a, b, shift)


@pytest.mark.parametrize("magnitudes", [False, True])
@pytest.mark.parametrize("name", PROPERTIES)
def test_operand_properties(machine: Any, name: str, magnitudes: bool) -> None:
    """The C expression of a property gives the number of its Python function."""
    size = PROPERTIES[name].size
    rows = np.zeros(1, dtype=machine.arrays["latencies"].dtype)
    entries = np.zeros(size, dtype=machine.arrays["operand_cycles"].dtype)
    entries["cycles"] = np.arange(size)
    rows["property"] = property_number(
        LatencyModel(name, tuple(range(size)), magnitudes=magnitudes)
    )
    rows["cycles"] = entries.ctypes.data
    machine.record["latencies"] = rows.ctypes.data
    number = machine.function("operand_cycles")
    widths = WIDTHS if "steps" in name or name in ("quotient-bits", "width-bits") else WIDTHS[:1]
    for limits, width in itertools.product(LIMITS if name == "skip-steps" else [(0, 0)], widths):
        rows["first"], rows["second"] = limits
        model = LatencyModel(name, tuple(range(size)), limits, magnitudes=magnitudes)
        for a, b in PAIRS:
            x, y = a & 0xFFFF_FFFF, b & 0xFFFF_FFFF
            first = (a if magnitudes else x) << width - 32
            expected = model.cycles_of(first, b, width)
            assert number(machine.pointer, 0, x, y, width - 32) == expected, (a, b, width, limits)


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
    """Either operand ends ``room`` words before the end of the last scratchpad. The words after the
    operands give a slow division: the tail lane of two joins it only where there is room.
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
