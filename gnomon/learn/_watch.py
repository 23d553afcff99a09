"""NumPy calls of a learner outside the kernels: they take cycles that no price includes.

While a trace is recorded, contexts and state of a learner are arrays that report each NumPy
function and operator on them, with the line of the call. Calls of the kernels themselves, and of
code that reports its calls (``note``), are in the trace and are omitted here. Methods that NumPy
computes without a function, such as ``x.argmax()``, are not seen.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.learn._recorder import CallRecorder, Outside, recorder

if TYPE_CHECKING:
    from gnomon.learn.kernels import Floats

_OWN = "gnomon.learn."


class _Watched(np.ndarray):
    """Array that reports its NumPy calls."""

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **more: Any
    ) -> Any:
        _report(ufunc.__name__)
        more = {name: _plain(value) for name, value in more.items()}  # such as `where` of a mean
        if out is not None:
            more["out"] = tuple(map(_plain, out))
        found = getattr(ufunc, method)(*map(_plain, inputs), **more)
        return _watched(found) if out is None else out[0] if len(out) == 1 else out

    def __array_function__(self, func: Any, _types: Any, args: Any, more: Any) -> Any:
        _report(func.__name__)
        more = {name: _plain(value) for name, value in more.items()}
        return _watched(func(*map(_plain, args), **more))


def _plain(value: Any) -> Any:
    if isinstance(value, _Watched):
        return value.view(np.ndarray)
    if isinstance(value, list | tuple):
        return type(value)(map(_plain, value))
    return value


def _watched(value: Any) -> Any:
    if type(value) is np.ndarray:
        return value.view(_Watched)
    return tuple(map(_watched, value)) if type(value) is tuple else value


def _report(function: str) -> None:
    """Count a call, unless a kernel or the toolkit made it."""
    trace = recorder()
    if trace is None:
        return
    frame: FrameType | None = sys._getframe(2)  # noqa: SLF001 - the caller
    while frame is not None and frame.f_globals.get("__name__", "").startswith("numpy."):
        frame = frame.f_back
    if frame is None or frame.f_globals.get("__name__", "").startswith(_OWN):
        return
    where = f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"
    callers: list[CodeType] = []
    while frame is not None and not frame.f_globals.get("__name__", "").startswith(_OWN):
        callers.append(frame.f_code)
        frame = frame.f_back
    trace.see(Outside(trace.stage, function, where), tuple(callers))


@contextmanager
def watching(learner: Any, contexts: Floats) -> Iterator[Floats]:
    """Watch contexts and state of a learner for one step, if a trace is recorded."""
    trace: CallRecorder | None = recorder()
    if trace is None:
        yield contexts
        return
    owners = {name: getattr(learner, name) for name in learner.keeps}
    for name, owner in owners.items():
        setattr(learner, name, _watched_state(owner))
    try:
        yield contexts.view(_Watched)
    finally:
        for name, value in list(vars(learner).items()):
            if isinstance(value, _Watched):
                setattr(learner, name, _released(value, owners.get(name)))


def _watched_state(owner: Any) -> Any:
    """Return a watched view that the learner can lock and unlock like its own array."""
    if type(owner) is not np.ndarray:
        return _watched(owner)
    writeable = owner.flags.writeable
    if owner.base is None:
        owner.flags.writeable = True  # without it, the view could never be unlocked
    view = owner.view(_Watched)
    view.flags.writeable = writeable
    return view


def _released(value: _Watched, owner: Any) -> Any:
    """Return the learner's own array, locked as its view is, or the array that replaced it."""
    if value.base is not owner or owner is None:
        return value.view(np.ndarray)
    owner.flags.writeable = value.flags.writeable
    return owner
