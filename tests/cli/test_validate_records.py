"""``gnomon validate`` and ``gnomon validate dividers``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.cli import main
from gnomon.cli.app import app
from gnomon.rtl.validate import Record, format_records
from tests.rtl.conftest import simulator

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.rtl import Tool

__all__ = ["simulator"]  # a fixture
GOOD = Record("cycles", "cocotb", 12, 0, None, "gnomon validate x", "3", "icarus 11.0")
BAD = Record("values", "rtl", 5, 1, "+1 cycles", "gnomon validate y", "4", "ghdl 2.0")


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["validate", *arguments], catch_exceptions=False)
    return result.exit_code, result.stdout


def test_the_table_says_where_it_is_recorded(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_bytes(format_records([GOOD], "good"))
    code, out = run("--records", str(tmp_path))
    assert code == 0
    assert out == (
        "quantity  truth      must be         how        compared  mismatches  worst\n"
        "cycles    cocotb     equal           recorded         12           0  -\n"
        f"recorded in {tmp_path}/r.csv: icarus 11.0; repeat: gnomon validate x\n"
    )


def test_a_recorded_mismatch_is_exit_code_1(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_bytes(format_records([GOOD, BAD], "both"))
    code, out = run("--records", str(tmp_path), "--json")
    assert code == 1
    assert json.loads(out)["rows"][1] == {
        "quantity": "values", "truth": "rtl", "compared": 5, "mismatches": 1,
        "worst": "+1 cycles", "command": "gnomon validate y", "seed": "4", "tool": "ghdl 2.0",
        "record": f"{tmp_path}/r.csv:4", "criterion": "equal", "how": "recorded",
    }  # fmt: skip


def test_nothing_recorded_is_exit_code_2(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["gnomon", "validate", "--records", str(tmp_path)])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 2
    assert capsys.readouterr().err == f"gnomon: {tmp_path}: no recorded results (*.csv) here\n"


@pytest.mark.heavy("studies")
def test_one_table_of_every_truth() -> None:
    code, out = run("--json")
    rows = json.loads(out)["rows"]
    wrong = [row for row in rows if row["mismatches"] and row["truth"] != "published"]
    assert all(
        "lock-step" in row["quantity"] for row in wrong
    )  # docs/notes/klessydra.md has their causes
    assert code == bool(wrong)
    truths = [row["truth"] for row in rows]
    assert list(dict.fromkeys(truths)) == ["rtl", "cocotb", "law", "isa", "published"]
    live = {row["quantity"]: row["compared"] for row in rows if row["how"] == "live"}
    measured = {name: count for name, count in live.items() if name.startswith("T13: ")}
    assert list(measured.values()) == [2180, 5508, 1164, 245, 3264, 2312, 41, 9, 14]
    assert all(row["command"] and row["tool"] for row in rows)
    assert all((row["record"] is None) == (row["how"] == "live") for row in rows)
    by_name = {row["quantity"]: row["compared"] for row in rows}
    assert by_name["divider klessydra_vl_std: cycles"] >= 100_000
    assert by_name["vector division, 8 x klessydra_vl_std: elements"] >= 90_000


@pytest.mark.heavy("rtl")
def test_dividers_are_compared_again(simulator: Tool, tmp_path: Path) -> None:
    code, out = run("dividers", "--random", "5", "--out", str(tmp_path / "r.csv"), "--json")
    fresh = json.loads(out)["rows"]
    assert code == 0
    assert all(row["mismatches"] == 0 for row in fresh)
    again = json.loads(run("--records", str(tmp_path), "--json")[1])["rows"]
    assert [{**row, "record": None, "how": "live"} for row in again] == fresh
