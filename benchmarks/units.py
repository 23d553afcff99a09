"""Instructions of units: both tiers next to the same C on the host, and first runs after a change.

The host compiles the same loop with the C of the unit inlined, without any timing. So its time is
what the simulated loop could cost at best. A turn of the loop executes an instruction four times.
"""

import ctypes
import tempfile
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final

from benchmarks.cases import PROGRAMS
from benchmarks.harness import (
    Found,
    Limit,
    best_of,
    cpu_of_call,
    cpu_of_child,
    tasks_of_tiers,
    users_environment,
)
from benchmarks.start import CLI
from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import CheckFailed
from gnomon.program import Program, build, build_host

CHOICES: Final = ("no unit", "popcount", "mulr", "macq", "requant", "crc32b", "cordic.step")
"""Instructions by the number that the program has for them; ``cordic.step`` has state."""
TURNS: Final = 15_000_000
"""Enough for the translation of the blocks, which a later run finds in the cache."""
MOST_HOST_RATIO: Final = 1.5
MOST_FIRST_RUN_SECONDS: Final = 2.0

_PER_TURN = 4
_CONTENDERS: Final = ("tier 1", "tier 2", "host")
_PROGRAM: Final = PROGRAMS / "instruction.c"
_UNITS: Final = ("popcount", "mulround", "q15mac", "requant", "crc32", "cordic")
_OWN_C = "UNIT(own) {{ return (a ^ b) + {}u; }}\n"
_OWN_YAML = """\
schema: 1
title: A unit that changes
source: written for this benchmark
code: own.c
instructions:
  own:
    encoding: {format: R, opcode: custom-2, funct3: 0, funct7: 0}
    operands: {rd: result, rs1: operand, rs2: operand}
    cycles: 1
"""
_OWN_PROGRAM = '#include "units.h"\nint main(void) { return (int)(own(1, 2) & 0); }\n'


def load_machine() -> Architecture:
    """Return a T13 with the units of the program."""
    return load_architecture("t13", [f"units.{name}={{}}" for name in _UNITS])


def build_choice(choice: int, turns: int) -> tuple[Program, Callable[[], int]]:
    """Return the program for an instruction, and the same loop on the host."""
    machine, defines = load_machine(), {"CHOICE": choice, "REPEATS": turns}
    path = build_host([_PROGRAM], architecture=machine, defines=defines)
    host = ctypes.CDLL(str(path)).main
    host.restype = ctypes.c_int
    return build([_PROGRAM], machine, defines=defines), host


def measure(found: Found, rounds: int) -> None:
    """Time each instruction in both tiers and on the host, and runs of a changed unit."""
    rows, limits = _measure_instructions(rounds)
    found.add("instructions of units", rows, limits)
    row, limit = _measure_changes(rounds)
    found.add("first run of a changed unit", [row], [limit])


def _measure_instructions(rounds: int) -> tuple[list[dict[str, Any]], list[Limit]]:
    tasks: dict[tuple[str, str], Callable[[], float]] = {}
    for choice, name in enumerate(CHOICES):
        program, host = build_choice(choice, TURNS)
        run, tiers = tasks_of_tiers(program, load_machine())
        if run.exit_code != host() & 0xFFFF_FFFF:
            raise CheckFailed(f"{name}: the run returns {run.exit_code}, the host {host()}")
        tasks |= {(name, tier): task for tier, task in tiers.items()}
        tasks[name, "host"] = partial(cpu_of_call, host)
    seconds = best_of(tasks, rounds)
    rows: list[dict[str, Any]] = []
    limits = []
    for name in CHOICES:
        each = {who: seconds[name, who] / TURNS / _PER_TURN * 1e9 for who in _CONTENDERS}
        ratio = each["tier 2"] / each["host"]
        rows.append(
            {"what": name, **{f"ns_{who}": value for who, value in each.items()},
             "tier_2_to_host": ratio, "tier_1_to_2": each["tier 1"] / each["tier 2"]}
        )  # fmt: skip
        if name != CHOICES[0]:
            limits.append(Limit(f"{name}: times the same C on the host", "", ratio,
                                MOST_HOST_RATIO))  # fmt: skip
    return rows, limits


def _measure_changes(rounds: int) -> tuple[dict[str, Any], Limit]:
    """Time a run with everything cached, and one after a change of the C of its unit."""
    with tempfile.TemporaryDirectory(prefix="gnomon-") as temporary:
        project = Path(temporary)
        unit = project / "units" / "own"
        unit.mkdir(parents=True)
        (project / "gnomon.yaml").touch()
        (unit / "unit.yaml").write_text(_OWN_YAML)
        (project / "own.c").write_text(_OWN_PROGRAM)
        environment = users_environment(
            OPENBLAS_NUM_THREADS="1", GNOMON_CACHE=str(project / "cache")
        )
        run = ["run", str(project / "own.c"), "--arch", "t13", "--set", "units.own={}"]
        command = [*CLI, "--path", str(project), *run]
        numbers = count()

        def warm() -> float:
            return cpu_of_child(command, environment)[0]

        def changed() -> float:
            (unit / "own.c").write_text(_OWN_C.format(next(numbers)))
            return warm()

        changed()  # compiles the engine
        seconds = best_of({"changed": changed, "cached": warm}, rounds)
    more = seconds["changed"] - seconds["cached"]
    row = {f"{name} s": value for name, value in seconds.items()} | {"more s": more}
    return row, Limit("first run of a changed unit", "s CPU more", more, MOST_FIRST_RUN_SECONDS)
