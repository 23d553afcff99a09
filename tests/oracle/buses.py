"""What instructions put on buses, and in how many bits a value differs from the one before."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from tests.oracle.lanes import repeat_element

if TYPE_CHECKING:
    from tests.oracle.decode import Decoded
    from tests.oracle.vector_isa import VectorJob

_SHIFTS = {"sll", "srl", "sra"}
_MULTIPLIES = {"mul", "mulh", "mulhsu", "mulhu"}
_FIELDS = ("rs1_select", "rs2_select", "rd_select", "operation")
_OF_WORDS = ("instruction", *_FIELDS, "rs1_read", "rs2_read", "rd_read")


def _muxes_of(number: int) -> int:
    """Selects of a tree of multiplexers that reads register ``number``, a bit each."""
    selects = [number >> level & 1 for level in range(5) for _ in range(16 >> level)]
    return sum(bit << place for place, bit in enumerate(selects))


def _fields_of(word: int) -> tuple[int, ...]:
    """Selects of the registers, and the other bits."""
    selects = [_muxes_of(word >> place & 31) for place in (15, 20, 7)]
    return (*selects, word & 0b1111111_00000_00000_111_00000_1111111)


def _immediate_of(word: int) -> int | None:
    """The immediate with its sign, in 32 bits; None: it has none."""
    if word & 127 in {0x17, 0x37}:
        return word >> 12 << 12
    of_12, store = ((20, 12),), ((25, 7), (7, 5))  # lowest bit and width of each field
    branch, jump = ((31, 1), (7, 1), (25, 6), (8, 4)), ((31, 1), (12, 8), (20, 1), (21, 10))
    forms = {0x03: of_12, 0x13: of_12, 0x67: of_12, 0x23: store, 0x63: branch, 0x6F: jump}
    if word & 127 not in forms:
        return None
    value = -(word >> 31)
    for at, width in forms[word & 127]:
        value = value << width | word >> at & (1 << width) - 1
    return (value << (word & 127 in {0x63, 0x6F})) & 0xFFFF_FFFF


def _sum_rows(a: int, b: int) -> int:
    """All rows and sums of four products of 16 x 16 bits, as one integer.

    Carry-save adders take the three oldest words that no adder has taken, and make two.
    """
    found: list[int] = []
    for b_half in (b & 0xFFFF, b >> 16):
        for a_half in (a & 0xFFFF, a >> 16):
            words = [b_half << k if a_half >> k & 1 else 0 for k in range(16)]
            waiting = list(words)
            while len(waiting) > 2:
                x, y, z, *waiting = waiting
                made = [x ^ y ^ z, ((x & y | x & z | y & z) << 1) & 0xFFFF_FFFF]
                words += made
                waiting += made
            found += words
    return sum(word << 32 * place for place, word in enumerate(found))


class Buses:
    """Counts by pc and bus: values and toggles. A bus of several wires has the wire as a place."""

    def __init__(self) -> None:
        self.pc = 0
        self.counts: dict[tuple[int, str], list[int]] = defaultdict(lambda: [0, 0])
        self._last: dict[tuple[object, ...], int] = {}
        self._waiting: list[tuple[int, ...]] = []
        self._ports: dict[tuple[int, int], tuple[int, int]] = defaultdict(lambda: (0, 0))

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

    def issue(self, pc: int, word: int, x: list[int], *, asleep: bool, skipped: int | None) -> None:
        """The instruction and what fields of any word read; of harts asleep at the next issue.

        ``skipped``: the word after the branch that was taken to it.
        """
        fields = _fields_of(word)
        values = [x[each] for each in (word >> 15 & 31, word >> 20 & 31, word >> 7 & 31)]
        self._waiting.append((pc, word, *fields, *values))
        if asleep:
            return
        for at, *values in self._waiting[:-1]:
            self._put_word(at, values)
        if skipped is not None:
            self.pc = pc
            for bus, value in zip(_FIELDS, _fields_of(skipped), strict=True):
                self.put(bus, value)
            self._put_immediate(skipped)
        self._put_word(pc, list(self._waiting[-1][1:]))
        self._waiting.clear()

    def _put_word(self, pc: int, values: list[int]) -> None:
        self.pc = pc
        self.product("product", values[5], values[6])
        self.put("product_sums", _sum_rows(values[5], values[6]))
        for bus, value in zip(_OF_WORDS, values, strict=True):
            self.put(bus, value)
        self._put_immediate(values[0])

    def _put_immediate(self, word: int) -> None:
        value = _immediate_of(word)
        if value is not None:
            self.put("immediate", value)

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
            if unit == "divider":
                self._divide(a, b, with_sign=d.name in {"div", "rem"})
            else:
                self._multiply(a, b, d.name)

    def _multiply(self, a: int, b: int, name: str) -> None:
        """Add the rows of a product of 64 bits to a sum; a low product has 32 rows."""
        first = a - (a >> 31 << 32) if name in {"mulh", "mulhsu"} else a
        second = b - (b >> 31 << 32) if name == "mulh" else b
        rows = [
            (first >> k & 1) * (second << k) % 2**64 for k in range(32 if name == "mul" else 64)
        ]
        if not any(rows):
            return
        sums = [0]
        for row in rows:
            sums.append((sums[-1] + row) % 2**64)
        count = self.counts[self.pc, "partial_sum"]
        count[0] += sum(1 for row in rows if row)
        for values in ([0, *rows], sums):
            count[1] += sum((x ^ y).bit_count() for x, y in pairwise(values))

    def _divide(self, a: int, b: int, *, with_sign: bool) -> None:
        """Subtract the divisor where it fits, from the highest bit of the quotient on."""
        rest, divisor = (2**32 - each if with_sign and each >= 2**31 else each for each in (a, b))
        count = self.counts[self.pc, "remainder"]
        count[0] += 1
        for place in reversed(range(32)):
            smaller = rest - (divisor << place)
            if smaller >= 0:
                count[1] += (rest ^ smaller).bit_count()
                rest = smaller

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
            self._lane_ports(job, a if job.op.rs1 == "vector" else None, b or 0, unit, k, simd)
        for lane in range(simd if job.op.word_result else 0):
            self._lane_port(0, self._ports[unit, lane][1], unit, lane)

    def _lane_ports(
        self, job: VectorJob, a: int | None, b: int, unit: int, k: int, simd: int
    ) -> None:
        """Word k at the multiplier of its lane, or its bytes in two beats, 16 bits each."""
        if not (job.op.half_rate_8bit and job.element_bits == 8):
            self._lane_port(a, b, unit, k % simd)
            return
        for beat, low in enumerate((0, 16)):
            wide, second = (None if word is None else
                            word >> low & 255 | (word >> low + 8 & 255) << 16
                            for word in (a, b))  # fmt: skip
            self._lane_port(wide, second or 0, unit, (2 * k + beat) % simd)

    def _lane_port(self, a: int | None, b: int, unit: int, lane: int) -> None:
        """Operands of a multiplier; without a first one, the one before stays."""
        ports = (self._ports[unit, lane][0] if a is None else a, b)
        self._ports[unit, lane] = ports
        self.put("lane_multiplier", _sum_rows(*ports), unit, lane)

    def vector_result(self, words: list[list[int]], job: VectorJob, unit: int, simd: int) -> None:
        count = 1 if job.op.word_result else -(-job.size_bytes // 4)
        for index in range(job.rd[1] // 4, job.rd[1] // 4 + count):
            word = words[job.rd[0]][index]
            self.pad("scratchpad_write", (unit, job.rd[0], index), word, simd)
