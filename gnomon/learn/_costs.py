"""Costs of a learner's step: counted operations and measured memory."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gnomon.learn._operations import Operations
from gnomon.learn._trace import Trace
from gnomon.learn.kernels import Floats
from gnomon.learn.learner import Learner

_REPEATS = 3


@dataclass(frozen=True, slots=True)
class MemoryFootprint:
    """Memory of one learner.

    Attributes:
        state_size_bytes: arrays that remain between steps, exact.
        select_peak_bytes: peak memory of a select in addition to the state, measured by
            tracemalloc: arrays and Python objects, but not the workspace inside LAPACK.
        update_peak_bytes: peak memory of an update, measured in the same way.
    """

    state_size_bytes: int
    select_peak_bytes: int
    update_peak_bytes: int


def count_step(learner: Learner) -> dict[str, Operations]:
    """Return the operations of ``select`` and ``update``, counted in a step of a copy."""
    copy, context = learner.clone(), _even_context(learner)
    with Trace.record() as trace:
        copy.update(context, copy.select(context), 1.0)
    return {stage: trace.operations(stage) for stage in ("select", "update")}


def measure_memory(learner: Learner) -> MemoryFootprint:
    """Return the state size of a learner and the peak memory of a step of a copy.

    Measurements start after two steps; the smallest of three measurements counts.
    """
    copy, context = learner.clone(), _even_context(learner)
    for _ in range(2):  # first calls fill caches
        copy.update(context, copy.select(context), 1.0)
    return MemoryFootprint(
        copy.state_size_bytes,
        _peak(lambda: copy.select(context)),
        _peak(lambda: copy.update(context, 0, 1.0)),
    )


def _even_context(learner: Learner) -> Floats:
    return np.full(learner.sizes.dimensions, 1.0 / learner.sizes.dimensions)


def _peak(run: Callable[[], object]) -> int:
    enabled = gc.isenabled()
    gc.disable()  # a collection during the run would hide a peak
    tracemalloc.start()
    try:
        run()  # tracemalloc itself allocates when it first sees a line
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
