"""``import gnomon``: complete, documented, and enough for a notebook."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import gnomon
from gnomon.base.errors import GnomonError
from gnomon.cli.app import app

ROOT = Path(__file__).resolve().parents[2]


def test_importing_loads_no_heavy_package() -> None:
    code = "import sys, gnomon; print([name.partition('.')[0] for name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {
        "pandas", "matplotlib", "scipy", "pyarrow", "jinja2", "simpy", "elftools", "rich", "typer",
        "dask", "distributed", "pymoo", "xarray", "cocotb", "ziglang",
    }  # fmt: skip
    assert not heavy & set(ast.literal_eval(done.stdout))


def test_every_name_is_there_and_documented() -> None:
    assert len(gnomon.__all__) <= 20
    for name in gnomon.__all__:
        if name != "__version__":
            assert getattr(gnomon, name).__doc__


def test_from_source_to_tables(tmp_path: Path) -> None:
    source = tmp_path / "sum.c"
    source.write_text(
        "int main(int hart) { (void)hart; volatile int s = 0;"
        " for (int i = 0; i < 100; i++) s += i; return s == 4950 ? 0 : 1; }\n"
    )
    machine = gnomon.load_architecture("t13-simd4")
    program = gnomon.build([source], machine)
    run = gnomon.simulate(program, machine, regions=["main"])
    assert run.exit_code == 0
    assert run.regions["main"][0].entries == 1
    with pytest.raises(gnomon.GnomonError, match="did you mean 'main'"):
        gnomon.simulate(program, machine, regions=["mian"])
    assert run.frame()["cycles"].sum() == run.wall_cycles
    by_function = gnomon.profile(run, program, machine).frame()
    assert "main" in set(by_function["function"])
    energy = gnomon.price(run, machine)
    assert energy.frame()["energy_uj"].sum() == pytest.approx(energy.energy_uj.value)
    area = gnomon.area(machine)
    assert area.frame()["lut"].sum() == pytest.approx(area.total.lut.value)
    other = gnomon.load_architecture("t13", ["core.harts=4"])
    for refusing in (gnomon.price, lambda run, machine: gnomon.profile(run, program, machine)):
        with pytest.raises(
            gnomon.GnomonError, match=r"sum ran on t13-simd4; t13 has other values of "
        ):
            refusing(run, other)
    for result in (run, energy, area):
        kinds = {str(kind) for kind in result.frame().dtypes}
        assert kinds <= {"object", "str", "int64", "float64"}
        assert kinds & {"int64", "float64"}
        shown = result._repr_html_()
        assert "<table" in shown
        assert "t13-simd4" in shown or "µJ" in shown


def test_a_learner_is_that_of_the_command_line() -> None:
    run = gnomon.measure_learner("softucb", "t13", d=4, arms=4, variant="optimized")
    arguments = ["learner", "softucb", "--arch", "t13", "--d", "4", "--arms", "4"]
    told = CliRunner().invoke(app, [*arguments, "--variant", "optimized", "--json"])
    there = json.loads(told.stdout)["runs"][0]
    for name in ("wall_cycles", "hart_cycles", "time_us", "arm", "bytes", "sizes", "compiler"):
        assert run.to_json()[name] == there[name]
    table = gnomon.frame([run, gnomon.measure_learner("ucb1", "t13")])
    assert list(table["learner"]) == ["softucb", "ucb1"]
    assert table["wall_cycles"].dtype == "int64"
    assert (table["select_cycles"] + table["update_cycles"] == table["wall_cycles"]).all()
    with pytest.raises(gnomon.GnomonError, match="no 'paper' implementation"):
        gnomon.measure_learner("ucb1", "t13", line="paper")


def test_kernels_and_sweeps_as_tables() -> None:
    runs = [
        gnomon.measure_kernel("add", "t13-simd4", n=4, variant=variant)
        for variant in ("scalar", "vector")
    ]
    table = gnomon.frame(runs)
    assert list(table["variant"]) == ["scalar", "vector"]
    result = gnomon.sweep(
        {"schema": 1, "name": "lanes", "kernel": "add", "arch": "t13-simd4",
         "fixed": {"n": 4, "variant": "vector"}, "axes": {"vcu.simd": [2, 4]}}
    )  # fmt: skip
    assert list(result.frame()["axis.vcu.simd"]) == [2, 4]
    assert not result.failed


@pytest.mark.parametrize("given", [None, 3, [("name", "x")], b"s.yaml"])
def test_what_is_no_sweep_is_an_error_of_ours(given: object) -> None:
    with pytest.raises(gnomon.GnomonError, match="a sweep is given by the path of its file or as"):
        gnomon.sweep(given)  # type: ignore[arg-type]


@pytest.mark.parametrize("jobs", [0, -1])
def test_a_sweep_needs_a_process(jobs: int) -> None:
    spec = {"schema": 1, "name": "lanes", "kernel": "add", "arch": "t13-simd4",
            "fixed": {"n": 4, "variant": "vector"}, "axes": {"vcu.simd": [2]}}  # fmt: skip
    with pytest.raises(GnomonError, match=f"^jobs must be at least 1, not {jobs}$"):
        gnomon.sweep(spec, jobs=jobs)
