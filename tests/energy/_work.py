"""Work made by hand, for tests of what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.sim import VectorCount, Work

if TYPE_CHECKING:
    from collections.abc import Mapping


def work(
    instructions: Mapping[str, int] | None = None,
    *,
    cycles: int = 3000,
    vector: Mapping[str, VectorCount] | None = None,
    retries: int = 0,
    parked: tuple[int, ...] = (0, 0, 0),
    waiting: int = 0,
) -> Work:
    return Work(cycles, dict(instructions or {}), dict(vector or {}), retries, parked, waiting)
