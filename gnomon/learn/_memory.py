"""What a step of a learner takes of memory, measured."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass

from gnomon.learn.kernels import Floats
from gnomon.learn.learner import Learner

_REPEATS = 3


@dataclass(frozen=True, slots=True)
class Memory:
    """Memory of one learner.

    Attributes:
        state_size_bytes: arrays that stay between steps, exact.
        select_peak_bytes: most that a select holds on top of the state, measured by tracemalloc:
            arrays and Python objects, but not the workspace inside LAPACK.
        update_peak_bytes: likewise of an update.
    """

    state_size_bytes: int
    select_peak_bytes: int
    update_peak_bytes: int


def measure(learner: Learner, context: Floats) -> Memory:
    """Measure a learner after a few steps; the smallest of three measurements counts."""
    for _ in range(2):  # first calls fill caches
        learner.update(context, learner.select(context), 1.0)
    return Memory(
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
        for _ in range(_REPEATS):
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
