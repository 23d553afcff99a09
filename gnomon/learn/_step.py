"""What a step of a learner takes: operations by stage, counted; bytes, measured."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gnomon.learn._operations import Operations
from gnomon.learn._trace import Trace
from gnomon.learn.algorithm import find_learner
from gnomon.learn.learner import Learner, Sizes

_REPEATS = 3


def learner_of(name: str, variant: str, sizes: Sizes) -> Learner:
    """An empty learner of these sizes; its arm features are all one."""
    settings: dict[str, Any] = {"dimensions": sizes.dimensions}
    if sizes.features:
        settings["arm_features"] = np.ones((sizes.arms, sizes.features))
    else:
        settings["arms"] = sizes.arms
    create: Callable[..., Learner] = find_learner(name, variant)
    return create(**settings)


def count_step(name: str, variant: str, sizes: Sizes) -> dict[str, Operations]:
    """Operations of ``select`` and ``update``, counted by running one step under the recorder.

    Raises:
        GnomonError: there is no such learner.
    """
    learner = learner_of(name, variant, sizes)
    context = np.full(sizes.dimensions, 1.0 / sizes.dimensions)
    with Trace.record() as trace:
        learner.update(context, learner.select(context), 1.0)
    return {stage: trace.operations(stage) for stage in ("select", "update")}


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


def measure_memory(name: str, variant: str, sizes: Sizes) -> Memory:
    """Measure one learner after a few steps; the smallest of three measurements counts."""
    learner = learner_of(name, variant, sizes)
    context = np.full(sizes.dimensions, 1.0 / sizes.dimensions)
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
