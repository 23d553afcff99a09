"""The files of a report: the same bytes again, nothing left out unsaid."""

from __future__ import annotations

import csv
import json
import re
from typing import TYPE_CHECKING

import pytest

from gnomon.explore import SweepResult, make_sweep, recommend, run_sweep
from gnomon.explore.metrics import METRICS
from gnomon.report.sweep import _shown, write_sweep_report
from gnomon.report.sweep._page import page_data
from gnomon.report.sweep._shown import named, select_shown

from .conftest import kernel_sweep

if TYPE_CHECKING:
    from pathlib import Path


def test_the_same_sweep_gives_the_same_bytes(
    small: SweepResult, report: Path, tmp_path: Path
) -> None:
    paths = write_sweep_report(small, tmp_path, "the <file> & its text")
    assert sorted(path.name for path in paths) == [
        "front.svg", "index.html", "points.csv", "sensitivity.csv", "sensitivity.svg",
    ]  # fmt: skip
    for path in paths:
        assert path.read_bytes() == (report / path.name).read_bytes()


def test_a_legend_names_the_ends_and_no_more_than_a_dozen() -> None:
    for count in range(1, 1000):
        places = named(count)
        assert (places[0], places[-1]) == (0, count - 1)
        assert places == sorted(set(places))
        assert len(places) == count if count <= 12 else 5 <= len(places) <= 12


def test_the_page_is_one_small_file(report: Path) -> None:
    page = (report / "index.html").read_text()
    assert len(page) < 1_000_000
    assert "the &lt;file&gt; &amp; its text" in page
    assert not re.search(r"""(src|href)=["'](?!data:|#)""", page)
    assert "url(" not in page
    assert "@import" not in page


def test_the_page_holds_what_was_measured(small: SweepResult, report: Path) -> None:
    page = (report / "index.html").read_text()
    held = re.search(r'<script type="application/json" id="data">(.*)</script>', page)
    assert held is not None
    data = json.loads(held[1])
    measured = [row for row in small.rows if not row.failed]
    assert data["points"] == [row.index for row in measured]
    by_name = {metric.name: metric for metric in METRICS}
    for column in data["metrics"]:
        for row, value in zip(measured, column["values"], strict=True):
            known = row.metric(by_name[column["name"]])
            assert value == (None if known is None else pytest.approx(known, rel=1e-6))
    for axis in data["axes"]:
        for row, place in zip(measured, axis["of"], strict=True):
            assert axis["values"][place] == str(small.named(row)[axis["name"]])


def test_the_table_has_every_point_with_its_reason(small: SweepResult, report: Path) -> None:
    with (report / "points.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["point"]) for row in rows] == [row.index for row in small.rows]
    assert sum(bool(row["failed"]) for row in rows) == len(small.failed) == 8
    take = recommend(small)[0].take
    assert take is not None
    assert [row["point"] for row in rows if row["recommended"] == "yes"] == [str(take.index)]
    for row, measured in zip(rows, small.rows, strict=True):
        assert row["vcu.simd"] == str(small.named(measured)["vcu.simd"])
        if measured.failed:
            assert not row["time_us"]
        else:
            assert float(row["time_us"]) == pytest.approx(measured.outcome.metrics["time_us"])


def test_a_page_of_a_large_sweep_keeps_its_front(
    small: SweepResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_shown, "MOST_POINTS", 6)
    shown = select_shown(small)
    assert len(shown.measured) == 24
    assert len(shown.held.rows) < 24
    held = page_data(shown)["points"]
    assert shown.front <= set(held)
    assert set(shown.taken) <= set(held)


def test_a_sweep_of_which_nothing_could_be_measured(tmp_path: Path) -> None:
    axes = {"vcu.simd": [1], "shape": ["2x0x2", "axb"]}
    result = run_sweep(make_sweep(kernel_sweep(axes=axes, fixed={"variant": "vector"})))
    assert len(result.failed) == 2
    write_sweep_report(result, tmp_path)
    page = (tmp_path / "index.html").read_text()
    assert "No point could be measured." in page
    assert "shape must be numbers with x or commas between" in page
    assert not (tmp_path / "front.svg").exists()
