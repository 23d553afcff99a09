"""Inputs that once did harm, each made of a few characters: an orderly end, soon, in little memory.

``corpus`` has those that are bytes.
"""

from __future__ import annotations

import time
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from tests.fuzz._attempt import attempt
from tests.fuzz._formats import FORMATS
from tests.fuzz._samples import ACTIVITY, BUDGET, POINTS, PROGRAM

if TYPE_CHECKING:
    from pathlib import Path

DIGITS = "9" * 5_000
DEEP = "[" * 100_000
ALIASES = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
BASELINE = '{"schema": 1, "checks": {"it": {"of": {}, "build": "", "metrics": {"a": %s}}}}'
TEXTS = {
    "trace-csv": (f"kernel,shape\n{'x' * 140_000},4\n", f"kernel,shape\ndot,{DIGITS[:4_400]}\n"),
    "trace-jsonl": (DEEP, f'{{"kernel": "dot", "shape": [{DIGITS}]}}'),
    "activity": (f"point,{'x' * 140_000}\na,1\n", ACTIVITY + "e,1\n", f"point,alu\na,{DIGITS}\n"),
    "points": (POINTS + "e\n", f"point,power_mw\na,{'1' * 140_000}\n"),
    "platform": ("schema: 2001-99-99\n", "schema: !!int x\n", f"a: {DEEP}\n",
                 f"schema: {DIGITS[:400]}\n", ALIASES),
    "power-table": (ALIASES, f"schema: {DIGITS}\n", "{a: " * 5_000),
    "machine": (ALIASES, f"name: {DIGITS}\n", f"name: {DEEP}\n", '"\\e]0;owned\\a": 1\n',
                "x" * 3_600_000),
    "sweep": (f"constraints: [cycles <= {DIGITS}]\n", f"constraints: [cycles <= 1e{DIGITS}]\n",
              f"constraints: ['cycles <= 1{' ' * 100_000}x y']\n"),
    "budget": (f"program: {'x' * 300}\n", f"schema: {DIGITS}\n",
               BUDGET.format(program="x" * 300), BUDGET.format(program=DIGITS),
               BUDGET.replace("wall_cycles <= baseline", "x" * 150_000).format(program=PROGRAM)),
    "deploy": (f"require: ['p99 <= 1{' ' * 100_000}x y']\n",),
    "baseline": (DEEP, BASELINE % DIGITS, BASELINE % "1e999", BASELINE % DEEP),
    "click-r6a": (f"{DIGITS} 1 0 |user 1:1 |1 1:1\n", f"1 1 {DIGITS} |user 1:{DIGITS} |1 1:1\n"),
    "open-bandit": (",timestamp,item_id,position,click,propensity_score\n0,t," + "x" * 140_000,),
    "vcd": ("$\x1b[31m $end\n", f"$timescale {DIGITS} ns $end\n"),
    "trace-window": (f"0:{DIGITS}", f"{DIGITS}:1", f"start@{DIGITS}"),
    "explain": (DIGITS, f"reports/paper/cells.csv:{DIGITS}:ours", f"power.{'x' * 100_000}"),
    "set": ("\x1b[31mvcu=1", "core.harts=3\udcc2", f"core.harts={DIGITS}",
            f"core.harts={DEEP}", "a." * 50_000),
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text"),
    [(name, text) for name, texts in TEXTS.items() for text in texts],
    ids=[f"{name}-{n}" for name, texts in TEXTS.items() for n in range(len(texts))],
)
def test_a_hostile_text(
    name: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    begun = time.process_time()
    end = attempt(name, text.encode("utf-8", "surrogateescape"), tmp_path)
    assert end in ("refused", "ok"), end
    assert time.process_time() - begun < 10


def test_names_of_functions_are_shown_without_their_escapes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of an ELF file are whatever its maker likes."""
    monkeypatch.chdir(tmp_path)
    data = PROGRAM.read_bytes()
    assert data.count(b"\0fin\0") == 1
    hostile = data.replace(b"\0fin\0", b"\0\x1b[J\0")
    for name in ("elf", "elf-profile", "elf-trace"):
        assert attempt(name, hostile, tmp_path) == "ok"


def test_sizes_are_checked_before_they_are_allocated(tmp_path: Path) -> None:
    small = FORMATS["saved-learner"].samples()[0]
    assert attempt("saved-learner", small, tmp_path) == "ok"
    tracemalloc.start()
    try:
        end = attempt("saved-learner", _with_shape(small, 1 << 40), tmp_path)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert end == "refused"
    assert most < 64 << 20


def _with_shape(archive: bytes, length: int) -> bytes:
    """Every array says that it is so long, and is not."""
    import io
    import re
    import zipfile

    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            member = old.read(name)
            if name.endswith(".npy"):
                size = int.from_bytes(member[8:10], "little")
                head = re.sub(rb"'shape': \([^)]*\)", b"'shape': (%d,)" % length, member[10:])
                head = head[:size].rstrip().ljust(size - 1) + b"\n"
                member = member[:10] + head[:size] + member[10 + size :]
            new.writestr(name, member)
    return made.getvalue()
