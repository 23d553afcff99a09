"""Deployment engine in C (``events.c``): one event loop, about 10^6 requests per second.

It implements the rules of ``_simpy_model.py``; tests compare both engines.
"""

import ctypes
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Final

import numpy as np

from gnomon.base import structs
from gnomon.base.errors import GnomonError
from gnomon.base.native import Native, load_native
from gnomon.base.structs import Field, Struct, constants
from gnomon.deploy import _model
from gnomon.deploy._model import (
    NEVER,
    PRIORITIES,
    STATES,
    UNLIMITED,
    DeploymentRecord,
    Draw,
    Requests,
    ServingDevice,
    Sleep,
    Stages,
)


def _array_fields(kind: str, *names: str) -> Iterable[Field]:
    return [Field(name, "", kind, pointer=True) for name in names]


def _number_fields(kind: str, *names: str) -> Iterable[Field]:
    return [Field(name, "", kind) for name in names]


_HART = Struct(
    "Hart",
    "The stage of a hart.",
    (
        Field("job", "request or NEVER"),
        Field("update", "whether the stage is its update"),
        Field("since", "start or latest resumption of the stage"),
        Field("end"),
        Field("extra_mw", "power beyond that of the device", "double"),
    ),
)

_DEVICE = ("harts", "vector_units", "preempt", "decision_places", "update_places")
_REQUESTS = ("arrival_ps", "sample", "delay_ps")
_REWARDED = ("rewarded",)
_STAGES = ("select_ps", "update_ps", "correcting_ps")
_DRAW = ("select_mw", "update_mw", "correcting_mw")
# Fields by annotation, which is text here.
_TOTALS, _SUMS, _TIMES, _FLAGS = (
    tuple(each.name for each in fields(DeploymentRecord) if each.type == kind)
    for kind in ("int", "float", "Times", "npt.NDArray[np.bool_]")
)
_QUEUES = ("decisions", "updates", "heap", "due", "left")

_DEPLOYMENT: Final = Struct(
    "Deployment",
    "Device, requests and their costs, as in _model.py, and the state of the run.",
    (
        *_number_fields(
            "int64_t", *_DEVICE, "priority", "sleeps", "after_ps", "enter_ps", "wake_ps"
        ),
        *_number_fields("int64_t", "correction_period", "vector", "requests", "horizon_ps"),
        *_number_fields("double", "enter_uj", "wake_uj"),
        *_array_fields("int64_t", *_REQUESTS),
        *_array_fields("bool", *_REWARDED),
        *_array_fields("int64_t", *_STAGES),
        *_array_fields("double", "state_mw", *_DRAW),
        *_array_fields("int64_t", *_TIMES),
        *_array_fields("bool", *_FLAGS),
        *_number_fields("int64_t", *_TOTALS),
        *_number_fields("double", *_SUMS),
        Field("now"),
        Field("state"),
        Field("change_at", "end of falling asleep or waking"),
        Field("sleep_at"),
        Field("busy", "number of working harts"),
        Field("next_request"),
        Field("updates_started"),
        Field("hart", "", _HART, pointer=True),
        *_array_fields("int64_t", *_QUEUES),
        *_number_fields(
            "int64_t", "decision_first", "decision_last", "update_first", "update_last"
        ),
        Field("on_way", "number of pending rewards: a heap by due, their time of arrival"),
    ),
)


def _build_headers() -> Mapping[str, str]:
    numbers = {name.upper(): k for k, name in enumerate(STATES)}
    numbers |= {name.upper().replace("-", "_"): k for k, name in enumerate(PRIORITIES)}
    numbers |= {"NEVER": NEVER, "UNLIMITED": UNLIMITED}
    declared = (_HART.declaration(), _DEPLOYMENT.declaration())
    parts = ['#include "native.h"', constants(numbers), *declared]
    return {"events_state.h": "\n".join(parts) + "\n"}


LIBRARY: Final = Native(
    "deploy",
    "the model of deployments",
    (Path(__file__).with_name("events.c"),),
    tuple(Path(str(file)) for file in (__file__, _model.__file__, structs.__file__)),
    _build_headers,
)


def simulate_compiled(
    requests: Requests, stages: Stages, device: ServingDevice, draw: Draw
) -> DeploymentRecord:
    """Simulate a deployment in C.

    Raises:
        GnomonError: if arrays have different lengths, or a request names no measured step.
    """
    n = len(requests.arrival_ps)
    record = DeploymentRecord.empty(n)
    known = {name: getattr(device, name) for name in _DEVICE} | {
        "priority": PRIORITIES.index(device.priority),
        "sleeps": device.sleep is not None,
        **asdict(device.sleep or Sleep(0, 0, 0)),
        "correction_period": stages.correction_period,
        "vector": stages.vector,
        "requests": n,
        "horizon_ps": requests.horizon_ps,
        "enter_uj": draw.enter_uj,
        "wake_uj": draw.wake_uj,
    }
    arrays = {
        name: _DEPLOYMENT.array(name, getattr(part, name))
        for part, names in ((requests, (*_REQUESTS, *_REWARDED)), (stages, _STAGES), (draw, _DRAW))
        for name in names
    }
    _check_sizes(arrays)
    arrays["state_mw"] = _DEPLOYMENT.array("state_mw", draw.state_mw)
    arrays["hart"] = np.zeros(device.harts, dtype=_HART.dtype)
    arrays["hart"]["job"] = NEVER
    arrays |= {name: getattr(record, name) for name in (*_TIMES, *_FLAGS)}
    arrays |= {name: np.full(n + 1, NEVER, dtype=np.int64) for name in _QUEUES}
    state = _DEPLOYMENT.make()
    for name, value in known.items():
        state[name] = value
    _DEPLOYMENT.point(state, arrays)
    load_native(LIBRARY).simulate(ctypes.c_void_p(state.ctypes.data))
    for name in (*_TOTALS, *_SUMS):
        setattr(record, name, state[name].item())
    return record


def _check_sizes(arrays: Mapping[str, Any]) -> None:
    """Check lengths and indices, which the C code does not check.

    Raises:
        GnomonError: if lengths differ, or an index is out of range.
    """
    for names in ((*_REQUESTS, *_REWARDED), (*_STAGES, *_DRAW)):
        lengths = {name: len(arrays[name]) for name in names}
        if len(set(lengths.values())) != 1:
            raise GnomonError(f"arrays of different lengths: {lengths}")
    samples, sample = len(arrays["select_ps"]), arrays["sample"]
    if sample.size and not 0 <= sample.min() <= sample.max() < samples:
        raise GnomonError(f"a request is for a step that is not one of {samples}")
