"""``make study``: a part measured now, laid over the committed rows."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnomon.base.errors import GnomonError
from gnomon.cli.app import app
from gnomon.content.reports.paper.results import Results, committed_reports
from gnomon.content.reports.paper.study import _shown, paper_page

ROOT = Path(__file__).parents[3]
COMMITTED = ROOT / "reports" / "paper"


def invoke(*arguments: str) -> list[str]:
    result = CliRunner().invoke(app, ["report", "paper", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout.splitlines()


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as lines:
        return list(csv.DictReader(lines))


def test_first_lines_are_those_of_the_page() -> None:
    results = Results(committed_reports())
    title, heads, columns, *rows, energy, area, _, now = _shown("headline", results).splitlines()
    assert "one Disjoint step (a decision and an update)" in title
    assert heads.startswith("Times as fast as the standard step on the core alone")
    assert columns.split() == ["waited", "(wall", "cycles)", "by", "hart", "cycles", "published"]
    speedups = ("24.6", "9.4", "48.5")
    assert [row.split()[-3:] for row in rows] == [
        ["24.6", "24.0", "25.7"], ["9.4", "10.7", "8.7"], ["48.5", "54.6", "57.7"]
    ]  # fmt: skip
    assert [row[2:23].strip() for row in rows] == ["optimized algorithm", "vector unit", "both"]
    assert "% of the energy (published 1.8%)" in energy
    assert re.findall(r"[0-9][0-9.,]*[0-9]", area) == ["10,385", "5,240", "2.0"]
    assert now.startswith("Now measuring the steps with 4 and 8 features")
    page, _ = paper_page(results)
    headline = page.partition('<section id="headline">')[2].partition("</section>")[0]
    for number in (*speedups, "2.0", "10,385", "5,240"):
        assert number in headline


def check(folder: Path, lines: list[str], params: tuple[int, ...]) -> None:
    assert lines[0].startswith("LinearUCB on the Klessydra-T13: one Disjoint step")
    (std,) = [line for line in lines if line.startswith("  std ") and " 4 " in line]
    assert std.split()[2:5] == ["96,117", "112,592", "+17.1%"]
    assert std.endswith(" 235,198  +12.9% to +39.4%")  # wall, and the spread of the builds
    assert lines[-1] == f"the page: {folder / 'paper.html'}"
    page = (folder / "paper.html").read_text()
    assert f"{12 * len(params)} of 464 in <code>paper/cells.csv</code>" in page
    assert "All of the new rows equal the committed ones." in page
    assert "<h1>A bandit step" in page
    for name in ("cells", "figure8", "figure9", "figure11"):
        committed = [{**row, "note": ""} for row in rows(COMMITTED / f"{name}.csv")]
        new = [{**row, "note": ""} for row in rows(folder / f"{name}.csv")]
        assert new
        assert all(row in committed for row in new), name


@pytest.mark.heavy("studies")
def test_whole_part(tmp_path: Path) -> None:
    check(tmp_path, invoke("--quick", "--out", str(tmp_path)), (4, 8))


def test_a_part_never_takes_the_place_of_the_committed_tables() -> None:
    before = (COMMITTED / "cells.csv").read_bytes()
    with pytest.raises(GnomonError, match="--quick makes a part of the tables"):
        invoke("--quick", "--out", str(COMMITTED))
    assert (COMMITTED / "cells.csv").read_bytes() == before
