"""``python -m benchmarks``: measure, print, and with ``--check`` judge."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from benchmarks.cases import CASES
from benchmarks.clock import best_of
from benchmarks.engine import engine_task
from benchmarks.limits import limits
from benchmarks.oracle import oracle_present, oracle_task
from benchmarks.qemu import QEMU, qemu_present, qemu_tasks
from benchmarks.recording import measure_recording
from benchmarks.start import measure_start
from benchmarks.table import environment, limit_rows, print_tables, speed_rows
from benchmarks.watching import measure_overheads, measure_writing
from gnomon.base.errors import CheckFailed, GnomonError


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures there too")
    parser.add_argument("--check", action="store_true", help="exit 1 if a limit is not kept")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="best of N (default 3)")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error(f"--rounds must be at least 1, not {arguments.rounds}")
    return arguments


def _measure(arguments: argparse.Namespace, folder: Path) -> None:
    beside_qemu, beside_oracle = qemu_present(), oracle_present()
    if not beside_qemu:
        print(f"{QEMU} is not on PATH: left out", file=sys.stderr)
    if not beside_oracle:
        print("tests.oracle is not here: left out", file=sys.stderr)
    tasks = []
    for case in CASES:
        task, run = engine_task(case)
        tasks.append(task)
        if beside_qemu and case.portable and case.machine == CASES[0].machine:
            tasks += qemu_tasks(case, run, task.instructions, folder)
        if beside_oracle and case.architecture().core.model == "t13":
            tasks.append(oracle_task(case))
    timed = best_of(tasks, arguments.rounds)
    started = measure_start(arguments.rounds)
    overheads = measure_overheads(arguments.rounds)
    for each in overheads:
        print(f"profile of {each.name}: {each.percent:+.1f} % CPU", file=sys.stderr)
    found = limits(
        timed,
        started,
        measure_recording(arguments.rounds),
        overheads,
        measure_writing(arguments.rounds),
    )
    print_tables(timed, found)
    if arguments.json is not None:
        figures = {**environment(), "speed": speed_rows(timed), "limits": limit_rows(found)}
        aside = arguments.json.with_name(arguments.json.name + ".part")
        aside.write_text(json.dumps(figures, indent=1) + "\n")
        aside.replace(arguments.json)
    broken = [str(limit) for limit in found if not limit.kept]
    if arguments.check and broken:
        raise CheckFailed("limits not kept:\n  " + "\n  ".join(broken))


def main() -> None:
    """Measure; user errors end with one message and their exit code."""
    arguments = _arguments()
    try:
        with tempfile.TemporaryDirectory(prefix="gnomon-") as temporary:
            _measure(arguments, Path(temporary))
    except GnomonError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
