"""What ``gnomon run --trace`` can write: one row per format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.base.files import writing
from gnomon.observe.trace._kanata import write_kanata
from gnomon.observe.trace._log import write_log
from gnomon.observe.trace._model import run_activity
from gnomon.observe.trace._perfetto import MAX_EVENTS, write_perfetto
from gnomon.observe.trace._saif_write import saif_text
from gnomon.observe.trace._vcd_write import write_vcd

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.arch import Architecture
    from gnomon.program import Program
    from gnomon.sim import Run

TraceWriter = Callable[["Run", "Architecture", "Program", Path], str | None]
"""Writes one file from a traced run; what it had to leave out, if anything."""


def _kanata(run: Run, architecture: Architecture, program: Program, path: Path) -> None:
    write_kanata(run, architecture, program, path)


def _perfetto(run: Run, architecture: Architecture, program: Program, path: Path) -> str | None:
    cut = write_perfetto(run, architecture, program, path)
    if cut < 0:
        return None
    return (
        f"{path}: cut at cycle {cut}, as it has {MAX_EVENTS:,} events then; --trace-window chooses"
        " another part"
    )


def _vcd(run: Run, architecture: Architecture, _: Program, path: Path) -> None:
    write_vcd(run, architecture, path)


def _saif(run: Run, architecture: Architecture, _: Program, path: Path) -> None:
    if len(run.trace_windows) != 1:
        raise GnomonError(
            f"{path}: SAIF is about one span of time, and {len(run.trace_windows)} windows were"
            " recorded; choose one with --trace-window"
        )
    first, end = run.trace_windows[0]
    activity = run_activity(run, architecture, first_cycle=first, end_cycle=end)
    text = saif_text(activity, design=architecture.name)
    with writing(path) as file:
        file.write(text.encode())


def _log(run: Run, architecture: Architecture, program: Program, path: Path) -> None:
    write_log(run, architecture, program, path)


TRACE_WRITERS: Mapping[str, TraceWriter] = {
    "kanata": _kanata,
    "perfetto": _perfetto,
    "vcd": _vcd,
    "saif": _saif,
    "log": _log,
}
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


def write_traces(
    run: Run, architecture: Architecture, program: Program, requests: tuple[TraceRequest, ...]
) -> tuple[str, ...]:
    """Write every file asked for; returns what had to be left out.

    Raises:
        GnomonError: the run was not traced, or a file cannot be written.
    """
    notes = []
    if run.trace_cut:
        notes.append(
            f"recording ended at cycle {run.trace_windows[-1][1]}, at its limit; the run went on."
            " --trace-window chooses another part, --trace-limit another limit"
        )
    for request in requests:
        note = TRACE_WRITERS[request.format](run, architecture, program, request.path)
        notes += [note] if note is not None else []
    return tuple(notes)
