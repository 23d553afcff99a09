"""What a vector instruction leaves in the scratchpads, beat by beat and bit by bit.

A beat reads up to S words of each source and writes up to S words. Beat k reads in cycle
``first_read + k``; beat j writes at the end of cycle ``first_write + j``. So with operands
that overlap, beat k sees the writes of the beats with ``first_write + j < first_read + k``.

A scratchpad has one read port. A scalar in it is a source like the vector, asked for in every
beat; see ``_Operands`` for what happens when both are in the same one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.oracle.config import UnmodelledError
from tests.oracle.lanes import (
    dot_beat,
    element_word,
    own_word,
    product_bytes,
    reduce_beat,
    repeat_element,
    signed,
)
from tests.oracle.vector_isa import VectorJob, bytes_per_beat

if TYPE_CHECKING:
    from tests.oracle.vcu_timing import Schedule

_MASK = 0xFFFF_FFFF


def execute(
    words: list[list[int]], job: VectorJob, schedule: Schedule, simd: int, *, lane_masks: bool
) -> None:
    """Apply an instruction to one accelerator's scratchpads.

    ``lane_masks`` is False for the harts whose shift masks the multithreaded hardware forgets.
    """
    for place in (job.rd, job.rs1, job.rs2):
        if place is not None and place[1] % 4:
            raise UnmodelledError(
                f"{job.op.name}: scratchpad offset {place[1]} is not word aligned"
            )
    if job.op.rs2 == "scalar_spm" and job.rs2 is None:
        raise UnmodelledError(f"{job.op.name}: the scalar is outside the scratchpads")
    if job.op.word_result:
        _reduction(words, job, schedule, simd, lane_masks=lane_masks)
    elif job.op.half_rate_8bit and job.element_bits == 8:
        _byte_products(words, job, schedule, simd)
    else:
        _element_wise(words, job, schedule, simd, lane_masks=lane_masks)


class _WriteQueue:
    """Writes on their way: they become visible ``delay`` beats after they were computed."""

    def __init__(self, memory: list[int], schedule: Schedule) -> None:
        self._memory, self._delay = memory, schedule.first_write - schedule.first_read
        self._queue: list[tuple[int, int, int]] = []

    def push(self, beat: int, index: int, word: int) -> None:
        self._queue.append((beat, index % len(self._memory), word))

    def before_read(self, beat: int) -> None:
        while self._queue and self._queue[0][0] + self._delay < beat:
            _, index, word = self._queue.pop(0)
            self._memory[index] = word

    def flush(self) -> None:
        for _, index, word in self._queue:
            self._memory[index] = word


def _read(words: list[list[int]], place: tuple[int, int] | None, index: int) -> int:
    if place is None:
        return 0
    spm = words[place[0]]
    return spm[(place[1] // 4 + index) % len(spm)]


class _Operands:
    """What the two read ports of the unit give in each beat, word by word of the vector.

    In the issue cycle the unit asks for the line of the vector and leaves out the scalar if that is
    in the same scratchpad: its port then reads as zero. In later cycles it asks for both, and the
    banks follow the address of the scalar. Both ports get that line, each rotated by the low bits
    of its own address.
    """

    def __init__(
        self, words: list[list[int]], job: VectorJob, schedule: Schedule, simd: int
    ) -> None:
        self._words, self._job, self._simd = words, job, simd
        self._scalar_in_spm = job.op.rs2 == "scalar_spm"
        self._one_port = (
            self._scalar_in_spm
            and job.rs1 is not None
            and job.rs2 is not None
            and job.rs1[0] == job.rs2[0]
        )
        self._asked_at_issue = schedule.first_read == schedule.issue

    def read(self, beat: int, index: int) -> tuple[int, int]:
        """The words of vector and second operand that belong to word ``index`` of the result."""
        job = self._job
        alone = self._one_port and beat == 0 and self._asked_at_issue
        if self._one_port and not alone:
            assert job.rs1 is not None
            assert job.rs2 is not None
            bank = (job.rs1[1] // 4 + index) % self._simd
            a = self._bank_word(job.rs2, bank)
        else:
            a = _read(self._words, job.rs1, index)
        if job.op.rs2 == "vector":
            return a, _read(self._words, job.rs2, index)
        if not self._scalar_in_spm:
            return a, repeat_element(job.rs2_value, job.element_bits)
        scalar = 0 if alone else _read(self._words, job.rs2, 0)
        return a, repeat_element(scalar, job.element_bits)

    def _bank_word(self, place: tuple[int, int], bank: int) -> int:
        """What a bank gives for the line that starts at a place, which may begin in mid-row."""
        spm = self._words[place[0]]
        row, first_bank = divmod(place[1] // 4, self._simd)
        row += bank < first_bank
        return spm[(row * self._simd + bank) % len(spm)]


def _element_wise(
    words: list[list[int]], job: VectorJob, schedule: Schedule, simd: int, *, lane_masks: bool
) -> None:
    count = -(-job.size_bytes // 4)
    queue = _WriteQueue(words[job.rd[0]], schedule)
    operands = _Operands(words, job, schedule, simd)
    target = job.rd[1] // 4
    for beat, first in enumerate(range(0, count, simd)):
        queue.before_read(beat)
        for index in range(first, min(first + simd, count)):
            if job.op.name == "kbcast":
                word = repeat_element(job.rs1_value, job.element_bits)
            else:
                a, b = operands.read(beat, index)
                if job.op.element is not None:
                    word = own_word(job.op.element, a, b, job.element_bits, job.third)
                    queue.push(beat, target + index, word)
                    continue
                word = element_word(
                    job.op.name, a, b, job.element_bits, job.rs2_value & 31, lane_masks=lane_masks
                )
            queue.push(beat, target + index, word)
    queue.flush()


def _byte_products(words: list[list[int]], job: VectorJob, schedule: Schedule, simd: int) -> None:
    """8-bit products: 2S elements a beat. With one lane the hardware gets them wrong.

    The write is as wide as ever, S words as far as the vector goes: the half without products is
    zero, and the next beat writes over it. With S = 1 the address moves on by half a word per beat.
    The odd beats find the same word on the read ports and write zero over the products of the even
    beat.
    """
    queue = _WriteQueue(words[job.rd[0]], schedule)
    operands = _Operands(words, job, schedule, simd)
    target = job.rd[1] // 4
    beats = -(-job.size_bytes // (2 * simd))
    count = -(-job.size_bytes // 4)
    for beat in range(beats):
        queue.before_read(beat)
        if simd == 1:
            index, odd = divmod(beat, 2)
            word = 0 if odd else product_bytes(*operands.read(beat, index)) & 0xFFFF
            queue.push(beat, target + index, word)
            continue
        first = beat * simd // 2
        for index in range(first, min(first + simd, count)):
            computed = index < first + simd // 2
            word = product_bytes(*operands.read(beat, index)) if computed else 0
            queue.push(beat, target + index, word)
    queue.flush()


def _reduction(
    words: list[list[int]], job: VectorJob, schedule: Schedule, simd: int, *, lane_masks: bool
) -> None:
    """Sums. The word at rd is rewritten by every beat; the last one is the result.

    If the first write has to wait for a transfer, the pipeline stops and the accumulator, which is
    cleared in every cycle that does not add, loses its contents. What was after it in the pipeline
    survives: the first sum was set aside for the write and is written, the second is gone, the
    others start again from zero. The stop also costs the mask of the beat whose words arrive in it,
    unless more reads follow: its lanes then count as zero.
    """
    queue = _WriteQueue(words[job.rd[0]], schedule)
    element_bytes = job.element_bits // 8
    lanes = bytes_per_beat(job.op, job.element_bits, simd) // element_bytes
    beats = -(-job.size_bytes // (lanes * element_bytes))
    elements = job.size_bytes // element_bytes
    waits = schedule.first_write > schedule.first_read + job.op.latency_cycles
    accumulator = 0
    two_beats_a_word = simd == 1 and job.element_bits == 8 and job.op.half_rate_8bit
    for beat in range(beats):
        if not two_beats_a_word or beat % 2 == 0:  # else the ports keep the last word
            queue.before_read(beat)
        a_lanes, b_lanes = [], []
        for lane in range(lanes):
            element = beat * lanes + lane
            inside = element < elements
            if simd == 1 and job.element_bits == 8:  # bytes 0 and 1 twice, never 2 and 3
                element = element // 4 * 4 + lane
            a_lanes.append(_element(words, job.rs1, element, job.element_bits) if inside else 0)
            b_lanes.append(_element(words, job.rs2, element, job.element_bits) if inside else 0)
        if job.op.element is not None:
            total = _own_sum(words, job, range(beat * lanes, min((beat + 1) * lanes, elements)))
        elif job.op.name == "kvred":
            total = reduce_beat(a_lanes, job.element_bits)
        else:
            shift = job.mpsclfac if job.op.name == "kdotpps" else None
            total = dot_beat(a_lanes, b_lanes, job.element_bits, shift, lane_masks=lane_masks)
        if waits and beat == 1:
            accumulator = total = 0
        if waits and beat == beats - 1 == job.op.latency_cycles - 1:
            total = 0
        accumulator = (accumulator + total) & _MASK
        queue.push(beat, job.rd[1] // 4, accumulator)
    queue.flush()


def _own_sum(words: list[list[int]], job: VectorJob, elements: range) -> int:
    """The sum of the results of an instruction of a unit for some elements."""
    assert job.op.element is not None
    bits, total = job.element_bits, 0
    for element in elements:
        a = signed(_element(words, job.rs1, element, bits), bits)
        b = _element(words, job.rs2, element, bits)
        b = signed(job.rs2_value if job.op.rs2 == "register" else b, bits)
        total += job.op.element(a, b, job.third)
    return total & _MASK


def _element(
    words: list[list[int]], place: tuple[int, int] | None, element: int, element_bits: int
) -> int:
    per_word = 32 // element_bits
    word = _read(words, place, element // per_word)
    return word >> element % per_word * element_bits & ((1 << element_bits) - 1)
