"""The study at small sizes: golden numbers, and the same bytes every time."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnomon.base.errors import GnomonError
from gnomon.cli.app import app

# Wall cycles, as committed in reports/study/study.csv: scalar variants, SIMD 1, 2, 4, 8.
GOLDEN = {
    ("add", 4): [431, 138, 130, 126, 124],
    ("add", 8): [1679, 318, 310, 310, 310],
    ("multiply", 4): [4278, 3249, 539, 522, 491, 486],
    ("multiply", 8): [30766, 21061, 2342, 1644, 1613, 1452],
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


def test_readme_compares_with_the_fastest_scalar_kernel() -> None:
    root = Path(__file__).parents[2]
    with (root / "reports" / "study" / "study.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["kernel"] == "multiply"]
    readme = (root / "README.md").read_text()
    for n in (8, 16, 32):
        own = [row for row in rows if int(row["n"]) == n]
        scalar = min((r for r in own if not r["simd"]), key=lambda row: int(row["wall_cycles"]))
        vector = [row for row in own if row["simd"]]
        fastest = int(scalar["wall_cycles"])
        gains = [f"{fastest / int(row['wall_cycles']):.1f} x" for row in vector]
        errors = (f"{float(each['largest_error']):.2g}" for each in (scalar, vector[-1]))
        cells = [str(n), f"{fastest:,}", *gains, *(e.replace("3e-05", "0.00003") for e in errors)]
        assert f"| {' | '.join(cells)} |" in readme.splitlines()


def test_page_says_what_was_measured(folder: Path) -> None:
    page = (folder / "study.md").read_text()
    assert "| 4 | 4,278 | 3,249 | 539 (6.03) | 522 (6.22) | 491 (6.62) | 486 (6.69) |\n" in page
    assert "- Machine: `t13-simd4` " in page
    assert "-O2" in page
    assert "| multiply | 4 | 6.42 | 8.71 | 10.06 | 6.62 |\n" in page
    assert "| multiply | 32 |" not in page


def test_same_bytes_again(folder: Path, tmp_path: Path) -> None:
    invoke("--sizes", "4,8", "--out", str(tmp_path))
    for path in sorted(folder.iterdir()):
        assert path.read_bytes() == (tmp_path / path.name).read_bytes(), path.name


def test_json(tmp_path: Path) -> None:
    code, out = invoke("--sizes", "4", "--out", str(tmp_path / "deep" / "er"), "--json")
    assert code == 0
    rows = json.loads(out)["rows"]
    assert [row["simd"] for row in rows] == [None, 1, 2, 4, 8, None, None, 1, 2, 4, 8]
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
