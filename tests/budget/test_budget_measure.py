"""What a check measures: regions, stack, energy, the line of a learner."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.budget import read_budget
from gnomon.budget._measure import CheckMeasurement, _count_stack_bytes, measure_check
from gnomon.cli.app import app
from gnomon.cost.energy import Energy
from gnomon.explore import make_sweep, run_sweep
from gnomon.program import build, load_elf
from gnomon.sim import Region, simulate
from tests.budget._files import ELF, invoke, write

_SKEWED = """\
#include "gnomon.h"
static volatile int sink, done[8];
GNOMON_REGION void work(int hart) { for (int i = 0; i < (hart == 1 ? 190 : 10); i++) sink = i; }
int main(int hart)
{
    work(hart);
    done[hart] = 1;
    for (int h = 0; h < GNOMON_ACTIVE_HARTS; h++) while (!hart && !done[h] && WAIT) {}
    return 0;
}
"""


@pytest.mark.parametrize("hart", [None, 0, 1])
def test_a_region_of_several_harts(tmp_path: Path, hart: int | None) -> None:
    """All from the first entry to the last exit; or one hart, by name."""
    (tmp_path / "skew.c").write_text(_SKEWED.replace("WAIT", "1"))
    path = write(tmp_path, "wall_cycles <= 1", extra="    region: work\n")
    given = "{sources: [skew.c], harts: 3}"
    text = path.read_text().replace("conv.elf", given)
    path.write_text(text if hart is None else text + f"    hart: {hart}\n")
    (check,) = read_budget(path).checks
    machine = load_architecture("t13-simd4")
    program = build([tmp_path / "skew.c"], machine, active_harts=3)
    run = simulate(program, machine, regions=["work"])
    found, total = measure_check(check).metrics, run.region_totals["work"]
    passes = {each.hart: each for each in run.regions["work"]}
    assert passes[0].wall_cycles * 5 < passes[1].wall_cycles < total.wall_cycles
    part = total if hart is None else passes[hart]
    assert found["wall_cycles"] == part.wall_cycles
    assert found["energy_uj"] == Energy.from_work(part.work, machine).energy_uj.value


def test_a_region_that_a_hart_does_not_leave_is_refused(tmp_path: Path) -> None:
    (tmp_path / "skew.c").write_text(_SKEWED.replace("WAIT", "0"))
    path = write(tmp_path, "wall_cycles <= 1", extra="    region: work\n")
    path.write_text(path.read_text().replace("conv.elf", "{sources: [skew.c], harts: 2}"))
    with pytest.raises(GnomonError, match="hart 1 is in it when the program ends, and hart 0 has"):
        invoke(path)


def test_a_program_that_traps_keeps_no_budget(tmp_path: Path) -> None:
    (tmp_path / "trap.c").write_text("int main(void) { return *(volatile int *)0x100001; }\n")
    path = write(tmp_path, "wall_cycles <= 1000000")
    path.write_text(path.read_text().replace("conv.elf", "trap.c"))
    with pytest.raises(CheckFailed, match="trap on hart 0: misaligned load") as failed:
        invoke(path)
    assert failed.value.exit_code == 1


def test_a_region_costs_what_the_simulator_says(tmp_path: Path) -> None:
    program = load_elf(ELF)
    function = next(s for s in program.symbols if s.name == "main")
    run = simulate(
        program, load_architecture("t13-simd4"), regions=[Region("main", function.address)]
    )
    (check,) = read_budget(write(tmp_path, "wall_cycles <= 1", extra="    region: main\n")).checks
    if not run.regions["main"]:
        pytest.fail("the program no longer returns from main; choose another region")
    assert measure_check(check).metrics["wall_cycles"] == run.regions["main"][0].wall_cycles


def test_a_program_that_calls_nothing_has_no_known_stack(tmp_path: Path) -> None:
    path = write(tmp_path, "stack <= 1 KiB")
    (check,) = read_budget(path).checks
    run = simulate(load_elf(ELF), load_architecture("t13-simd4"), calls=True)
    assert run.calls is not None
    without = replace(run, calls=replace(run.calls, stacks=()))
    assert _count_stack_bytes(load_elf(ELF), without) == "no hart calls a function"
    assert measure_check(check).metrics["stack_bytes"] == _count_stack_bytes(load_elf(ELF), run)


def stack_of(folder: Path, text: str) -> CheckMeasurement:
    (folder / "deep.c").write_text(text)
    path = folder / "b.yaml"
    path.write_text(
        "schema: 1\nname: b\narch: t13\nchecks:\n  deep:\n    program: deep.c\n"
        "    limits: [stack <= 1 B]\n"
    )
    (check,) = read_budget(path).checks
    return measure_check(check)


DEEP = (
    "static volatile int sink;\n"
    "__attribute__((noinline)) void use(volatile int *words) { words[COUNT - 1] = 1; }\n"
    "__attribute__((noinline)) void deep(void) {\n"
    "    volatile int words[COUNT];\n    use(words);\n    sink = words[COUNT - 1];\n}\n"
    "int main(int hart) { (void)hart; deep(); return sink; }\n"
)


def test_stack_of_a_program_is_what_it_reserves_written_or_not(tmp_path: Path) -> None:
    found = stack_of(tmp_path, DEEP.replace("COUNT", "500")).metrics
    assert 2000 <= found["stack_bytes"] <= 2128
    sizes = found["text_bytes"] + found["static_bytes"]
    assert found["memory_bytes"] == sizes + found["stack_bytes"]


def test_a_stack_that_overflows_is_an_error(tmp_path: Path) -> None:
    told = (
        r"b\.yaml:5: deep: the stack of hart 0 overflows its 16,384 bytes: deep takes it 32,\d+"
        r" bytes deep$"
    )
    with pytest.raises(GnomonError, match=told):
        stack_of(tmp_path, DEEP.replace("COUNT", "8000"))


def test_a_learner_runs_its_own_line(tmp_path: Path) -> None:
    path = tmp_path / "b.yaml"
    text = (
        "schema: 1\nname: b\narch: t13\nchecks:\n  step:\n    learner: softucb\n"
        "    settings: {variant: optimized}\n    limits: [select_cycles <= 1000000]\n"
    )
    path.write_text(text)
    assert read_budget(path).checks[0].settings["line"] == "tuned"
    path.write_text(text.replace("softucb", "linucb-disjoint"))
    assert read_budget(path).checks[0].settings["line"] == "paper"


def test_one_program_has_one_energy_in_a_run_a_sweep_and_a_budget(tmp_path: Path) -> None:
    source = tmp_path / "dot.c"
    source.write_text("int main(void) { volatile int n = 3; return n * n; }\n")
    options = ["run", str(source), "--arch", "t13-simd4", "--json", "--energy"]
    run = json.loads(CliRunner().invoke(app, options, catch_exceptions=False).stdout)
    data = {
        "schema": 1, "name": "one", "program": str(source), "arch": "t13-simd4",
        "axes": {"clock": ["100 MHz"]}, "objectives": ["minimize energy"],
    }  # fmt: skip
    (row,) = run_sweep(make_sweep(data)).rows
    check = {"program": str(source), "limits": ["energy <= 1 J"]}
    budget = tmp_path / "one.yaml"
    budget.write_text(
        json.dumps({"schema": 1, "name": "one", "arch": "t13-simd4", "checks": {"dot": check}})
    )
    (limit,) = json.loads(invoke(budget, "--json").stdout)["limits"]
    of_run = run["energy"]
    assert row.outcome.metrics["energy_uj"] == of_run["energy_uj"]["value"]
    assert limit["value"] == pytest.approx(of_run["energy_uj"]["value"], rel=1e-6)
    assert row.outcome.facts["operands"] == limit["operands"] == of_run["operands"]
    shown = " ".join(invoke(budget).stdout.split())
    for word in (of_run["kind"], of_run["library"].split()[0], f"operands {of_run['operands']}"):
        assert word.split()[-1] in shown
