"""``gnomon validate isa``: rows, exit codes and messages, without any public suite."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.cli import main
from gnomon.cli.app import app
from tests.validate.conftest import EXIT_3, Checkout, builds, cache, checkout

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["builds", "cache", "checkout"]  # fixtures


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["validate", "isa", *arguments], catch_exceptions=False)
    return result.exit_code, result.stdout


def test_all_pass(checkout: Checkout) -> None:
    code, out = run("--riscv-tests", str(checkout.root), "--arch-test", str(checkout.root))
    assert code == 0
    assert out == (
        "rv32ui: 1 of 1 tests pass\n"
        "rv32um: 1 of 1 tests pass\n"
        "rv32i_m-I: 1 of 1 tests pass\n"
        "rv32i_m-M: 1 of 1 tests pass\n"
    )


def test_a_failure_is_exit_code_1(checkout: Checkout) -> None:
    checkout.riscv_test("bad", EXIT_3)
    code, out = run("--riscv-tests", str(checkout.root), "--except", "rv32um/multiply")
    assert (code, out) == (
        1,
        "rv32ui: 1 of 2 tests pass\n  rv32ui/bad: exit code 3\n  rv32um/multiply: left out\n",
    )


def test_json(checkout: Checkout) -> None:
    checkout.riscv_test("bad", EXIT_3)
    code, out = run(
        "--riscv-tests", str(checkout.root), "--except", "rv32um/multiply", "--arch", "t13",
        "--json",
    )  # fmt: skip
    assert code == 1
    assert json.loads(out) == {
        "arch": "t13",
        "rows": [
            {
                "quantity": "rv32ui",
                "truth": "isa",
                "compared": 2,
                "mismatches": 1,
                "worst": "bad: exit code 3",
            }
        ],
        "tests": [
            {"group": "rv32ui", "name": "bad", "passed": False, "failure": "exit code 3"},
            {"group": "rv32ui", "name": "good", "passed": True, "failure": None},
        ],
        "excepted": ["rv32um/multiply"],
    }


def test_results_are_recorded_with_the_command(checkout: Checkout) -> None:
    record = checkout.root / "record.csv"
    code, _ = run("--riscv-tests", str(checkout.root), "--out", str(record))
    assert code == 0
    assert record.read_text().splitlines()[2:] == [
        f"rv32im: tests of riscv-tests {group},isa,1,0,,gnomon validate isa --arch rv32im"
        " --riscv-tests CHECKOUT,,riscv-tests of no known revision"
        for group in ("rv32ui", "rv32um")
    ]


def test_a_bad_path_is_exit_code_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "nowhere"
    monkeypatch.setattr("sys.argv", ["gnomon", "validate", "isa", "--riscv-tests", str(path)])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 2
    assert capsys.readouterr().err == (
        f"gnomon: {path}: no such folder; give the path of a riscv-tests checkout\n"
    )
