"""``gnomon power fit``: what it prints, writes and refuses."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.base.errors import GnomonError
from gnomon.cli.app import app
from gnomon.cost.energy import PowerTable

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
    table = PowerTable.load(str(out))
    assert table.title == 'say "so"'
    assert table.clock_power_mw.value == pytest.approx(50)
    assert table.pj_per_toggle(["lsu", "alu"]).tolist() == pytest.approx([10, 2])
    before = out.read_bytes()
    fit(*files, "--out", str(out), "--draws", "5", "--title", 'say "so"', "--by", "unit")
    assert out.read_bytes() == before


def vcd(toggles: tuple[int, int]) -> str:
    """Ten clock periods of 10 ns; nets of two instances change in the first instants."""
    head = "$timescale 1ns $end $scope module tb $end $var wire 1 c clk $end"
    for name, code in (("a", "x"), ("b", "y")):
        head += f" $scope module {name} $end $var wire 1 {code} net $end $upscope $end"
    lines = [head + " $upscope $end $enddefinitions $end", "#0", "0c", "0x", "0y"]
    for time in range(1, 101):
        lines.append(f"#{time}")
        if time % 5 == 0:
            lines.append(f"{time // 5 % 2}c")
        for code, count in zip("xy", toggles, strict=True):
            if time <= count:
                lines.append(f"{time % 2}{code}")
    return "\n".join(lines) + "\n"


def test_from_recordings_to_a_table(tmp_path: Path) -> None:
    """`gnomon power activity` writes each point, `gnomon power fit` reads the folder."""
    folder = tmp_path / "points"
    folder.mkdir()
    power = ["point,power_mw"]
    for number, toggles in enumerate([(10, 0), (20, 50), (40, 10), (80, 30), (5, 90)]):
        recording = tmp_path / f"p{number}.vcd"
        recording.write_text(vcd(toggles), encoding="utf-8")
        arguments = [str(recording), "--clock", "100MHz", "-o", str(folder / f"p{number}.csv")]
        CliRunner().invoke(app, ["power", "activity", *arguments], catch_exceptions=False)
        # 20 mW; 3 pJ per toggle of a, 4 of b, in toggles per cycle of ten cycles at 100 MHz.
        power.append(f"p{number},{20 + 0.1 * (3 * toggles[0] + 4 * toggles[1]) / 10}")
    (tmp_path / "p.csv").write_text("\n".join(power) + "\n", encoding="utf-8")
    arguments = [str(folder), str(tmp_path / "p.csv"), "--by", "tb/a,tb/b", "--json"]
    values = {
        name: each["value"]
        for name, each in json.loads(fit(*arguments).stdout)["parameters"].items()
    }
    assert values == pytest.approx({"clock": 20, "tb/a": 3, "tb/b": 4})


def test_an_activity_file_without_a_clock(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text(POWER, encoding="utf-8")
    folder = tmp_path / "points"
    folder.mkdir()
    with pytest.raises(GnomonError) as caught:
        fit(str(folder), str(tmp_path / "p.csv"))
    assert str(caught.value) == f"{folder}: holds no CSV files"
    (folder / "p1.csv").write_text("instance,toggles\ntb,3\n", encoding="utf-8")
    with pytest.raises(GnomonError) as caught:
        fit(str(folder), str(tmp_path / "p.csv"))
    assert str(caught.value) == (
        f"{folder / 'p1.csv'}:1: has no column toggles_per_cycle; `gnomon power activity FILE"
        " --clock F --output POINT.csv` writes it"
    )


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
