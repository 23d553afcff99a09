"""Finds signals that several copies of one process drive, so that simulation makes them X.

In VHDL a process that assigns ``S(h)``, h a variable, drives every element of S. Inside a
``for ... generate`` each copy of the process then has a driver of its own on all of them. Synthesis
may see disjoint elements; simulation resolves the drivers, to X. In T13x this is the mask of the
shift unit, which is used with replicated accelerators.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.rtl.klessydra._entity import read_vhdl, without_comments

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_GENERATE = re.compile(
    r"^[ \t]*(\w+)\s*:\s*for\s+\w+\s+in\s+[^;]+?\bgenerate\b", re.IGNORECASE | re.MULTILINE
)
_PROCESS = re.compile(r"\bprocess\b.*?\bend\s+process\b", re.IGNORECASE | re.DOTALL)
_VARIABLE = re.compile(r"\bvariable\s+(\w+)\s*:\s*(?:integer|natural)\b", re.IGNORECASE)
_OPENS = re.compile(r"\s*(?:begin|signal|constant|attribute)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SharedDriver:
    """A signal, the generate statement whose copies all drive it, and where that begins.

    ``subtype`` is as declared; ``offset`` is where the body of the generate starts in the text.
    """

    path: Path
    line: int
    signal: str
    subtype: str
    label: str
    offset: int

    def __str__(self) -> str:
        return (
            f"{self.path}:{self.line}: each copy of generate {self.label} drives all of"
            f" {self.signal}, which simulates to X where there are several. Declared inside the"
            " generate, every copy has its own, as synthesis makes it; --scratch-edits does this"
            " to a copy of the file, never to yours."
        )


def shared_drivers(paths: Iterable[Path]) -> tuple[SharedDriver, ...]:
    """All such signals of some VHDL files that could be declared inside their generate."""
    return tuple(found for path in paths for found in _of_file(path))


def _of_file(path: Path) -> Iterator[SharedDriver]:
    text = without_comments(read_vhdl(path))
    for match in _GENERATE.finditer(text):
        end = re.search(rf"\bend\s+generate\s+{match[1]}\b", text[match.end() :], re.IGNORECASE)
        if end is None or _OPENS.match(text, match.end()):
            continue
        body = text[match.end() : match.end() + end.start()]
        outside = text[: match.end()] + text[match.end() + end.start() :]
        for name in sorted(_assigned(body)):
            declared = re.findall(rf"\bsignal\s+{name}\s*:\s*([^;]+);", outside, re.IGNORECASE)
            uses = len(re.findall(rf"\b{name}\b", outside, re.IGNORECASE))
            if len(declared) == 1 and uses == 1:
                line = text.count("\n", 0, match.start(1)) + 1
                subtype = " ".join(declared[0].split())
                yield SharedDriver(path, line, name, subtype, match[1], match.end())


def _assigned(body: str) -> set[str]:
    """Signals that a process of the body assigns at a variable index."""
    names: set[str] = set()
    for process in _PROCESS.findall(body):
        for variable in _VARIABLE.findall(process):
            names |= set(
                re.findall(
                    rf"^\s*(\w+)\(\s*{variable}\s*\)[^;=]*<=", process, re.IGNORECASE | re.MULTILINE
                )
            )
    return names
