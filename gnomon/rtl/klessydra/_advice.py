"""What to do when a simulator rejects a file: messages that are known, and the way round them.

Known of GHDL 2.0.0 on klessydra/T13x c2c62163. Nothing is changed here; ``_scratch.py`` makes the
edits on request.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

AdviceKind = Literal["choice", "synopsys", "library", "crash", "other"]


@dataclass(frozen=True, slots=True)
class Rejection:
    """One place that the simulator does not take. ``advice`` is empty where none is known."""

    path: Path
    line: int
    column: int
    message: str
    kind: AdviceKind
    advice: str

    def __str__(self) -> str:
        text = f"{self.path}:{self.line}:{self.column}: {self.message}"
        return f"{text}\n  {self.advice}" if self.advice else text


_CRASH = re.compile(r"^(\S.*?) \((?P<path>[^():]+):(?P<line>\d+):(?P<column>\d+)\)\s*$")
_ERROR = re.compile(r"^(?P<path>[^\s:][^:]*):(?P<line>\d+):(?P<column>\d+):\s*(?:error:\s*)?(.*)$")
_WARNING = re.compile(r"^[^\s:][^:]*:\d+:\d+:\s*warning:")

_CHOICE = (
    "GHDL 2.0 cannot translate a comparison with an aggregate whose choice is a subtype, such as"
    " X = (accl_range => '0'). Write the choice as a range: (accl_range'high downto accl_range'low"
    " => '0') means the same. --scratch-edits does this to a copy of all files, never to yours."
)
_SYNOPSYS = (
    "The file uses a package of Synopsys in library ieee: give your simulator its option for it"
    " (GHDL: -fsynopsys, set here unless --ghdl-flag changed it)."
)
_LIBRARY = (
    "The library is not among the sources and not part of the simulator: add its files to your"
    " list, or compile it apart and point to it with --ghdl-flag=-PFOLDER."
)
_INTERNAL = (
    "The simulator stopped on a fault of its own at this place. Another version may take it;"
    " --ghdl PATH chooses one."
)


def rejections(output: str) -> tuple[Rejection, ...]:
    """The places a failed analysis names, in order, warnings aside."""
    found: list[Rejection] = []
    for line in output.splitlines():
        if _WARNING.match(line):
            continue
        crash = _CRASH.match(line)
        if crash is not None:
            choice = "cannot handle IIR_KIND_SIMPLE_NAME" in crash[1]
            kind: AdviceKind = "choice" if choice else "crash"
            found.append(_place(crash, crash[1], kind, _CHOICE if choice else _INTERNAL))
            continue
        error = _ERROR.match(line)
        if error is not None:
            kind, advice = _known(error[4])
            found.append(_place(error, error[4], kind, advice))
    return tuple(found)


def _known(message: str) -> tuple[AdviceKind, str]:
    if "synopsys package" in message:
        return "synopsys", _SYNOPSYS
    if re.search(r"(cannot find|no) (resource )?library|unit .* not found in library", message):
        return "library", _LIBRARY
    return "other", ""


def _place(match: re.Match[str], message: str, kind: AdviceKind, advice: str) -> Rejection:
    where = Path(match["path"]), int(match["line"]), int(match["column"])
    return Rejection(*where, message, kind, advice)
