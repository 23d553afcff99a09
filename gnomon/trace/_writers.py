"""What ``gnomon run --trace`` can write: one row per format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.errors import GnomonError, did_you_mean
from gnomon.trace._model import run_activity
from gnomon.trace._saif_write import write_saif

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.arch import Architecture
    from gnomon.sim import Run

TraceWriter = Callable[["Run", "Architecture", Path], object]
"""Writes one file from a traced run."""


def _saif(run: Run, architecture: Architecture, path: Path) -> None:
    write_saif(run_activity(run, architecture), path, design=architecture.name)


TRACE_WRITERS: Mapping[str, TraceWriter] = {"saif": _saif}
"""The formats of ``--trace`` by name."""


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """One file to write."""

    format: str
    path: Path


def parse_trace_requests(texts: list[str]) -> tuple[TraceRequest, ...]:
    """Requests in texts such as ``saif=a.saif``; several in one text are separated by commas.

    Raises:
        GnomonError: a format that is not there, no file, or one file twice.
    """
    known = ", ".join(TRACE_WRITERS)
    requests: list[TraceRequest] = []
    for text in (part for whole in texts for part in whole.split(",")):
        name, equals, file = text.partition("=")
        if not equals or not name:
            raise GnomonError(f"--trace needs FORMAT=FILE, got {text!r} (formats: {known})")
        if name not in TRACE_WRITERS:
            nearest = did_you_mean(name, TRACE_WRITERS)
            raise GnomonError(f"--trace: {name!r} is no format (formats: {known}{nearest})")
        if not file:
            raise GnomonError(f"--trace {name}= needs a file, as in {name}=run.{name}")
        if any(request.path == Path(file) for request in requests):
            raise GnomonError(f"--trace names the file {file} twice")
        requests.append(TraceRequest(name, Path(file)))
    return tuple(requests)


def write_traces(run: Run, architecture: Architecture, requests: tuple[TraceRequest, ...]) -> None:
    """Write every file asked for.

    Raises:
        GnomonError: the run was not traced, or a file cannot be written.
    """
    for request in requests:
        TRACE_WRITERS[request.format](run, architecture, request.path)
