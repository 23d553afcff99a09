"""What instructions put on buses, and in how many bits a value differs from the one before."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from tests.oracle.lanes import repeat_element

if TYPE_CHECKING:
    from tests.oracle.decode import Decoded
    from tests.oracle.vector_isa import VectorJob

_READS_RS2 = {"branch", "store", "amo", "kmem", "muldiv"}
_SHIFTS = {"sll", "srl", "sra"}
_MULTIPLIES = {"mul", "mulh", "mulhsu", "mulhu"}


class Buses:
    """Counts by pc and bus: values and toggles. A bus of several wires has the wire as a place."""

    def __init__(self) -> None:
        self.pc = 0
        self.counts: dict[tuple[int, str], list[int]] = defaultdict(lambda: [0, 0])
        self._last: dict[tuple[object, ...], int] = {}

    def put(self, bus: str, value: int, *place: object) -> None:
        wire = (bus, *place)
        count = self.counts[self.pc, bus]
        count[0] += 1
        count[1] += (self._last.get(wire, 0) ^ value).bit_count()
        self._last[wire] = value

    def integer(self, d: Decoded, x: list[int], pc: int, *, by_register: bool) -> None:
        """Operands of whatever is not of the vector unit; ``by_register``: of the form with rs2."""
        if d.kind == "kmem" and d.funct7 > 2:  # illegal
            return
        a, b = x[d.rs1], x[d.rs2]
        reads_rs2 = d.kind in _READS_RS2 or (d.kind == "alu" and by_register)
        if d.kind in _READS_RS2 | {"alu", "jalr", "load"} or (d.kind == "csr" and d.funct3 < 5):
            self.put("rs1_read", a)
        if reads_rs2:
            self.put("rs2_read", b)
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
        if d.kind == "kmem":
            self.put("rd_read", x[d.rd])

    def vector_registers(self, operands: tuple[int, int, int], *, has_rs2: bool) -> None:
        for bus, value in zip(("rd_read", "rs1_read", "rs2_read"), operands, strict=True):
            if has_rs2 or bus != "rs2_read":
                self.put(bus, value)

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
            if job.op.rs2 == "vector" and job.rs2 is not None:
                index = job.rs2[1] // 4 + k
                b = words[job.rs2[0]][index]
                self.pad("scratchpad_read", (unit, job.rs2[0], index), b, simd)
                self.put("lane_b", b, unit, k % simd)
            elif job.op.rs2 != "none" and scalar is not None:
                self.put("lane_b", repeat_element(scalar, job.element_bits), unit, k % simd)

    def vector_result(self, words: list[list[int]], job: VectorJob, unit: int, simd: int) -> None:
        count = 1 if job.op.word_result else -(-job.size_bytes // 4)
        for index in range(job.rd[1] // 4, job.rd[1] // 4 + count):
            word = words[job.rd[0]][index]
            self.pad("scratchpad_write", (unit, job.rd[0], index), word, simd)
