"""One table of ratios: the engine and qemu, both tiers, toggles, start-up, re-timing, a sweep.

qemu-riscv32 runs the same C with the same flags and has no timing; both are timed in turn. A
start is compared with the imports it needs, whose time also follows the load of the host.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks.cases import CASES, Case
from benchmarks.harness import Found, Limit, best_of, cpu_of_call, cpu_of_child, users_environment
from benchmarks.retime import MAX_RECORDING_RUNS, MIN_MEGAEVENTS_PER_SECOND, MOST_CYCLES
from benchmarks.speed import engine_task, qemu_tasks, qemu_version
from benchmarks.start import CLI, MOST_FIRST_RUN_SECONDS, MOST_YARDSTICKS, YARDSTICK, start_seconds
from gnomon.arch import load_architecture
from gnomon.sim import record_path, simulate

_MACHINE = "t13-simd4"
_MATMUL, _MIX, _SCALAR3, *_VECTORS = (each for each in CASES if each.machine == _MACHINE)
_RECORDED = Case("vector3", _MACHINE, 20_000, sharing="shared")
_PRICED = "vcu.simd=8"
_PRICES = 20  # repetitions, as a sweep prices a path on its points
_SWEEP = Path(__file__).resolve().parents[1] / "examples" / "disjoint-1000.yaml"

_LEAST = {"matmul": 0.8, "mix": 0.8, "scalar3": 0.25}  # times qemu
_MOST_SWEEP = {"nothing kept": 25.0, "programs built": 3.0}  # seconds


def measure(found: Found, rounds: int) -> None:
    """Measure all ratios in one run."""
    rows: list[dict[str, Any]] = []
    limits: list[Limit] = []
    for part in (_speed, _toggles, _paths, _starts, _sweeps):
        for row, limit in part(rounds):
            rows.append(row)
            limits += [limit] if limit else []
    found.add("ratios", rows, limits)


_Rows = "Iterator[tuple[dict[str, Any], Limit | None]]"


def _row(
    what: str, figure: float, unit: str, ratio: float | None = None, to: str = ""
) -> dict[str, Any]:
    return {"what": what, "beside": to, "figure": figure, "unit": unit, "ratio": ratio}


def _speed(rounds: int) -> _Rows:
    """Measure programs on both tiers, and on qemu if installed."""
    tasks: dict[tuple[str, str], Callable[[], float]] = {}
    millions: dict[str, float] = {}
    if qemu_version() is None:
        print("qemu-riscv32 is not on PATH: ratios to it are left out", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="gnomon-") as folder:
        for case in (_MATMUL, _MIX, _SCALAR3, *_VECTORS):
            work, run, task = engine_task(case)
            cycles = work.cycles or 0
            millions[case.name] = (cycles if case.vector else work.instructions) / 1e6
            tasks[case.name, "both tiers"] = task

            def alone(task: Callable[[], float] = task) -> float:
                with patch.dict(os.environ, GNOMON_BLOCKS="off"):
                    return task()

            tasks[case.name, "first tier alone"] = alone
            if case.portable and qemu_version() is not None:
                whole, _ = qemu_tasks(work, run, Path(folder)).values()
                tasks[case.name, "qemu"] = whole
        seconds = best_of(tasks, rounds)
    rate = {key: millions[key[0]] / each for key, each in seconds.items()}
    for (name, who), each in rate.items():
        beside = "mix" if name == "mix" else "matmul"
        least = _LEAST.get(name) if who == "both tiers" else None
        vector = name.startswith("vector")
        qemu = None if vector or who == "qemu" else rate.get((beside, "qemu"))
        row = _row(
            f"{name}, {who}", each, "M cycles/s" if vector else "MIPS",
            each / qemu if qemu else None, f"qemu, {beside}" if qemu else "",
        )  # fmt: skip
        limit = Limit(f"{name}: times qemu's {beside}", "", each / qemu, least, at_least=True) if (
            qemu and least) else None  # fmt: skip
        yield row, limit


def _toggles(rounds: int) -> _Rows:
    """Measure counting operand toggles, which translated blocks do not support."""
    tasks: dict[tuple[str, bool], Callable[[], float]] = {}
    for case in (_MATMUL, _SCALAR3, *_VECTORS):
        program, machine = case.build(max(case.repeats // 10, 1)), case.architecture()
        for toggles in (False, True):
            run = partial(simulate, program, machine, toggles=0 if toggles else None)
            tasks[case.name, toggles] = partial(cpu_of_call, run)
    with patch.dict(os.environ, GNOMON_BLOCKS="off"):
        seconds = best_of(tasks, rounds)
    for (name, toggles), each in seconds.items():
        if toggles:
            ratio = each / seconds[name, False]
            yield _row(f"{name}, operand toggles", each, "s", ratio, "first tier alone"), None


def _paths(rounds: int) -> _Rows:
    """Measure recording a path, and pricing it on another machine."""
    program, machine = _RECORDED.build(), _RECORDED.architecture()
    record = partial(record_path, program, machine, [], max_cycles=MOST_CYCLES)
    path = record()
    there = load_architecture(_MACHINE, [_PRICED])

    def retimed() -> None:
        for _ in range(_PRICES):
            path.retime(there)

    calls = {"direct": partial(simulate, program, machine), "record": record, "retime": retimed}
    for call in calls.values():
        call()
    timed = {name: partial(cpu_of_call, call) for name, call in calls.items()}
    seconds = best_of(timed, rounds)
    seconds["retime"] /= _PRICES
    recording, pricing = (seconds[name] / seconds["direct"] for name in ("record", "retime"))
    rate = len(path.events) / seconds["retime"] / 1e6
    direct = "a direct run"
    yield (
        _row("recording a path", seconds["record"], "s", recording, direct),
        Limit("recording: direct runs", "", recording, MAX_RECORDING_RUNS),
    )
    least = MIN_MEGAEVENTS_PER_SECOND
    yield (
        _row("re-timing it", rate, "M events/s", pricing, direct),
        Limit("re-timing", "M events/s", rate, least, at_least=True),
    )


def _starts(rounds: int) -> _Rows:
    seconds = start_seconds(rounds)
    yardstick = seconds.pop("yardstick")
    for name, each in seconds.items():
        limit = None
        if name == "run":
            limit = Limit("gnomon run", "x CPU", each / yardstick, MOST_YARDSTICKS)
        elif name == "first run":
            limit = Limit("gnomon first run", "s CPU", each, MOST_FIRST_RUN_SECONDS)
        yield _row(f"gnomon {name}", each, "s", each / yardstick, YARDSTICK), limit


def _sweeps(_: int) -> _Rows:
    """Measure a sweep of 1,008 points: nothing cached; then everything cached but outcomes."""
    with tempfile.TemporaryDirectory(prefix="gnomon-") as temporary:
        cache = Path(temporary) / "cache"
        environment = users_environment(GNOMON_CACHE=str(cache))
        command = [*CLI, "sweep", str(_SWEEP), "--jobs", "2", "--out", temporary + "/out"]
        for name, most in _MOST_SWEEP.items():
            print(f"sweep of {_SWEEP.stem}: {name}", file=sys.stderr)
            seconds = cpu_of_child(command, environment)[0]
            yield (
                _row(f"sweep of 1,008 points, {name}", seconds, "s"),
                Limit(f"sweep of 1,008 points, {name}", "s CPU", seconds, most),
            )
            shutil.rmtree(cache / "sweep")
