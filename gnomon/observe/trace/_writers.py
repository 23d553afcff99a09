"""Formats of ``gnomon run --trace``, and the windows of ``--trace-window``."""

import re
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import ClassVar, Self

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.base.files import writing
from gnomon.base.values import MOST_DIGITS, parse_digits
from gnomon.observe._requests import FileRequests
from gnomon.observe.trace._kanata import write_kanata
from gnomon.observe.trace._log import write_log
from gnomon.observe.trace._model import run_activity, write_vcd
from gnomon.observe.trace._perfetto import MAX_EVENTS, write_perfetto
from gnomon.observe.trace._saif_write import saif_text
from gnomon.program import Program
from gnomon.sim import Region, Run, TraceWindow

_WINDOWS = (
    "FIRST:END in cycles (either may be left out), FUNCTION, or 0xADDRESS:0xADDRESS; after the"
    " last two @N for the Nth time, @all for every time"
)


def _write_saif(run: Run, architecture: Architecture, path: Path) -> None:
    if len(run.trace_windows) != 1:
        raise GnomonError(
            f"{path}: SAIF holds one time span, and {len(run.trace_windows)} windows were"
            " recorded; choose one with --trace-window"
        )
    first, end = run.trace_windows[0]
    activity = run_activity(run, architecture, first_cycle=first, end_cycle=end)
    text = saif_text(activity, design=architecture.name)
    with writing(path) as file:
        file.write(text.encode())


def _write_perfetto_with_note(
    run: Run, architecture: Architecture, program: Program, path: Path
) -> str | None:
    cut = write_perfetto(run, architecture, program, path)
    if cut < 0:
        return None
    return (
        f"{path}: cut at cycle {cut}, after {MAX_EVENTS:,} events; --trace-window chooses"
        " another part"
    )


class TraceFiles(FileRequests):
    """Files requested by ``--trace``."""

    OPTION = "--trace"
    FORMATS: ClassVar = {
        "kanata": write_kanata,
        "perfetto": _write_perfetto_with_note,
        "vcd": lambda run, machine, _, path: write_vcd(run, machine, path),
        "saif": lambda run, machine, _, path: _write_saif(run, machine, path),
        "log": write_log,
    }

    @classmethod
    def parse(cls, texts: Iterable[str]) -> Self:
        """Parse requests as :meth:`FileRequests.parse`.

        Raises:
            GnomonError: also if the library for a format is not installed.
        """
        found = super().parse(texts)
        if "log" in dict(found.files) and find_spec("pyarrow") is None:
            raise GnomonError("--trace log= needs pyarrow: python -m pip install 'gnomon[trace]'")
        return found

    def write(self, run: Run, architecture: Architecture, program: Program) -> tuple[str, ...]:
        """Write every requested file; return notes on parts that are missing.

        Raises:
            GnomonError: if the run was not traced, or a file cannot be written.
        """
        notes = []
        if run.trace_cut:
            notes.append(
                f"recording ended at cycle {run.trace_windows[-1][1]}, at its limit; the run"
                " continued. --trace-window chooses another part, --trace-limit another limit"
            )
        for name, path in self.files:
            note = self.FORMATS[name](run, architecture, program, path)
            notes += [note] if isinstance(note, str) else []
        return tuple(notes)


def parse_window(text: str, program: Program, *, max_slots: int | None = None) -> TraceWindow:
    """Return the window that a text names.

    Texts: ``1000:2000``, ``multiply``, ``multiply@3``, ``0x80:0x90``.

    Raises:
        GnomonError: if the text is not a window, or the program has no such function.
    """
    place, at, which = text.partition("@")
    entry = 1 if not at else None if which == "all" else parse_digits(which) or 0
    if entry == 0:
        raise GnomonError(f"--trace-window {text}: @ needs a number from 1, or all")
    cycles = re.fullmatch(r"([0-9_]*):([0-9_]*)", place)
    if cycles and place != ":" and not at:
        first, end = (part.replace("_", "") for part in cycles.groups())
        bounds = parse_digits(first or "0"), parse_digits(end)
        if bounds[0] is None or (end and bounds[1] is None):
            raise GnomonError(f"--trace-window: a cycle has at most {MOST_DIGITS} digits")
        try:
            return TraceWindow(bounds[0], bounds[1], max_slots=max_slots)
        except GnomonError as error:
            raise GnomonError(f"--trace-window {text}: {error}") from None
    addresses = re.fullmatch(r"0[xX]([0-9a-fA-F]{1,8}):0[xX]([0-9a-fA-F]{1,8})", place)
    if addresses:
        region = Region("window", *(int(part, 16) for part in addresses.groups()))
    elif not place or ":" in place:
        raise GnomonError(f"--trace-window {text}: not a window; a window is {_WINDOWS}")
    else:
        try:
            region = Region("window", program.symbol(place).address)
        except GnomonError as error:
            raise GnomonError(f"--trace-window {text}: {error}; a window is {_WINDOWS}") from None
    return TraceWindow(region=region, entry=entry, max_slots=max_slots)
