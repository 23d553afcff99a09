"""Spans of work put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.sim import VectorCount, Work

if TYPE_CHECKING:
    from collections.abc import Iterable


def join_work(parts: Iterable[Work]) -> Work:
    """The work of several spans that do not overlap, such as the stages of a learner."""
    cycles = retries = waiting = 0
    instructions: dict[str, int] = {}
    vector: dict[str, VectorCount] = {}
    parked: list[int] = []
    for part in parts:
        cycles += part.wall_cycles
        retries += part.retries
        waiting += part.waiting_cycles
        for name, count in part.instructions.items():
            instructions[name] = instructions.get(name, 0) + count
        for name, each in part.vector.items():
            have = vector.get(name, VectorCount(0, 0, 0))
            vector[name] = VectorCount(
                have.issued + each.issued,
                have.size_bytes + each.size_bytes,
                have.narrow + each.narrow,
            )
        parked += [0] * (len(part.parked_slots) - len(parked))
        for hart, slots in enumerate(part.parked_slots):
            parked[hart] += slots
    return Work(cycles, instructions, vector, retries, tuple(parked), waiting)
