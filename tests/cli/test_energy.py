"""Energy on the command line: shown where a table is named, refused where one does not hold."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.cli.app import app
from gnomon.cost.energy import Energy
from gnomon.program import build, load_elf
from gnomon.report.cost_text import print_energy
from gnomon.sim import Work, simulate

SIMD4 = load_architecture("t13-simd4")


@pytest.fixture(scope="module")
def elf(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("programs")
    source = folder / "counting.c"
    source.write_text(
        '#include "gnomon.h"\nvolatile unsigned total;\n'
        "int main(int hart) { (void)hart; for (unsigned i = 0; i < 50; ++i) total += i * i;"
        " return 1; }\n"
    )
    path = folder / "counting.elf"
    path.write_bytes(build([source], SIMD4).elf)
    return str(path)


def invoke(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert result.exit_code == 0
    return " ".join(result.stdout.split())


def test_a_run_shows_its_energy(elf: str) -> None:
    run = simulate(load_elf(elf), SIMD4)
    energy = Energy.from_work(run.work, SIMD4)
    out = invoke("run", elf, "--arch", "t13-simd4")
    assert f"{energy.energy_uj.value:.4g} µJ" in out
    assert "dynamic," in out
    assert "static power not included" in out
    assert "operands dense" in out
    other = Energy.from_work(run.work, SIMD4, data="zeros").energy_uj.value
    out = invoke("run", elf, "--arch", "t13-simd4", "--operands", "zeros")
    assert f"{other:.4g} µJ" in out


def test_details(elf: str) -> None:
    out = invoke("run", elf, "--arch", "t13-simd4", "--energy")
    for word in ("register_file", "clock", "addi", "energy-delay product", "toggles per cycle"):
        assert word in out
    answer = json.loads(invoke("run", elf, "--arch", "t13-simd4", "--energy", "--json"))
    parts = answer["energy"]["units_uj"].values()
    whole = answer["energy"]["energy_uj"]["value"]
    assert sum(part["value"] for part in parts) == pytest.approx(whole)
    assert answer["energy"]["static_uj"] is None


def test_a_machine_without_a_table_shows_none(elf: str) -> None:
    assert "µJ" not in invoke("run", elf, "--arch", "t13-simd4", "--set", "power=none")
    unknown = "energy is unavailable: t13-simd4 names no power table"
    with pytest.raises(GnomonError, match=unknown) as caught:
        invoke("run", elf, "--arch", "t13-simd4", "--set", "power=none", "--energy")
    assert caught.value.exit_code == 2


def test_a_machine_that_was_not_measured_says_so(elf: str) -> None:
    four = ["--arch", "t13-simd4", "--set", "core.superscalar=false"]
    reason = (
        "activity table t13x has no figures for core.superscalar = false of t13-simd4"
        " (measured: true)"
    )
    assert f"energy not known: {reason}" in invoke("run", elf, *four)
    with pytest.raises(GnomonError) as caught:
        invoke("run", elf, *four, "--energy")
    assert str(caught.value) == f"{elf}: energy is unavailable: {reason}"


def test_unknown_operand_values(elf: str) -> None:
    with pytest.raises(GnomonError, match=r"^activity table t13x has no operand values 'dens'"):
        invoke("run", elf, "--arch", "t13-simd4", "--operands", "dens")
    with pytest.raises(GnomonError) as caught:
        invoke("kernel", "dot", "--arch", "rv32im", "--operands", "dense")
    assert str(caught.value) == (
        "operand values 'dense' are for the energy, and rv32im names no power table"
    )


def test_kernels() -> None:
    arguments = ("kernel", "add", "--n", "4", "--arch", "t13-simd4")
    answer = json.loads(invoke(*arguments, "--json"))
    scalar, vector = answer["runs"]
    assert vector["energy"]["energy_uj"]["value"] < scalar["energy"]["energy_uj"]["value"]
    assert scalar["energy"]["operands"] == "dense"
    out = invoke(*arguments)
    assert "Dynamic energy" in out
    assert f"{scalar['energy']['energy_uj']['value']:,.4g}" in out
    plain = json.loads(invoke("kernel", "add", "--n", "4", "--arch", "rv32im", "--json"))
    assert plain["runs"][0]["energy"] is None
    assert plain["runs"][0]["energy_reason"].startswith("rv32im names no power table")


def test_learners() -> None:
    arguments = ("learner", "linucb-disjoint", "--d", "4", "--arch", "t13")
    answer = json.loads(invoke(*arguments, "--json"))
    standard, optimized = (run["energy"] for run in answer["runs"])
    assert optimized["energy_uj"]["value"] < standard["energy_uj"]["value"]
    assert standard["operands"] == "sparse"
    out = invoke(*arguments)
    assert "operands sparse" in out
    assert "operands dense" in invoke(*arguments, "--case", "random")


def test_a_run_shorter_than_its_slots_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    print_energy(Energy.from_work(Work(7, {"add": 10}, {}, 0, (0, 0, 0), 0), SIMD4))
    out = " ".join(capsys.readouterr().out.split())
    assert "overlap 3 -" in out
    assert "overlap: cycles that events took beyond the length of the run, taken off" in out
    print_energy(Energy.from_work(Work(30, {"add": 10}, {}, 0, (0, 0, 0), 0), SIMD4))
    assert "overlap" not in capsys.readouterr().out
