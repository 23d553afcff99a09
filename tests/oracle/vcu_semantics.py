"""What a vector instruction leaves in the scratchpads, beat by beat and bit by bit.

A beat reads up to S words of each source and writes up to S words. Beat k reads in cycle
``first_read + k``; beat j writes at the end of cycle ``first_write + j``. So with operands
that overlap, beat k sees the writes of the beats with ``first_write + j < first_read + k``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.oracle.config import UnmodelledError
from tests.oracle.lanes import (
    dot_beat,
    element_word,
    product_bytes,
    reduce_beat,
    repeat_element,
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


def _second_operand(words: list[list[int]], job: VectorJob) -> int | None:
    """The word a scalar operand stands for in every lane, or None for a vector."""
    if job.op.rs2 == "vector":
        return None
    if job.op.rs2 == "scalar_spm":
        if job.rs2 is None:
            raise UnmodelledError(f"{job.op.name}: the scalar is outside the scratchpads")
        return repeat_element(_read(words, job.rs2, 0), job.element_bits)
    return repeat_element(job.rs2_value, job.element_bits)


def _element_wise(
    words: list[list[int]], job: VectorJob, schedule: Schedule, simd: int, *, lane_masks: bool
) -> None:
    count = -(-job.size_bytes // 4)
    queue = _WriteQueue(words[job.rd[0]], schedule)
    scalar = _second_operand(words, job)
    target = job.rd[1] // 4
    for beat, first in enumerate(range(0, count, simd)):
        queue.before_read(beat)
        for index in range(first, min(first + simd, count)):
            if job.op.name == "kbcast":
                word = repeat_element(job.rs1_value, job.element_bits)
            else:
                a = _read(words, job.rs1, index)
                b = _read(words, job.rs2, index) if scalar is None else scalar
                word = element_word(
                    job.op.name, a, b, job.element_bits, job.rs2_value & 31, lane_masks=lane_masks
                )
            queue.push(beat, target + index, word)
    queue.flush()


def _byte_products(words: list[list[int]], job: VectorJob, schedule: Schedule, simd: int) -> None:
    """8-bit products: 2S elements a beat. With one lane the hardware gets them wrong.

    With S = 1 the address moves on by half a word per beat. The odd beats find the same word on
    the read ports and write zero over the products of the even beat.
    """
    queue = _WriteQueue(words[job.rd[0]], schedule)
    scalar = _second_operand(words, job)
    target = job.rd[1] // 4
    beats = -(-job.size_bytes // (2 * simd))
    count = -(-job.size_bytes // 4)
    for beat in range(beats):
        queue.before_read(beat)
        if simd == 1:
            index, odd = divmod(beat, 2)
            a = _read(words, job.rs1, index)
            b = _read(words, job.rs2, index) if scalar is None else scalar
            queue.push(beat, target + index, 0 if odd else product_bytes(a, b) & 0xFFFF)
            continue
        per_beat = simd // 2
        for index in range(beat * per_beat, min((beat + 1) * per_beat, count)):
            a = _read(words, job.rs1, index)
            b = _read(words, job.rs2, index) if scalar is None else scalar
            queue.push(beat, target + index, product_bytes(a, b))
    queue.flush()


def _reduction(
    words: list[list[int]], job: VectorJob, schedule: Schedule, simd: int, *, lane_masks: bool
) -> None:
    """Sums. The word at rd is rewritten by every beat; the last one is the result."""
    queue = _WriteQueue(words[job.rd[0]], schedule)
    element_bytes = job.element_bits // 8
    lanes = bytes_per_beat(job.op, job.element_bits, simd) // element_bytes
    beats = -(-job.size_bytes // (lanes * element_bytes))
    elements = job.size_bytes // element_bytes
    accumulator = 0
    for beat in range(beats):
        queue.before_read(beat)
        a_lanes, b_lanes = [], []
        for lane in range(lanes):
            element = beat * lanes + lane
            inside = element < elements
            if simd == 1 and job.element_bits == 8:  # bytes 0 and 1 twice, never 2 and 3
                element = element // 4 * 4 + lane
            a_lanes.append(_element(words, job.rs1, element, job.element_bits) if inside else 0)
            b_lanes.append(_element(words, job.rs2, element, job.element_bits) if inside else 0)
        if job.op.name == "kvred":
            total = reduce_beat(a_lanes, job.element_bits)
        else:
            shift = job.mpsclfac if job.op.name == "kdotpps" else None
            total = dot_beat(a_lanes, b_lanes, job.element_bits, shift, lane_masks=lane_masks)
        accumulator = (accumulator + total) & _MASK
        queue.push(beat, job.rd[1] // 4, accumulator)
    queue.flush()


def _element(
    words: list[list[int]], place: tuple[int, int] | None, element: int, element_bits: int
) -> int:
    per_word = 32 // element_bits
    word = _read(words, place, element // per_word)
    return word >> element % per_word * element_bits & ((1 << element_bits) - 1)
