"""Sweeps of a user's own programs: built for each machine, and priced as direct runs are."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.cost.energy import Energy
from gnomon.explore import make_sweep, read_sweep, run_sweep
from gnomon.explore._evaluate import NOT_IN_PROGRAMS, EngineFailed
from gnomon.explore._programs import build_program, record_program, run_program
from gnomon.program import build
from gnomon.sim import NotPriceable, observed_fingerprint, simulate

from .conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = 10**8
HEADER_USER = '#include "machine.h"\nint main(void) { return GNOMON_SIMD * N; }\n'
COUNTER = (
    '#include "gnomon.h"\nint main(void) { volatile int sum = 0;'
    " for (int i = 1; i < 9; i++) sum += 100 / i; return (int)gnomon_cycle() + sum; }\n"
)
THREE_HARTS = (
    "volatile int sums[3];\nint main(int hart) {"
    " for (int i = 1; i < 9; i++) sums[hart] += 100 / i; return 0; }\n"
)


def spec(source: Path, **changes: Any) -> dict[str, Any]:
    return {
        "schema": 1,
        "name": "mine",
        "program": {"sources": [str(source)]},
        "arch": "t13-simd1",
        "axes": {"core.divider": ["restoring_r2", "early_clz_r2", "klessydra_vl_hf"]},
    } | changes


def test_a_program_that_traps_has_no_cycles(own_cache: Path, tmp_path: Path) -> None:
    source = tmp_path / "trap.c"
    source.write_text("int main(void) { return *(volatile int *)0x100001; }\n")
    result = run_sweep(make_sweep(spec(source)))
    assert len(result.failed) == len(result.rows) == 3
    assert all("trap on hart 0: misaligned load" in row.outcome.reason for row in result.failed)


def test_the_example_says_what_direct_runs_say(own_cache: Path, tmp_path: Path) -> None:
    sweep = read_sweep(ROOT / "examples" / "c-sweep.yaml")
    result = run_sweep(sweep, tmp_path)
    assert not result.failed
    counts = result.counts
    assert counts.simulated == counts.recorded == 3  # one for each size of scratchpads
    assert counts.retimed > 0
    assert counts.simulated + counts.retimed + counts.alike == len(result.rows)
    for row in result.rows:
        assert row.task is not None
        direct = run_program(build_program(row.task), row.task.architecture, LIMIT)
        metrics = row.outcome.metrics
        assert metrics["wall_cycles"] == direct.wall_cycles
        assert metrics["hart_cycles"] == direct.hart_cycles
        assert row.outcome.facts["exit_code"] == direct.exit_code == 171
    walls = {row.outcome.metrics["wall_cycles"] for row in result.rows}
    assert len(walls) > 8
    with (tmp_path / "results.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    table = pq.read_table(tmp_path / "results.parquet").to_pylist()
    assert [float(line["wall_cycles"]) for line in lines] == [row["wall_cycles"] for row in table]
    assert list(lines[0]) == list(table[0])


def test_work_of_a_priced_run_is_that_of_the_run(tmp_path: Path) -> None:
    from gnomon.explore._programs import retime_program

    first, *others = run_sweep(read_sweep(ROOT / "examples" / "c-sweep.yaml")).rows[:8]
    assert first.task is not None
    program = build_program(first.task)
    run = run_program(program, first.task.architecture, LIMIT)
    path = record_program(run, program, first.task.architecture, LIMIT)
    for row in others:
        assert row.task is not None
        machine = row.task.architecture
        priced = retime_program(run, path.retime(machine))
        direct = run_program(program, machine, LIMIT)
        assert (priced.work, priced.wall_cycles) == (direct.work, direct.wall_cycles)
        assert (priced.main, priced.hart_cycles) == (direct.main, direct.hart_cycles)


@pytest.mark.parametrize(
    ("text", "harts"), [(COUNTER, 1), (THREE_HARTS, 3)], ids=["reads the clock", "three harts"]
)
def test_what_cannot_be_priced_is_simulated(text: str, harts: int, tmp_path: Path) -> None:
    source = tmp_path / "own.c"
    source.write_text(text)
    result = run_sweep(make_sweep(spec(source, fixed={"harts": harts})))
    assert not result.failed
    first = result.rows[0].task
    assert first is not None
    program = build_program(first)
    run = run_program(program, first.architecture, LIMIT)
    with pytest.raises(NotPriceable):
        record_program(run, program, first.architecture, LIMIT)
    for row in result.rows:
        assert row.task is not None
        direct = run_program(program, row.task.architecture, LIMIT)
        assert row.outcome.metrics["wall_cycles"] == direct.wall_cycles


SKEWED = """\
#include "gnomon.h"
static volatile int sink, done[8];
GNOMON_REGION void work(int hart)
{
    int n = GNOMON_ACTIVE_HARTS, long_part = n > 1 ? 1 : 0;
    for (int i = 0; i < (hart == long_part ? 290 : 10); i++) sink = i;
}
int main(int hart)
{
    for (int k = 0; k < PASSES; k++) work(hart);
    done[hart] = 1;
    if (hart == 0)
        for (int h = 0; h < GNOMON_ACTIVE_HARTS; h++) while (!done[h]) {}
    return 0;
}
"""


@pytest.mark.parametrize("passes", [1, 3])
def test_a_region_of_several_harts_is_of_all_of_them(passes: int, tmp_path: Path) -> None:
    """The time of the shortest hart is not that of the region: more harts are slower here."""
    source = tmp_path / "skew.c"
    source.write_text(SKEWED.replace("PASSES", str(passes)))
    fixed = {"region": "work"}
    result = run_sweep(make_sweep(spec(source, fixed=fixed, axes={"harts": [1, 2, 3]})))
    assert not result.failed
    taken = []
    for row in result.rows:
        assert row.task is not None
        program, machine = build_program(row.task), row.task.architecture
        run = simulate(program, machine, regions=["work"])
        total, metrics = run.region_totals["work"], row.outcome.metrics
        assert total.entries == passes * len(total.harts)
        assert metrics["wall_cycles"] == total.wall_cycles <= run.wall_cycles
        assert metrics["hart_cycles"] == total.hart_cycles[0]
        assert metrics["energy_uj"] == Energy.from_work(total.work, machine).energy_uj.value
        taken.append(metrics["wall_cycles"])
    assert taken[0] < taken[1]


def test_a_region_that_a_hart_does_not_leave_fails_the_point(tmp_path: Path) -> None:
    source = tmp_path / "skew.c"
    source.write_text(SKEWED.replace("PASSES", "1 + 50 * hart").replace("!done[h]", "0"))
    fixed = {"region": "work", "harts": 2}
    (row, *_) = run_sweep(make_sweep(spec(source, fixed=fixed))).rows
    assert "hart 1 is in it when the program ends, and hart 0 has left it" in row.outcome.reason
    assert "let hart 0 wait for the others" in row.outcome.reason


def test_builds_are_per_machine_and_per_setting(tmp_path: Path) -> None:
    source = tmp_path / "own.c"
    source.write_text(HEADER_USER)
    axes = {"vcu.simd": [1, 4], "defines": [["N=1"], ["N=3"]]}
    result = run_sweep(make_sweep(spec(source, axes=axes)))
    assert [row.outcome.facts["exit_code"] for row in result.rows] == [1, 3, 4, 12]
    source.write_text(HEADER_USER.replace("*", "+"))
    changed = run_sweep(make_sweep(spec(source, axes={"vcu.simd": [4], "defines": [["N=3"]]})))
    assert changed.rows[0].outcome.facts["exit_code"] == 7


def test_a_compile_error_is_reported_at_its_points(tmp_path: Path) -> None:
    source = tmp_path / "own.c"
    source.write_text(
        "#if OK\nint main(void) { return 0; }\n#else\nint main(void) { no }\n#endif\n"
    )
    axes = {"vcu.simd": [1], "defines": [["OK=1"], ["OK=0"]]}
    good, bad = run_sweep(make_sweep(spec(source, axes=axes))).rows
    assert not good.failed
    assert f"{source}:4:" in bad.outcome.reason


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ({"source": ["a.c"]}, "program.source: unknown key (allowed: sources, "),
        ({"defines": {"N": 1}}, "program.sources: missing"),
        ({"sources": ["a.f"]}, "program.sources: a.f: not a source (allowed: .c, .S, .s)"),
        ({"sources": ["a.c"], "optimize": 9}, "program.optimize: must not be '-O9'"),
        ({"sources": ["a.c"], "harts": 0}, "program.harts: must not be 0"),
    ],
)
def test_sections_that_are_refused(program: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(GnomonError) as refused:
        make_sweep(spec(tmp_path / "a.c", program=program))
    assert message in str(refused.value)


def test_an_executable_has_no_settings_of_a_build() -> None:
    elf = ROOT / "tests/reference/t13x/programs/p00.elf"
    result = run_sweep(make_sweep(spec(elf, program=str(elf), fixed={"harts": 3})))
    assert "is built already" in result.rows[0].outcome.reason


def test_without_an_engine_a_sweep_fails_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[int] = []

    def none() -> None:
        tries.append(1)
        raise GnomonError("the compiler says no")

    monkeypatch.setattr("gnomon.explore._evaluate.load_engine", none)
    sweep = make_sweep({"schema": 1, "name": "one", "kernel": "add", "arch": "t13-simd4",
                        "fixed": {"variant": "vector", "seed": 7},
                        "axes": {"n": [3, 4, 5, 7, 9]}})  # fmt: skip
    with pytest.raises(EngineFailed, match="the compiler says no") as failed:
        run_sweep(sweep)
    assert failed.value.exit_code == 1
    assert len(tries) == 1


@pytest.mark.parametrize(
    ("machine", "changed"),
    [
        ("picorv32", ["core.latency.load=9", "core.latency.mul=2"]),
        ("t13-paper-simd4", ["core.divider=combinational", "vcu.divider=restoring_r2"]),
    ],
)
def test_keys_that_are_not_in_programs_change_no_build(machine: str, changed: list[str]) -> None:
    """A worker builds one program for machines that differ in these keys alone."""
    source = ROOT / "examples" / "c" / "fir.c"
    one, other = load_architecture(machine), load_architecture(machine, changed)
    assert one.fingerprint != other.fingerprint
    assert observed_fingerprint(one, NOT_IN_PROGRAMS) == observed_fingerprint(
        other, NOT_IN_PROGRAMS
    )
    assert len({build([source], each).build.key for each in (one, other)}) == 1
