from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.cli.app import app
from gnomon.explore import read_sweep

if TYPE_CHECKING:
    from click.testing import Result

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

SPEC = """\
schema: 1
name: adding
kernel: add
arch: t13-simd1
fixed: {variant: vector}
axes:
  n: [2, 6]
  vcu.simd: [1, 4]
  vcu.scratchpads.size: [64 B, 1 KiB]
constraints: [time <= 1 ms, area <= 20 kLUT]
objectives: [time, energy]
per: [n]
"""


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["sweep", *arguments], catch_exceptions=False)


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "adding.yaml"
    path.write_text(SPEC)
    return path


def test_tables(spec: Path, tmp_path: Path) -> None:
    result = invoke(str(spec), "--jobs", "1", "--out", str(tmp_path / "out"))
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].startswith("adding: 8 of 8 points, ")
    assert any(line.startswith("Pareto front, n 2: ") for line in lines)
    assert any(line.split()[:1] == ["vcu.simd"] and "%" in line for line in lines)
    assert "for n 6: take vcu.simd 4, " in " ".join(result.stdout.split())
    assert lines[-2:] == [
        str(tmp_path / "out" / "results.parquet"),
        str(tmp_path / "out" / "summary.json"),
    ]


def test_json(spec: Path, tmp_path: Path) -> None:
    result = invoke(str(spec), "--jobs", "1", "--out", str(tmp_path / "out"), "--json")
    answer: dict[str, Any] = json.loads(result.stdout)
    assert answer["points"] == 8
    assert sum(answer["counts"][name] for name in ("cached", "computed")) == 8
    assert [choice["where"] for choice in answer["choices"]] == [{"n": "2"}, {"n": "6"}]
    assert answer["sweep"]["constraints"] == ["time <= 1 ms", "area <= 20 kLUT"]
    written = json.loads((tmp_path / "out" / "summary.json").read_text())
    alone = {name: answer[name] for name in ("counts", "files", "unchecked")}
    assert written | alone == answer


def test_bad_flags(spec: Path) -> None:
    with pytest.raises(GnomonError, match=r"^--jobs must be at least 1, not 0$"):
        invoke(str(spec), "--jobs", "0")


def test_a_bad_file_writes_nothing(spec: Path, tmp_path: Path) -> None:
    spec.write_text(SPEC.replace("vcu.simd", "vcu.sind"))
    with pytest.raises(GnomonError, match=r"adding\.yaml:8: axes\.vcu\.sind: neither a setting"):
        invoke(str(spec), "--out", str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


SWEEPS = [path for path in sorted(EXAMPLES.glob("*.yaml")) if "\naxes:" in path.read_text()]


@pytest.mark.parametrize("path", SWEEPS, ids=lambda path: path.stem)
def test_examples_can_be_read(path: Path) -> None:

    sweep = read_sweep(path)
    assert sweep.name == path.stem
    assert len(path.read_text().splitlines()) <= 22


@pytest.mark.parametrize("command", ["sweep", "report sweep"])
def test_a_sweep_whose_points_all_fail_ends_with_1(tmp_path: Path, command: str) -> None:
    (tmp_path / "no.elf").write_bytes(b"no program")
    spec = tmp_path / "failing.yaml"
    spec.write_text(
        "schema: 1\nname: failing\nprogram: no.elf\narch: t13-simd4\naxes: {vcu.simd: [2, 4]}\n"
    )
    words = [*command.split(), str(spec), "--jobs", "1", "--out", str(tmp_path / "out")]
    with pytest.raises(CheckFailed, match=r"all 2 points failed; the first reason: .*not an ELF"):
        CliRunner().invoke(app, words, catch_exceptions=False)
