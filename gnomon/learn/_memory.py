"""Memory of the NumPy learners: state to the byte, and peak per stage measured."""

from __future__ import annotations

import gc
import tracemalloc
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.learn._operations import learner_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.learn.learner import Sizes

REPEATS = 3


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """Memory of one learner.

    Attributes:
        state_size_bytes: arrays that stay between steps, exact.
        select_peak_bytes: most that a select holds on top of the state, measured by tracemalloc:
            arrays and Python objects, but not the workspace inside LAPACK.
        update_peak_bytes: likewise of an update.
    """

    name: str
    variant: str
    sizes: Sizes
    state_size_bytes: int
    select_peak_bytes: int
    update_peak_bytes: int

    @property
    def peak_bytes(self) -> int:
        """The larger of the two peaks."""
        return max(self.select_peak_bytes, self.update_peak_bytes)


def measure_memory(name: str, variant: str, sizes: Sizes) -> MemoryRow:
    """Measure one learner after a few steps; the smallest of three measurements counts."""
    learner = learner_of(name, variant, sizes)
    context = np.full(sizes.dimensions, 1.0 / sizes.dimensions)
    for _ in range(2):  # first calls fill caches
        learner.update(context, learner.select(context), 1.0)
    return MemoryRow(
        name,
        variant,
        sizes,
        learner.state_size_bytes,
        _peak(lambda: learner.select(context)),
        _peak(lambda: learner.update(context, 0, 1.0)),
    )


def _peak(run: Callable[[], object]) -> int:
    enabled = gc.isenabled()
    gc.disable()  # what it frees in between would hide a peak
    tracemalloc.start()
    try:
        run()  # tracemalloc itself allocates at first sight of a line
        peaks = []
        for _ in range(REPEATS):
            tracemalloc.reset_peak()
            before, _ = tracemalloc.get_traced_memory()
            run()
            _, peak = tracemalloc.get_traced_memory()
            peaks.append(peak - before)
        return min(peaks)
    finally:
        tracemalloc.stop()
        if enabled:
            gc.enable()
