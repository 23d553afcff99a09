"""``gnomon power fit``: what it prints, writes and refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.cli._app import app
from gnomon.energy import read_power_table
from gnomon.errors import GnomonError

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

ACTIVITY = "point,alu,lsu\n" + "".join(f"p{k},{10 * k},{(7 * k) % 5}\n" for k in range(1, 9))
POWER = "point,power_mw\n" + "".join(f"p{k},{50 + 2 * k + (7 * k) % 5}\n" for k in range(1, 9))


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    for name, text in (("a.csv", ACTIVITY), ("p.csv", POWER)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return str(tmp_path / "a.csv"), str(tmp_path / "p.csv")


def fit(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["power", "fit", *arguments], catch_exceptions=False)


def test_exact_points(files: tuple[str, str]) -> None:
    """2 mW per 10 toggles of the ALU is 2 pJ each at 100 MHz; 1 mW per toggle of the LSU, 10 pJ."""
    answer = json.loads(fit(*files, "--by", "unit", "--json").stdout)
    values = {name: each["value"] for name, each in answer["parameters"].items()}
    assert values == pytest.approx({"clock": 50, "alu": 2, "lsu": 10})
    assert answer["points"] == 8
    assert answer["not_identified"] == []


def test_words(files: tuple[str, str]) -> None:
    out = fit(*files, "--by", "alu+lsu").stdout
    assert "power of 8 points" in out
    assert "alu+lsu" in out
    assert "leave one out" in out


def test_a_table_is_written_and_read(files: tuple[str, str], tmp_path: Path) -> None:
    out = tmp_path / "mine.yaml"
    result = fit(*files, "--out", str(out), "--draws", "5", "--title", 'say "so"', "--by", "unit")
    assert result.exit_code == 0
    table = read_power_table(out)
    assert table.title == 'say "so"'
    assert table.clock.value == pytest.approx(50)
    assert table.pj_per_toggle(["lsu", "alu"]).tolist() == pytest.approx([10, 2])
    before = out.read_bytes()
    fit(*files, "--out", str(out), "--draws", "5", "--title", 'say "so"', "--by", "unit")
    assert out.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--by", "alu,alu+lsu"], "--by: unit 'alu' is in more than one group"),
        (["--by", "alu,"], "--by takes total, unit, or groups such as alu+lsu,divider; not 'alu,'"),
        (["--by", "fpu"], "group fpu: the activity has no unit 'fpu' (units: alu, lsu)"),
        (["--draws", "-1"], "--draws and --seed must not be negative, not -1 and 0"),
    ],
)
def test_refusals(files: tuple[str, str], arguments: list[str], message: str) -> None:
    with pytest.raises(GnomonError) as caught:
        fit(*files, *arguments)
    assert str(caught.value) == message
