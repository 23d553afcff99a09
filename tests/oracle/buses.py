"""What instructions put on buses, and in how many bits a value differs from the one before."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from tests.oracle.lanes import repeat_element

if TYPE_CHECKING:
    from tests.oracle.decode import Decoded
    from tests.oracle.vector_isa import VectorJob

_SHIFTS = {"sll", "srl", "sra"}
_MULTIPLIES = {"mul", "mulh", "mulhsu", "mulhu"}
_OF_WORDS = ("instruction", "rs1_select", "rs2_select", "rd_select", "operation", "rs1_read",
             "rs2_read", "rd_read")  # fmt: skip


class Buses:
    """Counts by pc and bus: values and toggles. A bus of several wires has the wire as a place."""

    def __init__(self) -> None:
        self.pc = 0
        self.counts: dict[tuple[int, str], list[int]] = defaultdict(lambda: [0, 0])
        self._last: dict[tuple[object, ...], int] = {}
        self._waiting: list[tuple[int, ...]] = []

    def put(self, bus: str, value: int, *place: object) -> None:
        wire = (bus, *place)
        count = self.counts[self.pc, bus]
        count[0] += 1
        count[1] += (self._last.get(wire, 0) ^ value).bit_count()
        self._last[wire] = value

    def product(self, bus: str, a: int, b: int, *place: object) -> None:
        """Partial products, bit by bit; each is one of the 1,024 bits of an integer."""
        bits = sum(b << 32 * i for i in range(32) if a >> i & 1)
        self.put(bus, bits, *place)

    def issue(self, pc: int, word: int, x: list[int], *, asleep: bool) -> None:
        """The instruction and what fields of any word read; of harts asleep at the next issue."""
        rs1, rs2, rd = (word >> at & 31 for at in (15, 20, 7))
        operation = word & 0b1111111_00000_00000_111_00000_1111111
        self._waiting.append((pc, word, rs1, rs2, rd, operation, x[rs1], x[rs2], x[rd]))
        if asleep:
            return
        for at, *values in self._waiting:
            self.pc = at
            self.product("product", values[5], values[6])
            for bus, value in zip(_OF_WORDS, values, strict=True):
                self.put(bus, value)
        self._waiting.clear()

    def integer(self, d: Decoded, x: list[int], pc: int, *, by_register: bool) -> None:
        """Operands of whatever is not of the vector unit; ``by_register``: of the form with rs2."""
        if d.kind == "kmem" and d.funct7 > 2:  # illegal
            return
        a, b = x[d.rs1], x[d.rs2]
        reads_rs2 = d.kind == "branch" or (d.kind == "alu" and by_register)
        if d.kind in {"alu", "branch"}:
            self.put("alu_a", a)
            immediate = d.imm & (31 if d.name in _SHIFTS else 0xFFFF_FFFF)
            self.put("alu_b", b if reads_rs2 else immediate)
        if d.kind == "auipc" and d.rd:
            self.put("alu_a", pc)
            self.put("alu_b", d.imm)
        if d.kind == "muldiv":
            unit = "multiplier" if d.name in _MULTIPLIES else "divider"
            self.put(f"{unit}_a", a)
            self.put(f"{unit}_b", b)

    def pad(self, bus: str, place: tuple[int, int, int], word: int, simd: int) -> None:
        """A word of a scratchpad: unit, scratchpad and index of the word say where it is."""
        unit, spm, index = place
        self.put(bus, word, unit, spm, index % simd)

    def vector_operands(self, words: list[list[int]], job: VectorJob, unit: int, simd: int) -> None:
        shifts = job.op.name in {"ksrav", "ksrlv"}
        scalar: int | None = None if shifts else job.rs2_value
        if job.op.rs2 == "scalar_spm" and job.rs2 is not None:
            index = job.rs2[1] // 4
            scalar = words[job.rs2[0]][index]
            self.pad("scratchpad_read", (unit, job.rs2[0], index), scalar, simd)
        for k in range(-(-job.size_bytes // 4)):
            a = repeat_element(job.rs1_value, job.element_bits)
            if job.op.rs1 == "vector" and job.rs1 is not None:
                index = job.rs1[1] // 4 + k
                a = words[job.rs1[0]][index]
                self.pad("scratchpad_read", (unit, job.rs1[0], index), a, simd)
            self.put("lane_a", a, unit, k % simd)
            b: int | None = None
            if job.op.rs2 == "vector" and job.rs2 is not None:
                index = job.rs2[1] // 4 + k
                b = words[job.rs2[0]][index]
                self.pad("scratchpad_read", (unit, job.rs2[0], index), b, simd)
            elif job.op.rs2 != "none" and scalar is not None:
                b = repeat_element(scalar, job.element_bits)
            if b is not None:
                self.put("lane_b", b, unit, k % simd)
                if "mul" in job.op.name or "dot" in job.op.name:
                    self.product("lane_product", a, b, unit, k % simd)

    def vector_result(self, words: list[list[int]], job: VectorJob, unit: int, simd: int) -> None:
        count = 1 if job.op.word_result else -(-job.size_bytes // 4)
        for index in range(job.rd[1] // 4, job.rd[1] // 4 + count):
            word = words[job.rd[0]][index]
            self.pad("scratchpad_write", (unit, job.rd[0], index), word, simd)
