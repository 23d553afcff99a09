"""Seeded bugs in gnomon's RTL: a patch each, with the bench that must catch it."""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

_NAMED = re.compile(r"^\+\+\+ b/rtl_tests/hdl/(\S+)$", re.MULTILINE)
_HUNK = re.compile(r"^@@ .*$\n", re.MULTILINE)


@dataclass(frozen=True)
class Mutant:
    """Seeded bug. ``bench``: name of bench and design; ``what``: description of the bug."""

    name: str
    bench: tuple[str, ...]
    what: str
    patch: str


def read_mutant(path: Path) -> Mutant:
    """Read a patch with its two lines of head."""
    head, _, patch = path.read_text(encoding="utf-8").partition("\n\n")
    told = dict(line.split(": ", 1) for line in head.splitlines())
    return Mutant(path.stem, tuple(told["bench"].split()), told["what"], patch)


def plant(mutant: Mutant, hdl: Path, folder: Path) -> Path:
    """Copy the SystemVerilog of ``hdl`` to ``folder`` with the bug in it."""
    shutil.copytree(hdl, folder)
    (name,) = _NAMED.findall(mutant.patch)
    path = folder / name
    text = path.read_text(encoding="utf-8")
    for hunk in _HUNK.split(mutant.patch)[1:]:
        lines = hunk.splitlines(keepends=True)
        before = "".join(line[1:] for line in lines if line[0] in " -")
        after = "".join(line[1:] for line in lines if line[0] in " +")
        assert text.count(before) == 1, f"{mutant.name}: does not fit {name} any more"
        text = text.replace(before, after)
    path.write_text(text, encoding="utf-8")
    return folder
