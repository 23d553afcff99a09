from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from gnomon.base.errors import GnomonError
from gnomon.cli.app import app


def invoke(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["kernel", *arguments], catch_exceptions=False)
    return result.exit_code, result.stdout


def test_table() -> None:
    code, out = invoke("add", "--n", "4", "--arch", "t13-simd4")
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    scalar = next(words for words in lines if words[:1] == ["scalar"])
    vector = next(words for words in lines if words[:1] == ["vector"])
    assert scalar[5] == "1.00"
    cycles = [int(words[1].replace(",", "")) for words in (scalar, vector)]
    assert vector[5] == f"{cycles[0] / cycles[1]:.2f}"
    assert "  vector: exact, wraps modulo 2^32 (fx_add_vector_wrap)\n" in out


def test_json() -> None:
    arguments = ("multiply", "--shape", "2x3x4", "--variant", "vector,scalar")
    code, out = invoke(*arguments, "--arch", "t13-simd4", "--set", "vcu.simd=2", "--json")
    assert code == 0
    answer = json.loads(out)
    assert answer["extents"] == {"rows": 2, "inner": 3, "columns": 4}
    assert answer["format"] == {
        "fraction_bits": 15,
        "pre_shift_a": 5,
        "pre_shift_b": 5,
        "post_shift": 5,
    }
    assert [run["variant"] for run in answer["runs"]] == ["vector", "scalar"]
    for run in answer["runs"]:
        assert sum(run["counters"].values()) >= run["hart_cycles"] - run["wall_cycles"]
        assert 0 < run["error"] <= run["error_bound"]


def test_other_split_of_the_shifts() -> None:
    arguments = ("dot", "--n", "9", "--arch", "t13-simd4", "--variant", "vector", "--json")
    _, few = invoke(*arguments, "--pre-shifts", "3,3")
    _, many = invoke(*arguments)
    assert json.loads(few)["runs"][0]["error_bound"] < json.loads(many)["runs"][0]["error_bound"]


def test_without_a_vector_unit_scalar_is_all() -> None:
    code, out = invoke("dot", "--arch", "rv32im", "--json")
    assert code == 0
    assert [run["variant"] for run in json.loads(out)["runs"]] == ["scalar", "scalar-sum"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--n", "4", "--shape", "4,4"], "n and shape both set the size; omit one"),
        (
            ["--shape", "4,x"],
            "shape must be numbers with x or commas between, such as 8x8x4, not '4,x'",
        ),
        (["--shape", "4"], "kernel add is sized by 2 number(s), rows,columns; got 1"),
        (["--n", "0"], "kernel add: rows must be at least 1, not 0"),
        (["--seed", "-1"], "the seed must not be negative, not -1"),
        (
            ["--variant", "scalar,simd"],
            "kernel add has no variant 'simd' (allowed: scalar, vector)",
        ),
        (
            ["--variant", "vector"],
            "kernel add, variant vector: t13 has no vector unit (use --variant scalar)",
        ),
        (["--pre-shifts", "5"], "--pre-shifts takes 2 numbers separated by commas, not '5'"),
    ],
)
def test_bad_input(arguments: list[str], message: str) -> None:
    with pytest.raises(GnomonError) as caught:
        invoke("add", "--arch", "t13", *arguments)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("kernel", "lacking", "ran", "left_out"),
    [
        ("multiply", "vcu.sharing=replicated", "scalar scalar-sum vector", "vector-harts"),
        ("add", "vcu.scratchpads.count=2", "scalar", "vector"),
        ("multiply", "vcu=none", "scalar scalar-sum", "vector vector-harts"),
    ],
)
def test_variants_that_the_machine_cannot_run(
    kernel: str, lacking: str, ran: str, left_out: str
) -> None:
    """They are left out with the reason, unless they are asked for."""
    arguments = (kernel, "--n", "4", "--arch", "t13-simd4", "--set", lacking)
    code, out = invoke(*arguments, "--json")
    assert code == 0
    answer = json.loads(out)
    assert " ".join(run["variant"] for run in answer["runs"]) == ran
    assert " ".join(answer["not_run"]) == left_out
    asked = left_out.split(maxsplit=1)[0]
    with pytest.raises(GnomonError) as caught:
        invoke(*arguments, "--variant", asked)
    reason = answer["not_run"][asked]
    assert str(caught.value) == f"kernel {kernel}, variant {asked}: {reason}"
    assert f"  not run: {asked}: {reason}"[:40] in invoke(*arguments)[1]


def test_profile_is_of_the_run_that_was_measured() -> None:
    arguments = ("multiply", "--n", "4", "--arch", "t13-simd4", "--variant", "scalar")
    code, out = invoke(*arguments, "--profile")
    assert code == 0
    rows = [line.split() for line in out.splitlines()]
    function = next(row for row in rows if row[:1] == ["fx_multiply_scalar_toward_zero_wrap"])
    (run,) = json.loads(invoke(*arguments, "--json")[1])["runs"]
    # The last cycle of the region is that of the driver's load, in main.
    assert int(function[1].replace(",", "")) == run["hart_cycles"] - 1
    assert int(function[3].replace(",", "")) == run["issued"] - 1
    with pytest.raises(GnomonError, match="leave out --json"):
        invoke(*arguments, "--profile", "--json")
