"""A kernel in a folder of the user's: everything takes its name, and errors in it say where."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.base.content import found
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.cli.app import app
from gnomon.measure.kernels import KernelBench, check_kernel, find_kernel, kernel_source

if TYPE_CHECKING:
    from pathlib import Path

NUMBERS = count()


def gnomon(*arguments: str) -> str:
    return CliRunner().invoke(app, arguments, catch_exceptions=False).stdout


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new kernel, of a name that no other test has: modules stay imported."""
    monkeypatch.chdir(tmp_path)
    gnomon("new", "project", "demo")
    monkeypatch.chdir(tmp_path / "demo")
    gnomon("new", "kernel", f"own{next(NUMBERS)}")
    (made,) = (tmp_path / "demo" / "kernels").iterdir()
    return made


def test_everything_takes_its_name(folder: Path) -> None:
    name = folder.name
    assert name in list(found("kernels"))
    assert kernel_source(f"{name}/vector.c") == folder / "vector.c"
    measured = json.loads(gnomon("kernel", name, "--arch", "t13-simd4", "--n", "16", "--json"))
    scalar, vector = (run["wall_cycles"] for run in measured["runs"])
    assert vector < scalar

    (folder.parents[1] / "trace.csv").write_text(f"kernel,shape,count\n{name},16,3\ndot,4,1\n")
    options = ("--arch", "t13-simd4", "--variant", "vector", "--json")
    replayed = json.loads(gnomon("replay", "trace.csv", *options))
    assert replayed["distinct"][0]["wall_cycles"] == 3 * vector

    (folder.parents[1] / "sweep.yaml").write_text(
        f"schema: 1\nname: mine\nkernel: {name}\narch: t13-simd4\nfixed: {{n: 16}}\n"
        "axes:\n  variant: [scalar, vector]\nobjectives: [minimize time]\n"
    )
    swept = gnomon("sweep", "sweep.yaml", "--jobs", "1")
    assert "take variant vector" in swept

    (folder.parents[1] / "budget.yaml").write_text(
        f"schema: 1\nname: mine\narch: t13-simd4\nchecks:\n  mine:\n    kernel: {name}\n"
        f"    settings: {{variant: vector, n: 16}}\n    limits: [wall_cycles <= {vector}]\n"
    )
    assert "kept" in gnomon("budget", "budget.yaml")
    explained = gnomon("explain", f"kernel.{name}.vector")
    assert f"{folder.name}/vector.c:" in "".join(explained.split())


def test_its_contract_is_checked(folder: Path) -> None:
    lines = gnomon("check", folder.name).splitlines()
    assert len(lines) == 1 + 5 + 7
    assert all(line.startswith("ok ") for line in lines)


def test_an_own_driver_is_used(folder: Path) -> None:
    own = (
        '#include "measure.h"\n'
        "void KERNEL_FUNCTION(const fx_t *, const fx_t *, const fx_t *, fx_t *, uint32_t);\n"
        "MEASURE(KERNEL_FUNCTION(MEASURE_OPERAND(0), MEASURE_OPERAND(1), MEASURE_OPERAND(2),"
        " MEASURE_OPERAND(3), MEASURE_ARGUMENT(0)))\n"
    )
    (folder / "call.c").write_text(own)
    made = find_kernel(folder.name)
    driven = replace(made, driver=folder / "call.c")
    machine = load_architecture("t13-simd4")
    for variant in made.variants:
        with_own, without = (
            KernelBench(each, variant, machine).measure((9,)) for each in (driven, made)
        )
        assert "call.c" in with_own.build.sources
        assert with_own.wall_cycles == without.wall_cycles


@pytest.mark.parametrize(
    ("file", "change", "line", "message"),
    [
        ("kernel.yaml", ("model: floor ", "model: flor "), 21, "has no function 'flor'"),
        ("kernel.yaml", ("result:", "resutl:"), 11, "unknown key"),
        ("kernel.yaml", ("function:", "functoin:"), 18, "unknown key"),
        ("kernel.yaml", ("result: [length]", "result: [lenght]"), 11, "'lenght' is none of: whole"),
        ("kernel.yaml", ("[x, y]", "[x, z]"), 13, "'z' is not an operand (allowed: a, x, y"),
        ("kernel.yaml", ("scalar.c", "scalr.c"), 19, "no such file exists"),
        ("kernel.yaml", ("_scalar_floor_wrap", "_nothing"), 18, "no source file defines"),
        ("model.py", ("fixed) + y)", "fixed) + y[:3])"), 39, "ValueError: operands could not"),
        ("model.py", ("fixed) + y)", "fixed) + y"), 39, "SyntaxError"),
        ("model.py", ("fixed) + y)", "fixed) + y)[1:]"), 37, "returns shape (7,), but the result"),
        ("model.py", ("fixed) + y)", "fixed) + y) / 2"), 37, "not an array of float64, shape (8,)"),
        ("model.py", ("return wrap(multiply", "return 1.0  # ("), 37, "must return an int64 array"),
        (
            "model.py",
            ("x: Steps, y: Steps)", "x: Steps)"),
            37,
            "floor takes 3 argument(s), but gnomon passes 4",
        ),
        ("model.py", ("a * x + y)", "a * x + y) * np.nan"), 22, "exact must return finite numbers"),
        ("model.py", ("np.asarray(a * x + y)", "3"), 22, "real numbers of shape (8,), not 3"),
        ("model.py", ("return shifted_product_b", "return np.nan  # "), 47, "vector must return"),
        ("model.py", (" return (\n", " return 3, (\n"), 27, "generate must return 3 array(s)"),
        ("model.py", ("np.asarray(a * x + y)", "exit(0)"), 24, "ends the process with 0"),
        ("model.py", ("import numpy", "exit(0)\nimport numpy"), 8, "ends the process with 0"),
        ("scalar.c", ("fx_add_wrap", "fx_add"), 9, "undeclared function 'fx_add'"),
    ],
)
def test_an_error_in_it_names_file_and_line(
    folder: Path, file: str, change: tuple[str, str], line: int, message: str
) -> None:
    text = (folder / file).read_text()
    assert change[0] in text
    (folder / file).write_text(text.replace(*change, 1))
    with pytest.raises(GnomonError) as caught:
        gnomon("kernel", folder.name, "--arch", "t13-simd4")
    assert caught.value.exit_code == 2
    assert f"{folder / file}:{line}" in str(caught.value)
    assert message in str(caught.value)


def test_an_error_that_is_no_number_fails_its_checks(folder: Path) -> None:
    model = folder / "model.py"
    model.write_text(model.read_text().replace("a * x + y)", "a * x + y) * np.nan"))
    result = CliRunner().invoke(app, ["check", folder.name])
    told = result.stdout
    assert isinstance(result.exception, CheckFailed)
    assert "failed kernels " in told
    reasons = ("must return finite numbers, not nan", "as above")
    failed = [line for line in told.splitlines() if any(reason in line for reason in reasons)]
    assert reasons[0] in failed[0]
    assert [line.split(": ")[1] for line in failed] == [
        "machine-equals-model", "other-formats",
        "machine-equals-model", "other-formats", "small-scratchpads",
    ]  # fmt: skip


def test_c_that_computes_something_else_fails_its_check(folder: Path) -> None:
    source = folder / "vector.c"
    source.write_text(source.read_text().replace("FX_POST_SHIFT", "(FX_POST_SHIFT + 1)"))
    with pytest.raises(CheckFailed, match="elements differ from the model"):
        gnomon("kernel", folder.name, "--arch", "t13-simd4")


def test_a_trap_in_it_says_cause_function_and_line(folder: Path) -> None:
    source = folder / "vector.c"
    text = source.read_text().replace("VCU_SPM(0), VCU_SPM(1))", "VCU_SPM(0), VCU_SPM(0))")
    source.write_text(text)
    line = 1 + text[: text.index("kaddv")].count("\n")
    with pytest.raises(CheckFailed) as caught:
        gnomon("kernel", folder.name, "--arch", "t13-simd4", "--n", "16")
    assert re.search(
        r"on t13-simd4: trap on hart 0: both source vectors .* in the same scratchpad"
        rf" at 0x[0-9A-F]+ in {folder.name}_vector_floor_wrap \(vector\.c:{line}\)$",
        str(caught.value),
    )


def test_it_needs_as_many_scratchpads_as_it_says(folder: Path) -> None:
    words = ("kernel", folder.name, "--arch", "t13-simd4", "--variant", "vector", "--json")

    def cycles(count: int) -> list[int]:
        said = gnomon(*words, "--set", f"vcu.scratchpads.count={count}")
        return [run["wall_cycles"] for run in json.loads(said)["runs"]]

    assert cycles(2) == cycles(4)
    with pytest.raises(GnomonError, match=r"has 1 scratchpad\(s\), the kernel needs 2"):
        cycles(1)
    source = folder / "vector.c"
    source.write_text(source.read_text().replace("VCU_SPM(1)", "VCU_SPM(2)"))
    assert cycles(4)
    checks = {
        each.name: each for each in check_kernel(find_kernel(folder.name)) if "/vec" in each.of
    }
    checks["machine-equals-model"].run()
    with pytest.raises(CheckFailed, match="where there is no scratchpad"):
        checks["small-scratchpads"].run()


def test_a_call_of_another_size_is_reported_with_the_others(folder: Path) -> None:
    (folder.parents[1] / "trace.csv").write_text(
        f"kernel,shape\n{folder.name},4x4\ndt,4\ndot,4\n{folder.name},4\n"
    )
    with pytest.raises(GnomonError) as caught:
        gnomon("replay", "trace.csv", "--arch", "t13")
    first, second = str(caught.value).splitlines()
    assert first == f"trace.csv:2: kernel {folder.name} has a shape of 1 number(s), length; got 2"
    assert second.startswith("trace.csv:3: unknown kernel 'dt' (allowed, with the numbers")
    assert f"; {folder.name} length, did you mean 'dot'?)" in second


def test_shipped_kernels_are_found_from_anywhere(folder: Path) -> None:
    assert find_kernel("solve-lower").folder.name == "solve_lower"
