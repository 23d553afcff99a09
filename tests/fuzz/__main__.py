"""Damaged inputs of every format: ``python -m tests.fuzz --count N``.

Each batch is a process of its own, with a limit on memory, watched from outside: an engine in C
that hangs, or a signal that ends it, is seen as well. What goes wrong is kept in a folder.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import selectors
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.fuzz._attempt import attempt, make
from tests.fuzz._formats import FORMATS

MEMORY_BYTES = 1 << 30
BATCH = 250
_SHOWN = 2  # of a batch's inputs that end in the same way


def _worker(name: str, first: int, count: int) -> None:
    """One line of stdout before each input, one after."""
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for seed in range(first, first + count):
            out.write(f"{seed} begins\n")
            data = make(name, seed)
            end = attempt(name, data, Path(folder))
            most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            if end[:3] != "bad" and (most - before) * 1024 > MEMORY_BYTES:
                end, before = f"bad: memory grew by {(most - before) >> 10} MiB", most
            out.write(f"{seed} {end.splitlines()[0]}\n")


def _batch(name: str, first: int, count: int, kept: Path, hang_s: float) -> Counter[str]:
    """A batch, begun again behind an input that ended its process."""
    ends: Counter[str] = Counter()
    seed = first
    while seed < first + count:
        command = [sys.executable, "-m", "tests.fuzz", "--worker", name, str(seed)]
        process = subprocess.Popen(
            [*command, str(first + count - seed)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert process.stdout is not None
        running, buffered = True, b""
        watch = selectors.DefaultSelector()
        watch.register(process.stdout, selectors.EVENT_READ)
        at = seed
        while True:
            if not watch.select(hang_s if running else hang_s * 6):
                process.kill()
                process.wait()
                seed = _note(ends, kept, name, at, "bad: hang")
                break
            chunk = os.read(process.stdout.fileno(), 1 << 16)
            if not chunk:
                code = process.wait()
                if at + 1 < first + count or code:
                    seed = _note(ends, kept, name, at, f"bad: process ended with {code}")
                else:
                    seed = first + count
                break
            *lines, buffered = (buffered + chunk).split(b"\n")
            for line in lines:
                number, _, end = line.decode().partition(" ")
                at, running = int(number), end == "begins"
                if not running:
                    _note(ends, kept, name, at, end)
    return ends


def _note(ends: Counter[str], kept: Path, name: str, seed: int, end: str) -> int:
    kind, _, detail = end.partition(": ")
    ends[kind] += 1
    if kind == "bad":
        way = re.sub(r"/\S+|\d+", "", detail)
        ends[way] += 1
        if ends[way] <= _SHOWN:
            print(f"{name} {seed}: {detail}", flush=True)
        place = kept / name
        place.mkdir(parents=True, exist_ok=True)
        (place / str(seed)).write_bytes(make(name, seed))
    return seed + 1


def _table(ends: dict[str, Counter[str]]) -> str:
    kinds = ("ok", "no", "refused", "bad")
    rows = [
        f"| {name} | {' | '.join(f'{of[kind]:,}' for kind in kinds)} |" for name, of in ends.items()
    ]
    total = sum(ends.values(), Counter())
    rows.append(f"| all | {' | '.join(f'{total[kind]:,}' for kind in kinds)} |")
    return "\n".join([f"| format | {' | '.join(kinds)} |", "|---|--:|--:|--:|--:|", *rows])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="inputs of each format")
    parser.add_argument("--first", type=int, default=0, help="seed of the first one")
    parser.add_argument("--format", choices=FORMATS, action="append", help="all, if not given")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--hang", type=float, default=20.0, help="seconds that one may take")
    parser.add_argument(
        "--kept", type=Path, default=Path("out/fuzz"), help="inputs that went wrong"
    )
    parser.add_argument(
        "--worker", nargs=3, metavar=("FORMAT", "SEED", "COUNT"), help=argparse.SUPPRESS
    )
    options = parser.parse_args()
    if options.worker:
        _worker(options.worker[0], int(options.worker[1]), int(options.worker[2]))
        return 0
    ends = {}
    kept = options.kept.resolve()
    with ThreadPoolExecutor(options.jobs) as pool:
        for name in options.format or FORMATS:
            last = options.first + options.count
            batches = [
                pool.submit(_batch, name, seed, min(BATCH, last - seed), kept, options.hang)
                for seed in range(options.first, last, BATCH)
            ]
            ends[name] = sum((each.result() for each in batches), Counter())
    print(_table(ends))
    return 1 if any(each["bad"] for each in ends.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
