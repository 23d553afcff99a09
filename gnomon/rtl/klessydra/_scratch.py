"""No-op edits to a scratch copy of the user's sources, for simulators that reject them.

Made only on request, in the work folder; the user's files are never written. Two edits are known,
both of the kind that changes no meaning: a choice of an aggregate written as a range, and a signal
declared inside the generate statement whose copies drive it. No edit adds or removes a line, so
line numbers stay those of the user's file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.rtl.klessydra._drivers import shared_drivers
from gnomon.rtl.klessydra._entity import encoding_of, read_vhdl

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from gnomon.rtl.klessydra._advice import Rejection


@dataclass(frozen=True, slots=True)
class Edit:
    """One changed line of a copy, with the user's file and line."""

    path: Path
    line: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:\n  - {self.before.strip()}\n  + {self.after.strip()}"


class ScratchCopy:
    """Copies of some files, under numbered folders so that equal names do not meet."""

    def __init__(self, paths: Sequence[Path], folder: Path) -> None:
        self.original: dict[Path, Path] = {}
        for number, path in enumerate(paths):
            copy = folder / f"{number:03}" / path.name
            copy.parent.mkdir(parents=True, exist_ok=True)
            # One byte per character both ways: comments may hold anything.
            copy.write_bytes(path.read_bytes())
            self.original[copy] = path
        self.edits: list[Edit] = []

    @property
    def paths(self) -> tuple[Path, ...]:
        """The copies, in the order of the originals."""
        return tuple(self.original)

    def own_drivers(self) -> None:
        """Give every copy of a generate its own signal where all copies drive one."""
        for found in reversed(shared_drivers(self.paths)):  # from the end: offsets stay right
            text = read_vhdl(found.path)
            declaration = f" signal {found.signal} : {found.subtype}; begin"
            self._write(found.path, text[: found.offset] + declaration + text[found.offset :])

    def choice_as_range(self, rejection: Rejection) -> bool:
        """Write the choice that was rejected as a range, wherever it is compared with.

        Returns:
            Whether anything was changed.
        """
        copy = next((each for each in self.paths if each == rejection.path), None)
        if copy is None:
            return False
        line = read_vhdl(copy).splitlines()[rejection.line - 1]
        name = re.match(r"\w+", line[rejection.column - 1 :])
        if name is None:
            return False
        compared = re.compile(rf"(=\s*\(\s*){name[0]}(\s*=>\s*'[01]'\s*\))", re.IGNORECASE)
        as_range = rf"\g<1>{name[0]}'high downto {name[0]}'low\g<2>"
        changed = False
        for path in self.paths:
            text = read_vhdl(path)
            edited = "\n".join(
                self._outside_comment(compared, as_range, row) for row in text.split("\n")
            )
            if edited != text:
                self._write(path, edited)
                changed = True
        return changed

    @staticmethod
    def _outside_comment(pattern: re.Pattern[str], replacement: str, row: str) -> str:
        code, dashes, comment = row.partition("--")
        return pattern.sub(replacement, code) + dashes + comment

    def _write(self, copy: Path, text: str) -> None:
        before, after = read_vhdl(copy).split("\n"), text.split("\n")
        for line, (old, new) in enumerate(zip(before, after, strict=True), start=1):
            if old != new:
                self.edits.append(Edit(self.original[copy], line, old, new))
        copy.write_bytes(text.encode(encoding_of(copy)))
