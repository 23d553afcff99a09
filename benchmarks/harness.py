"""Harness of all benchmarks: CPU time, limits, one table and one JSON file.

CPU time, because elapsed time depends on the other users of a computer. The best of several
rounds, because every disturbance makes a run slower. Interleaved, so that a slow minute
does not affect one contender alone.
"""

import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final, TypeVar

import pandas as pd

from gnomon.arch import Architecture
from gnomon.base.console import console, table
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.frames import frame
from gnomon.program import Program
from gnomon.sim import Run, simulate, translated_blocks

Key = TypeVar("Key")

LEAST_TRANSLATED: Final = 200_000_000
"""Instructions after which a run has its blocks translated."""

_PART: Final = 8  # the first tier executes one part of so many


@dataclass(frozen=True, slots=True)
class Limit:
    """One promised limit. The figure must be below it or, if ``at_least``, not below it."""

    name: str
    unit: str
    measured: float
    limit: float
    at_least: bool = False

    @property
    def kept(self) -> bool:
        """Whether the measured figure meets the limit."""
        return self.measured >= self.limit if self.at_least else self.measured < self.limit

    def __str__(self) -> str:
        side = "at least" if self.at_least else "below"
        return f"{self.name}: {self.measured:.2f} {self.unit}, must be {side} {self.limit:g}"

    def to_json(self) -> dict[str, Any]:
        """Return JSON-compatible data."""
        return {**asdict(self), "kept": self.kept}


@dataclass(slots=True)
class Found:
    """Results of benchmarks: tables by name, and limits with their figures."""

    tables: dict[str, pd.DataFrame] = field(default_factory=dict)
    limits: list[Limit] = field(default_factory=list)

    def add(self, name: str, rows: Sequence[Mapping[str, Any]], limits: Sequence[Limit]) -> None:
        """Add a table, a mapping per row, and limits."""
        if rows:
            self.tables[name] = frame(list(rows[0]), [list(row.values()) for row in rows])
        self.limits += limits

    def to_json(self) -> dict[str, Any]:
        """Return all figures as JSON-compatible data, with a description of the host."""
        tables = {name: each.to_dict("records") for name, each in self.tables.items()}
        return {**environment(), **tables, "limits": [limit.to_json() for limit in self.limits]}

    def show(self) -> None:
        """Print every table, then the limits."""
        out = console()
        for name, rows in self.tables.items():
            texts = sum(isinstance(value, str) for value in rows.iloc[0])
            shown = table(f"{name}, CPU time", texts, *(str(c).replace("_", " ") for c in rows))
            for row in rows.itertuples(index=False, name=None):
                shown.add_row(*map(_figure, row))
            out.print(shown)
        shown = table("limits", 1, "what", "measured", "limit", "")
        for limit in self.limits:
            side = f"{'≥' if limit.at_least else '<'} {limit.limit:g} {limit.unit}"
            measured = f"{limit.measured:.2f} {limit.unit}"
            shown.add_row(limit.name, measured, side, "kept" if limit.kept else "NOT KEPT")
        out.print(shown)


def _figure(value: object) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if value >= 100 else f"{value:,.3g}"
    return "-" if value is None else str(value)


def cpu_of_call(call: Callable[[], object]) -> float:
    """Return the CPU seconds of one call in this process."""
    start = time.process_time()
    call()
    return time.process_time() - start


def cpu_of_child(
    command: Sequence[str], environment: Mapping[str, str] | None = None
) -> tuple[float, bytes]:
    """Return the CPU seconds, user and system, of one command, and its standard output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=environment, check=False, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        text = done.stderr.decode(errors="replace").strip()
        raise GnomonError(f"{' '.join(command)}: exit code {done.returncode}: {text}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def tasks_of_tiers(
    program: Program, machine: Architecture
) -> tuple[Run, dict[str, Callable[[], float]]]:
    """Return a run, and the tasks that time it in both tiers: CPU seconds of all its instructions.

    Raises:
        CheckFailed: if the run is too short to have its blocks translated.
    """
    engine = partial(simulate, program, machine)
    run = engine()  # compiles the blocks, which later runs find in the cache
    issued = sum(each.issued for each in run.harts)
    if issued < LEAST_TRANSLATED:
        raise CheckFailed(f"{program.name}: executes {issued:,} instructions, and blocks are"
                          f" translated after {LEAST_TRANSLATED:,}")  # fmt: skip
    part = partial(engine, max_cycles=run.wall_cycles // _PART)

    def alone() -> float:
        with translated_blocks("off"):
            return _PART * cpu_of_call(part)

    return run, {"tier 1": alone, "tier 2": partial(cpu_of_call, engine)}


def users_environment(**variables: str) -> dict[str, str]:
    """Return the environment of a child with this import path that starts as a user's process.

    If Python may not cache bytecode, as on many CI systems, every start compiles a hundred
    modules again, which does not happen for a user.
    """
    folders = (str(Path.cwd()), os.environ.get("PYTHONPATH"))
    path = os.pathsep.join(folder for folder in folders if folder)
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPATH": path} | variables


def best_of(tasks: Mapping[Key, Callable[[], float]], rounds: int) -> dict[Key, float]:
    """Run all tasks in turn, ``rounds`` times; the shortest time of each, as they tell it."""
    best = dict.fromkeys(tasks, float("inf"))
    for number in range(rounds):
        for key, task in tasks.items():
            print(f"round {number + 1} of {rounds}: {key}", file=sys.stderr)
            best[key] = min(best[key], task())
    return best


def version_of(package: str) -> str | None:
    """Return the version of an installed package, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def environment() -> dict[str, Any]:
    """Return the host and the versions that affect the figures."""
    from benchmarks.speed import qemu_version

    versions = {"python": platform.python_version()}
    versions |= {name: version(name) for name in ("numpy", "ziglang")}
    qemu = qemu_version()
    if qemu is not None:
        versions["qemu"] = qemu
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    processor = names[0] if names else platform.machine()
    return {"processor": processor, "processors": os.cpu_count(), "versions": versions}
