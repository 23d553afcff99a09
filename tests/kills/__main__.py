"""Long commands killed at random times and run again: ``python -m tests.kills --count N``.

Each result must be equal to that of an undisturbed run, to the byte, and nothing that
needs a hand may be left. ``--record FILE`` adds to the counts of a CSV file. Each command is a copy
of this process, which has imported all: what is killed is work, and not the start of Python.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import os
import pkgutil
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing.context import ForkProcess
from pathlib import Path

import gnomon

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "tests" / "reference" / "t13x" / "programs" / "p05.elf"
SWEEP = """\
schema: 1
name: kills
kernel: add
arch: t13-simd1
axes: {variant: [scalar, vector], n: [2, 4, 6], vcu.simd: [1, 2, 4]}
objectives: [minimize time]
"""
CORE = """\
schema: 1
name: tiny
source: the tests
sources: [{core}]
top: tiny_pico
clock: clk
reset: {{signal: rst, active: high}}
bus: pico
isa: rv32i
reset-pc: 0
"""
COMMANDS = {
    "compile": ["run", str(PROGRAM), "--arch", "t13", "--json"],
    "sweep": ["sweep", "sweep.yaml", "--jobs", "2", "--out", "OUT"],
    "study": ["study", "--out", "OUT"],
    "experiment": ["experiment", "ares", "--size", "small", "--out", "OUT"],
    "report": ["report", "area", "--out", "OUT"],
    "build": ["build", "program.c", "--arch", "t13-simd2", "--output", "OUT/program.elf"],
    "calibrate": ["calibrate", "core.yaml", "--out", "OUT/tiny.yaml"],
}
NEEDS = {"calibrate": "iverilog"}
"""Programs without which a command cannot run."""

COLUMNS = ("killed", "ended before", "changed", "left over")
FROM_SCRATCH = {
    "compile": "native",
    "sweep": "sweep",
    "study": "program",
    "experiment": "experiment",
    "report": "sweep",
    "build": "program",
    "calibrate": "sweep",
}
"""What of the cache is gone when a command begins; what it builds programs with stays."""


class _Place:
    """A folder with a cache for one command."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder, self.cache = name, folder, folder / "cache"
        (folder / "sweep.yaml").write_text(SWEEP)
        core = ROOT / "tests" / "calibrate" / "tiny.v"
        (folder / "core.yaml").write_text(CORE.format(core=core))
        shutil.copyfile(ROOT / "examples" / "scale_add.c", folder / "program.c")

    def start(self) -> ForkProcess:
        """The command, its stdout in a file of its results."""
        out = self.folder / "out"
        out.mkdir(exist_ok=True)
        words = [str(out) if word == "OUT" else word for word in COMMANDS[self.name]]
        process = multiprocessing.get_context("fork").Process(target=self._be, args=(words,))
        process.start()
        return process

    def _be(self, words: list[str]) -> None:
        os.setsid()  # what it starts is killed with it
        os.chdir(self.folder)
        os.environ["GNOMON_CACHE"] = str(self.cache)
        for number, file in ((1, self.folder / "out" / "stdout"), (2, Path(os.devnull))):
            os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.argv = ["gnomon", *words]
        importlib.import_module("gnomon.cli").main()

    def clear(self) -> None:
        """Before a run that has all to do."""
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        shutil.rmtree(self.cache / FROM_SCRATCH[self.name], ignore_errors=True)

    def finish(self) -> dict[str, bytes]:
        """Run it to its end: files and their bytes; what it says of counts is not a result."""
        process = self.start()
        process.join()
        assert process.exitcode == 0, f"{self.name}: exit code {process.exitcode}"
        out = self.folder / "out"
        there = {str(path.relative_to(out)): path for path in out.rglob("*") if path.is_file()}
        if self.name != "compile":
            del there["stdout"]
        return {name: path.read_bytes() for name, path in there.items() if ".lock" not in name}


def kills(name: str, count: int, seed: int) -> Iterator[Counter[str]]:
    """Kill one command ``count`` times, a new process each time."""
    choice = random.Random(f"{name} {seed}")
    with tempfile.TemporaryDirectory() as temporary:
        place = _Place(name, Path(temporary))
        place.finish()
        place.clear()
        begun = time.monotonic()
        whole = place.finish()
        took = time.monotonic() - begun
        for _ in range(count):
            place.clear()
            process = place.start()
            process.join(choice.uniform(0, took))
            ends = Counter({"killed" if process.is_alive() else "ended before": 1})
            if process.is_alive():
                _kill(process)
            again = place.finish()
            ends["left over"] += any("aside" in each for each in again)
            again = {each: data for each, data in again.items() if "aside" not in each}
            ends["changed"] += again != whole
            yield ends


def _kill(process: ForkProcess) -> None:
    assert process.pid is not None
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:  # it has no group of its own yet
        process.kill()
    process.join()


def import_all() -> None:
    """Import what commands would import, so that a copy of this process begins with its work."""
    for module in pkgutil.walk_packages(gnomon.__path__, "gnomon."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.kills", description=__doc__)
    parser.add_argument("--count", type=int, default=3, help="kills of each command")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--command", choices=COMMANDS, action="append", help="all, if not given")
    parser.add_argument("--record", type=Path)
    options = parser.parse_args()
    import_all()
    told = {name: Counter[str]() for name in COMMANDS}
    if options.record and options.record.exists():
        for line in options.record.read_text().splitlines()[1:]:
            name, *counts = line.split(",")
            told[name].update(dict(zip(COLUMNS, map(int, counts), strict=True)))
    for name in options.command or COMMANDS:
        for ends in kills(name, options.count, options.seed + sum(told[name].values())):
            told[name] += ends
            lines = [",".join([each, *(str(told[each][c]) for c in COLUMNS)]) for each in told]
            text = "\n".join([",".join(("command", *COLUMNS)), *lines]) + "\n"
            if options.record:
                options.record.write_text(text)
        print(text, flush=True)
    return 1 if any(each["changed"] or each["left over"] for each in told.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
