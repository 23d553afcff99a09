"""The vector instructions: what they read, write and use, and the checks made before they start."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.oracle import traps

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.oracle.scratchpads import Scratchpads


@dataclass(frozen=True, slots=True)
class VectorOp:
    """``rs1`` and ``rs2`` say what the operand is: vector, scalar_spm, register or none."""

    name: str
    latency_cycles: int  # from the first read to the first write
    units: frozenset[str]
    rs1: str
    rs2: str
    word_result: bool = False
    half_rate_8bit: bool = False  # 8-bit elements are widened, so half as many fit a beat
    # Of an instruction of a unit: its result for elements a and b, signed, and the third operand.
    element: Callable[[int, int, int], int] | None = None
    widths: tuple[int, ...] = (8, 16, 32)


def _op(name: str, latency: int, units: str, rs1: str, rs2: str, **flags: bool) -> VectorOp:
    return VectorOp(name, latency, frozenset(units.split()), rs1, rs2, **flags)


VECTOR_OPS = {
    1: _op("kaddv", 4, "adder", "vector", "vector"),
    2: _op("ksubv", 4, "adder", "vector", "vector"),
    4: _op("kvmul", 4, "multiplier", "vector", "vector", half_rate_8bit=True),
    6: _op("kvred", 4, "accumulator", "vector", "none", word_result=True, half_rate_8bit=True),
    8: _op(
        "kdotp", 6, "multiplier accumulator", "vector", "vector",
        word_result=True, half_rate_8bit=True,
    ),
    12: _op("ksvaddsc", 4, "adder", "vector", "scalar_spm"),
    13: _op("ksvaddrf", 4, "adder", "vector", "register"),
    14: _op("ksvmulsc", 4, "multiplier", "vector", "scalar_spm", half_rate_8bit=True),
    15: _op("ksvmulrf", 4, "multiplier", "vector", "register", half_rate_8bit=True),
    16: _op("ksrav", 4, "shifter", "vector", "register"),
    17: _op("ksrlv", 4, "shifter", "vector", "register"),
    24: _op("krelu", 3, "comparator", "vector", "none"),
    25: _op(
        "kdotpps", 8, "shifter multiplier accumulator", "vector", "vector",
        word_result=True, half_rate_8bit=True,
    ),
    26: _op("kvslt", 5, "adder comparator", "vector", "vector"),
    28: _op("ksvslt", 5, "adder comparator", "vector", "register"),
    30: _op("kbcast", 1, "", "register", "none"),
    31: _op("kvcp", 4, "adder", "vector", "none"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class VectorJob:
    """A vector instruction that passed its checks. Places are (scratchpad, byte offset)."""

    op: VectorOp
    size_bytes: int
    element_bits: int
    rd: tuple[int, int]
    rs1: tuple[int, int] | None  # None: the value counts
    rs2: tuple[int, int] | None
    rs1_value: int
    rs2_value: int
    mpsclfac: int
    third: int = 0

    @property
    def source_spms(self) -> set[int]:
        return {place[0] for place in (self.rs1, self.rs2) if place is not None}


def bytes_per_beat(op: VectorOp, element_bits: int, simd: int) -> int:
    return 2 * simd if op.half_rate_8bit and element_bits == 8 else 4 * simd


def check_vector(
    spms: Scratchpads,
    op: VectorOp,
    *,
    size_bytes: int,
    element_bits: int,
    operands: tuple[int, int, int],
    mpsclfac: int,
    third: int = 0,
) -> VectorJob:
    """Make the checks in the hardware's order. Raises Trap."""
    rd_value, rs1_value, rs2_value = operands
    if size_bytes % (element_bits // 8):
        raise traps.Trap(traps.VECTOR_SIZE)
    rs1 = spms.locate(rs1_value) if op.rs1 == "vector" else None
    rs2 = spms.locate(rs2_value) if op.rs2 in {"vector", "scalar_spm"} else None
    rd = spms.locate(rd_value)
    if rd is None or (op.rs1 == "vector" and rs1 is None) or (op.rs2 == "vector" and rs2 is None):
        raise traps.Trap(traps.VECTOR_NOT_SPM)
    if op.rs2 == "vector" and rs1 is not None and rs2 is not None and rs1[0] == rs2[0]:
        raise traps.Trap(traps.VECTOR_SAME_SPM)
    vectors = [rs1, rs2 if op.rs2 == "vector" else None, None if op.word_result else rd]
    for place in vectors:
        if place is not None and place[1] + size_bytes > spms.size_bytes:
            raise traps.Trap(traps.VECTOR_OVERRUN)
    return VectorJob(
        op, size_bytes, element_bits, rd, rs1, rs2, rs1_value, rs2_value, mpsclfac, third
    )
