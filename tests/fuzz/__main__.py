"""Damaged inputs of every format: ``python -m tests.fuzz --count N``.

Each batch is a process of its own, with a limit on memory, watched from outside: an engine in C
that hangs, or a signal that ends it, is seen as well. A hang is judged by processor time, which
other work on the computer does not change. What goes wrong is kept in a folder.

``--record FILE`` continues where the file's counts end, and adds to them; ``--again`` tries what
went wrong once more. The table of docs/method/robustness.md is made
of ``reports/validation/fuzz/inputs.csv``.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import selectors
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from tests.fuzz._attempt import attempt, make
from tests.fuzz._formats import FORMATS
from tests.fuzz._record import KINDS, read_record, table, write_record

MEMORY_BYTES = 1 << 30
BATCH = 4000  # of which the start of a process takes a tenth of the time
_WALL = 30  # times the processor time that one may take: it waits for what never comes
_SHOWN = 2  # of a batch's inputs that end in the same way


def _worker(name: str, first: int, count: int, hang_s: float) -> None:
    """One line of stdout before each input, one after."""
    out = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for seed in range(first, first + count):
            out.write(f"{seed} begins\n")
            data = make(name, seed)
            before = _most_kib(reset=True)
            used = resource.getrusage(resource.RUSAGE_SELF)
            limit = int(used.ru_utime + used.ru_stime + hang_s) + 1
            resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
            end = attempt(name, data, Path(folder))
            grown = (_most_kib() - before) << 10
            if end[:3] != "bad" and grown > MEMORY_BYTES:
                end = f"bad: memory grew by {grown >> 20} MiB"
            out.write(f"{seed} {end.splitlines()[0]}\n")


def _most_kib(*, reset: bool = False) -> int:
    """The most memory that this process has held since the last reset."""
    if reset:
        with suppress(OSError):  # Linux alone can do this; elsewhere it is since the beginning
            Path("/proc/self/clear_refs").write_text("5")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def batch(name: str, first: int, count: int, kept: Path, hang_s: float) -> Counter[str]:
    """Run a batch, begun again after an input that ended its process; return how inputs ended.

    What went wrong is counted by its way as well, and its inputs are kept in a folder.
    """
    ends: Counter[str] = Counter()
    seed = first
    while seed < first + count:
        command = [sys.executable, "-m", "tests.fuzz", "--hang", str(hang_s), "--worker", name]
        with (
            subprocess.Popen(
                [*command, str(seed), str(first + count - seed)],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            ) as process,
            selectors.DefaultSelector() as watch,
        ):
            seed = _follow(process, watch, ends, kept, name, range(seed, first + count), hang_s)
    return ends


def _follow(
    process: subprocess.Popen[bytes], watch: selectors.BaseSelector, ends: Counter[str],
    kept: Path, name: str, seeds: range, hang_s: float,
) -> int:  # fmt: skip
    """Note how the inputs of one process end; return the seed of the next process."""
    assert process.stdout is not None
    watch.register(process.stdout, selectors.EVENT_READ)
    buffered, at = b"", seeds.start
    while True:
        if not watch.select(hang_s * _WALL):
            process.kill()
            return _note(ends, kept, name, at, "bad: hang")
        chunk = os.read(process.stdout.fileno(), 1 << 16)
        if not chunk:
            code = process.wait()
            if code == -signal.SIGXCPU:
                return _note(ends, kept, name, at, "bad: hang")
            if at + 1 < seeds.stop or code:
                return _note(ends, kept, name, at, f"bad: process ended with {code}")
            return seeds.stop
        *lines, buffered = (buffered + chunk).split(b"\n")
        for line in lines:
            number, _, end = line.decode().partition(" ")
            at = int(number)
            if end != "begins":
                _note(ends, kept, name, at, end)


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


def _again(name: str, kept: Path, hang_s: float, of: Counter[str]) -> None:
    """Try what once went wrong with the code of today."""
    for path in sorted((kept / name).glob("*")):
        seed = int(path.name)
        ends = batch(name, seed, 1, kept, hang_s)
        (kind,) = (kind for kind in KINDS if ends[kind])
        if kind != "bad" and of["bad"]:
            of.update({kind: 1, "bad": -1})
            path.unlink()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="inputs of each format")
    parser.add_argument("--first", type=int, default=0, help="seed of the first one")
    parser.add_argument("--format", choices=FORMATS, action="append", help="all, if not given")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--hang", type=float, default=20.0, help="CPU seconds that one may take")
    parser.add_argument(
        "--kept", type=Path, default=Path("out/fuzz"), help="inputs that went wrong"
    )
    parser.add_argument("--record", type=Path, help="a CSV file of counts to go on with")
    parser.add_argument("--again", action="store_true", help="try what went wrong once more")
    parser.add_argument(
        "--worker", nargs=3, metavar=("FORMAT", "SEED", "COUNT"), help=argparse.SUPPRESS
    )
    options = parser.parse_args()
    if options.worker:
        _worker(options.worker[0], *map(int, options.worker[1:]), options.hang)
        return 0
    kept = options.kept.resolve()
    record = options.record.resolve() if options.record else None
    ends = read_record(record) if record else {}
    with ThreadPoolExecutor(options.jobs) as pool:
        for name in options.format or FORMATS:
            of = ends.setdefault(name, Counter())
            if options.again:
                _again(name, kept, options.hang, of)
            first = options.first + sum(of[kind] for kind in KINDS)
            batches = [
                pool.submit(batch, name, seed, min(BATCH, last - seed), kept, options.hang)
                for last in [options.first + options.count]
                for seed in range(first, last, BATCH)
            ]
            for part in batches:  # in order: what is recorded has no holes
                new = Counter({kind: part.result()[kind] for kind in KINDS})
                of.update(new, found=new["bad"])
                if record:
                    write_record(record, ends)
            if record:
                write_record(record, ends)
    print(table(ends))
    return 1 if any(each["bad"] for each in ends.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
