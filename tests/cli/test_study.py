"""The study at small sizes: golden numbers, and the same bytes every time."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnomon.base.errors import GnomonError
from gnomon.cli.app import app

# Wall cycles, as committed in reports/study/study.csv: scalar, SIMD 1, 2, 4, 8.
GOLDEN = {
    ("add", 4): [431, 138, 130, 126, 124],
    ("add", 8): [1679, 318, 310, 310, 310],
    ("multiply", 4): [4278, 539, 522, 491, 486],
    ("multiply", 8): [30766, 2342, 1644, 1613, 1452],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study")
    code, out = invoke("--sizes", "8,4", "--out", str(folder))
    assert code == 0
    names = ("study.md", "study.csv", "study.svg")
    assert out.splitlines() == [str(folder / name) for name in names]
    return folder


def invoke(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["study", *arguments], catch_exceptions=False)
    return result.exit_code, result.stdout


def wall_cycles(path: Path) -> dict[tuple[str, int], list[int]]:
    found: dict[tuple[str, int], list[int]] = {}
    with path.open() as file:
        for row in csv.DictReader(file):
            found.setdefault((row["kernel"], int(row["n"])), []).append(int(row["wall_cycles"]))
    return found


def test_golden_numbers(folder: Path) -> None:
    assert wall_cycles(folder / "study.csv") == GOLDEN


def test_committed_report_has_the_same_numbers() -> None:
    committed = wall_cycles(Path(__file__).parents[2] / "reports" / "study" / "study.csv")
    assert {key: committed[key] for key in GOLDEN} == GOLDEN


def test_page_says_what_was_measured(folder: Path) -> None:
    page = (folder / "study.md").read_text()
    assert "| 4 | 4,278 | 539 (7.94) | 522 (8.20) | 491 (8.71) | 486 (8.80) |\n" in page
    assert "- Machine: `t13-simd4` " in page
    assert "-O2" in page
    assert "| multiply | 4 | 6.42 | 8.71 | 10.06 |\n" in page
    assert "| multiply | 32 |" not in page


def test_same_bytes_again(folder: Path, tmp_path: Path) -> None:
    invoke("--sizes", "4,8", "--out", str(tmp_path))
    for path in sorted(folder.iterdir()):
        assert path.read_bytes() == (tmp_path / path.name).read_bytes(), path.name


def test_json(tmp_path: Path) -> None:
    code, out = invoke("--sizes", "4", "--out", str(tmp_path / "deep" / "er"), "--json")
    assert code == 0
    rows = json.loads(out)["rows"]
    assert [row["simd"] for row in rows] == [None, 1, 2, 4, 8] * 2
    assert all(row["largest_error"] <= row["error_bound"] for row in rows)


def test_bad_sizes() -> None:
    with pytest.raises(GnomonError) as caught:
        invoke("--sizes", "4,0")
    assert str(caught.value) == "--sizes takes numbers from 1 up with commas between, not '4,0'"


def test_machine_without_a_vector_unit(tmp_path: Path) -> None:
    with pytest.raises(GnomonError) as caught:
        invoke("--arch", "t13", "--sizes", "4", "--out", str(tmp_path / "none"))
    assert str(caught.value) == (
        "t13 has no vector unit, whose width the study varies; take a machine with one, such as"
        " t13-simd4"
    )
    assert not (tmp_path / "none").exists()
