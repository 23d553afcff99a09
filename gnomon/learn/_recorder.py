"""Recorder of kernel calls of learners: the trace of the surrounding ``with``, if any."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import CodeType
from typing import Protocol

_OWN = "gnomon.learn."


@dataclass(frozen=True, slots=True, order=True)
class Outside:
    """NumPy call of a learner outside the kernels, which has no price."""

    stage: str
    function: str  # of NumPy, such as `matmul`
    where: str  # `file:line` that called it


class CallRecorder(Protocol):
    """Receiver of reports from running learners, such as a trace.

    Attributes:
        stage: the current stage, such as ``select``.
    """

    stage: str

    def record_call(self, kernel: str, shape: tuple[int, ...], count: int) -> None:
        """Add calls of a kernel in the current stage."""

    def see(self, call: Outside, callers: tuple[CodeType, ...]) -> None:
        """Count a NumPy call; ``callers`` holds the code objects of the call stack."""

    def notes(self, code: CodeType) -> None:
        """Remember code that reports its calls with ``note``."""


_ACTIVE: ContextVar[CallRecorder | None] = ContextVar("trace", default=None)


@contextmanager
def recorded_by(trace: CallRecorder | None) -> Iterator[None]:
    """Let the trace record the calls in the ``with``; None: nothing records."""
    token = _ACTIVE.set(trace)
    try:
        yield
    finally:
        _ACTIVE.reset(token)


def recorder() -> CallRecorder | None:
    """Return the active trace, or None."""
    return _ACTIVE.get()


def recording() -> bool:
    """Return whether a trace records kernel calls."""
    return _ACTIVE.get() is not None


def note(kernel: str, shape: tuple[int, ...], count: int = 1) -> None:
    """Report to the active trace, if any, that a kernel ran ``count`` times."""
    trace = _ACTIVE.get()
    if trace is not None and count:
        trace.record_call(kernel, shape, count)
        caller = sys._getframe(1)  # noqa: SLF001 - the code that reports
        if not caller.f_globals.get("__name__", "").startswith(_OWN):
            trace.notes(caller.f_code)


def enter_stage(name: str) -> None:
    """Report to the active trace, if any, which stage begins."""
    trace = _ACTIVE.get()
    if trace is not None:
        trace.stage = name
