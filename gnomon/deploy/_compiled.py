"""Deployment engine in C (``events.c``): one event loop, about 10^6 requests per second.

It implements the rules of ``_simpy_model.py``; tests compare both engines.
"""

import ctypes
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Final

import numpy as np

from gnomon.base import structs
from gnomon.base.native import Native, load_native
from gnomon.base.structs import Field, Struct, constants
from gnomon.deploy import _model, _stages
from gnomon.deploy._model import NEVER, STATES, UNLIMITED, Sleep
from gnomon.deploy._stages import ANY_HART, OUTSIDE, PipelineModel, StageRecord


def _array_fields(kind: str, *names: str) -> Iterable[Field]:
    return [Field(name, "", kind, pointer=True) for name in names]


def _number_fields(kind: str, *names: str) -> Iterable[Field]:
    return [Field(name, "", kind) for name in names]


_HART = Struct(
    "Hart",
    "The run of a hart.",
    (
        Field("job", "or NEVER"),
        Field("stage"),
        Field("since", "start or latest resumption of the run"),
        Field("end"),
        Field("extra_mw", "power beyond that of the device", "double"),
    ),
)

_GIVEN = ("after", "every", "priority", "hart", "vector", "places", "correction_period")
_COUNTED = ("most_waiting", "last_waiting", "serving", "interrupted")
_STAGE = Struct(
    "Stage",
    "A stage, as in _stages.py, and its state.",
    (
        *_number_fields("int64_t", *_GIVEN, "interruptible", *_COUNTED),
        Field("first_job"),
        Field("count", "number of its jobs"),
        Field("first_sample"),
        Field("next", "next request from outside"),
        Field("finished", "runs of the stage before it"),
        Field("oldest", "origin of those since the latest request, or NEVER"),
        Field("started"),
        Field("queue_first"),
        Field("queue_last"),
        Field("waiting_ps", "", "double"),
    ),
)

_MOMENTS = ("origin_ps", "ready_ps", "start_ps", "end_ps", "worked_ps")
_FLAGS = ("corrected", "dropped")
_TOTALS = ("any_busy_ps", "enters", "wakes")
_JOBS = ("due_ps", "sample")
_TIMES = ("run_ps", "correcting_ps")
_POWERS = ("extra_mw", "correcting_mw")
_STATE = ("queue", "heap", "left")

_PIPELINE: Final = Struct(
    "Pipeline",
    "Device, requests and their costs, and the state of the run; arrays by job or by sample.",
    (
        *_number_fields("int64_t", "stages", "harts", "vector_units"),
        *_number_fields("int64_t", "sleeps", "after_ps", "enter_ps", "wake_ps", "horizon_ps"),
        *_number_fields("double", "enter_uj", "wake_uj"),
        Field("stage", "", _STAGE, pointer=True),
        Field("hart", "", _HART, pointer=True),
        *_array_fields("int64_t", *_JOBS),
        *_array_fields("bool", "wanted"),
        *_array_fields("int64_t", *_TIMES),
        *_array_fields("double", "state_mw", *_POWERS),
        *_array_fields("int64_t", *_MOMENTS, "state_ps"),
        *_array_fields("bool", *_FLAGS),
        *_number_fields("int64_t", *_TOTALS),
        *_number_fields("double", "energy_uj"),
        Field("now"),
        Field("state"),
        Field("change_at", "end of falling asleep or waking"),
        Field("sleep_at"),
        Field("busy", "number of working harts"),
        Field("vector_busy", "vector units in use"),
        *_array_fields("int64_t", *_STATE),
        Field("on_way", "number of pending requests: a heap by time"),
    ),
)


def _build_headers() -> Mapping[str, str]:
    numbers = {name.upper(): k for k, name in enumerate(STATES)}
    numbers |= {"NEVER": NEVER, "UNLIMITED": UNLIMITED, "ANY_HART": ANY_HART}
    declared = (_HART.declaration(), _STAGE.declaration(), _PIPELINE.declaration())
    parts = ['#include "native.h"', constants(numbers), *declared]
    return {"events_state.h": "\n".join(parts) + "\n"}


LIBRARY: Final = Native(
    "deploy",
    "the model of deployments",
    (Path(__file__).with_name("events.c"),),
    tuple(Path(str(file)) for file in (__file__, _model.__file__, _stages.__file__,
                                       structs.__file__)),
    _build_headers,
)  # fmt: skip


def simulate_compiled(model: PipelineModel) -> StageRecord:
    """Simulate a pipeline in C."""
    record, stages = StageRecord.empty(model), model.stages
    known = {
        "stages": len(stages),
        "harts": model.harts,
        "vector_units": model.vector_units,
        "sleeps": model.sleep is not None,
        **asdict(model.sleep or Sleep(0, 0, 0)),
        "horizon_ps": model.horizon_ps,
        "enter_uj": model.enter_uj,
        "wake_uj": model.wake_uj,
    }
    joined = {name: [getattr(stage, name) for stage in stages] for name in _JOBS}
    joined["wanted"] = [
        np.ones(len(stage.due_ps), np.bool_) if stage.wanted is None else stage.wanted
        for stage in stages
    ]
    joined["run_ps"] = [stage.run_ps for stage in stages]
    joined["extra_mw"] = [stage.extra_mw for stage in stages]
    joined["correcting_ps"] = [stage.corrected_ps for stage in stages]
    joined["correcting_mw"] = [stage.corrected_mw for stage in stages]
    arrays = {name: _PIPELINE.array(name, np.concatenate(each)) for name, each in joined.items()}
    arrays["state_mw"] = _PIPELINE.array("state_mw", model.state_mw)
    arrays["hart"] = np.zeros(model.harts, dtype=_HART.dtype)
    arrays["hart"]["job"] = NEVER
    arrays["stage"] = _make_stages(model)
    arrays |= {name: getattr(record, name) for name in (*_MOMENTS, *_FLAGS, "state_ps")}
    jobs = model.first_job[-1]
    arrays |= {name: np.full(jobs + 1, NEVER, dtype=np.int64) for name in _STATE}
    state = _PIPELINE.make()
    for name, value in known.items():
        state[name] = value
    _PIPELINE.point(state, arrays)
    load_native(LIBRARY).simulate(ctypes.c_void_p(state.ctypes.data))
    for name in (*_TOTALS, "energy_uj"):
        setattr(record, name, state[name].item())
    for name in (*_COUNTED, "waiting_ps"):
        getattr(record, name)[:] = arrays["stage"][name]
    return record


def _make_stages(model: PipelineModel) -> np.ndarray:
    """Return the stages as structs."""
    made = np.zeros(len(model.stages), dtype=_STAGE.dtype)
    first_sample = 0
    for each, stage, first_job in zip(made, model.stages, model.first_job, strict=False):
        for name in _GIVEN:
            each[name] = getattr(stage, name)
        each["interruptible"] = stage.interruptible
        each["first_job"], each["count"] = first_job, len(stage.due_ps)
        each["next"] = 0 if stage.after == OUTSIDE else len(stage.due_ps)
        each["oldest"] = NEVER
        each["first_sample"] = first_sample
        first_sample += len(stage.run_ps)
    return made
