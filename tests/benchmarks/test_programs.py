"""The benchmark programs compute the same values everywhere, so their times compare."""

from __future__ import annotations

import ctypes
import json

import pytest

from benchmarks.cases import CASES, PROGRAMS, Case
from benchmarks.harness import Found, Limit
from benchmarks.speed import GNOMON, Work, speed_limits, speed_rows
from benchmarks.units import CHOICES, build_choice, load_machine
from gnomon.program import build_host
from gnomon.sim import simulate
from tests.oracle import Oracle, OracleConfig
from tests.rows import light_and_heavy

T13_CASES = [case for case in CASES if case.machine != "rv32im"]


ON_THREE_HARTS = light_and_heavy(
    "oracle",
    3,
    sorted(
        (case for case in T13_CASES if case.active_harts == 3), key=lambda case: not case.vector
    ),
)


def label(case: Case) -> str:
    return f"{case.name}-{case.machine}"


@pytest.mark.parametrize(
    "case",
    light_and_heavy(
        "oracle", lambda case: case.name != "matmul", [c for c in CASES if c.portable], label
    ),
)
def test_scalar_program_returns_what_it_returns_on_the_host(case: Case) -> None:
    run = simulate(case.build(3), case.architecture())
    library = build_host([PROGRAMS / f"{case.source}.c"], defines={"REPEATS": 3})
    assert run.halted == "exit"
    assert run.exit_code == ctypes.CDLL(str(library)).main(0)


@pytest.mark.parametrize("choice", range(len(CHOICES)), ids=CHOICES)
def test_a_loop_of_a_unit_returns_what_it_returns_on_the_host(choice: int) -> None:
    turns = 300
    program, host = build_choice(choice, turns)
    run = simulate(program, load_machine())
    assert run.exit_code == host() & 0xFFFF_FFFF
    if choice:
        assert run.work.instructions[CHOICES[choice]] == 4 * turns


@pytest.mark.parametrize("case", ON_THREE_HARTS, ids=label)
def test_program_on_three_harts_returns_what_it_returns_on_the_oracle(case: Case) -> None:
    # One repeat of the scalar program takes a second of the oracle, three of the other hardly any.
    repeats = 3 if case.vector else 1
    program = case.build(repeats)
    run = simulate(program, case.architecture())
    oracle = Oracle(OracleConfig(simd=4, sharing=case.sharing or "shared"))
    seen = oracle.run([(s.address, s.data) for s in program.segments], trace=False)
    assert run.halted == "exit"
    assert (run.exit_code, run.exit_cycle) == (seen.exit_code, seen.exit_cycle)


def test_sharing_changes_the_cycles_of_the_vector_program_and_not_its_result() -> None:
    runs = [simulate(c.build(3), c.architecture()) for c in CASES if c.vector]
    assert len({run.exit_code for run in runs}) == 1
    assert len({run.exit_cycle for run in runs}) == 3


def test_limits_take_the_right_figure_and_name_what_is_not_kept() -> None:
    one, vector = CASES[0], next(c for c in CASES if c.vector)
    timed = {
        Work(one, GNOMON, 249_000_000, 999_000_000): 1.0,
        Work(one, "qemu", 1_000_000, None): 1.0,
        Work(vector, GNOMON, 1_000_000, 50_000_000): 1.0,
    }
    found = Found()
    found.add("speed", speed_rows(timed), speed_limits(timed))
    found.limits.append(Limit("gnomon --help", "s CPU", 0.3, 0.3))
    assert [str(limit) for limit in found.limits if not limit.kept] == [
        "matmul on t13-simd4: 249.00 MIPS, must be at least 250",
        "gnomon --help: 0.30 s CPU, must be below 0.3",
    ]
    assert [limit.measured for limit in found.limits if limit.kept] == [50.0]
    told = found.to_json()
    assert [row["mips"] for row in told["speed"]] == [249.0, 1.0, 1.0]
    assert json.dumps(told)
    found.show()
