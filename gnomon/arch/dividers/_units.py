"""What the cycles of a divider become inside the scalar core and inside the vector unit.

Plain functions of integers, as in ``_laws``. Operands here are signed 32-bit values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.arch.dividers._laws import WORD_BITS, engine_cycles

if TYPE_CHECKING:
    from gnomon.arch.dividers._table import Lookup

START_UP_CYCLES = 2
"""Busy cycles of a vector division before its first step, issue cycle included (measured)."""

TRIVIAL_STEP_CYCLES = 2
"""A vector step in which no lane has anything to divide (measured)."""

_STEP_OVERHEAD_CYCLES = 2  # beyond the engine: one hand-over, one write-back (measured)
_M32 = 0xFFFFFFFF


def magnitude(value: int, signed: int) -> int:
    """Absolute value of a signed word, or the word read without sign; 0 to 2**32 - 1."""
    return abs(value) if signed else value & _M32


def execute_cycles(
    law: int, first: int, second: int, table: Lookup, dividend: int, divisor: int, signed: int
) -> int:
    """Cycles that div, divu, rem or remu holds the execute stage: the engine's and one more.

    Measured for restoring_r2 (T13x) and klessydra_vl_hf (Morph); an inference for the others.
    """
    a = magnitude(dividend, signed)
    return 1 + engine_cycles(law, first, second, table, a, magnitude(divisor, signed), WORD_BITS)


def lane_cycles(
    law: int, first: int, second: int, table: Lookup, dividend: int, divisor: int, pre_shift: int
) -> int:
    """Engine cycles of one lane of a vector step; 0 if an operand is zero: nothing to divide.

    ``pre_shift`` is 0 for kvdiv, kvrem and their scalar forms, else the left shift of kvdivps.
    """
    if dividend == 0 or divisor == 0:
        return 0
    a = abs(dividend) << pre_shift
    width = WORD_BITS + pre_shift
    return engine_cycles(law, first, second, table, a, abs(divisor), width)


def step_cycles(slowest_lane_cycles: int) -> int:
    """Cycles of one vector step, given the most that ``lane_cycles`` says of its lanes."""
    if slowest_lane_cycles == 0:
        return TRIVIAL_STEP_CYCLES
    return _STEP_OVERHEAD_CYCLES + slowest_lane_cycles


def lost_step_cycles(slowest_lane_cycles: int) -> int:
    """Cycles of the only step of a vector no longer than the lanes, in the public Morph RTL.

    It loses the operands of such a vector and writes zeros (measured).
    """
    return _STEP_OVERHEAD_CYCLES + 2 if slowest_lane_cycles else TRIVIAL_STEP_CYCLES
