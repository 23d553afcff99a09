"""Long commands killed at random times and run again: ``python -m tests.kills --count N``.

Each result must be equal to that of a run that nobody disturbed, to the byte, and nothing that
needs a hand may be left. ``--record FILE`` adds to the counts of a CSV file.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

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
COMMANDS = {
    "compile": ["run", str(PROGRAM), "--arch", "t13", "--json"],
    "sweep": ["sweep", "sweep.yaml", "--jobs", "2", "--out", "OUT"],
    "experiment": ["experiment", "softucb", "--size", "small", "--out", "OUT"],
    "report": ["report", "area", "--out", "OUT"],
}
COLUMNS = ("killed", "ended before", "changed", "left over")
FROM_SCRATCH = {
    "compile": "native",
    "sweep": "sweep",
    "experiment": "experiment",
    "report": "sweep",
}
"""What of the cache is gone when a command begins; what it builds programs with stays."""


class _Place:
    """A folder with a cache for one command."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder, self.cache = name, folder, folder / "cache"
        (folder / "sweep.yaml").write_text(SWEEP)

    def start(self) -> subprocess.Popen[bytes]:
        """The command, its stdout in a file of its results."""
        out = self.folder / "out"
        out.mkdir(exist_ok=True)
        words = [str(out) if word == "OUT" else word for word in COMMANDS[self.name]]
        with (out / "stdout").open("wb") as stdout:
            return subprocess.Popen(
                [sys.executable, "-c", "from gnomon.cli import main; main()", *words],
                cwd=self.folder, stdout=stdout, stderr=subprocess.DEVNULL, start_new_session=True,
                env=os.environ | {"PYTHONPATH": str(ROOT), "GNOMON_CACHE": str(self.cache)},
            )  # fmt: skip

    def clear(self) -> None:
        """Before a run that has all to do."""
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        shutil.rmtree(self.cache / FROM_SCRATCH[self.name], ignore_errors=True)

    def finish(self) -> dict[str, bytes]:
        """Run it to its end: files and their bytes; what it says of counts is not a result."""
        code = self.start().wait()
        assert code == 0, f"{self.name}: exit code {code}"
        out = self.folder / "out"
        there = {str(path.relative_to(out)): path for path in out.rglob("*") if path.is_file()}
        if self.name != "compile":
            del there["stdout"]
        return {name: path.read_bytes() for name, path in there.items() if ".lock" not in name}


def kills(name: str, count: int, seed: int) -> Counter[str]:
    """Kill one command so many times, each time anew."""
    ends: Counter[str] = Counter()
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
            time.sleep(choice.uniform(0, took))
            ends["ended before" if process.poll() is not None else "killed"] += 1
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            again = place.finish()
            ends["left over"] += any("aside" in each for each in again)
            again = {each: data for each, data in again.items() if "aside" not in each}
            ends["changed"] += again != whole
    return ends


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.kills", description=__doc__)
    parser.add_argument("--count", type=int, default=3, help="kills of each command")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--command", choices=COMMANDS, action="append", help="all, if not given")
    parser.add_argument("--record", type=Path)
    options = parser.parse_args()
    told = {name: Counter[str]() for name in COMMANDS}
    if options.record and options.record.exists():
        for line in options.record.read_text().splitlines()[1:]:
            name, *counts = line.split(",")
            told[name].update(dict(zip(COLUMNS, map(int, counts), strict=True)))
    for name in options.command or COMMANDS:
        told[name] += kills(name, options.count, options.seed + sum(told[name].values()))
        lines = [",".join([each, *(str(told[each][c]) for c in COLUMNS)]) for each in told]
        text = "\n".join([",".join(("command", *COLUMNS)), *lines]) + "\n"
        print(text, flush=True)
        if options.record:
            options.record.write_text(text)
    return 1 if any(each["changed"] or each["left over"] for each in told.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
