"""The report of the committed tables, and the small size measured: files, cells, sentences."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd
import pytest
from typer.testing import CliRunner

from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.base.progress import Steps
from gnomon.cli.app import app
from gnomon.content.reports.embedded_learners import study as package
from gnomon.content.reports.embedded_learners.step_costs import lossless_bits
from gnomon.content.reports.embedded_learners.study import EmbeddedLearners, report_of, run_embedded

if TYPE_CHECKING:
    from pathlib import Path


REPORT = content("reports", "embedded_learners").resolve()


@pytest.fixture(scope="module")
def small() -> EmbeddedLearners:
    progress = Steps()
    result = run_embedded("small", progress)
    assert progress.done == progress.total > 0
    return result


@pytest.fixture(scope="module")
def learners() -> EmbeddedLearners:
    """The committed tables; arms and details of runs are in no table."""
    costs = pd.read_csv(REPORT / "embedded_costs.csv").assign(arm=0)
    costs["run"] = [{}] * len(costs)
    formats = pd.read_csv(REPORT / "embedded_formats.csv", dtype={"inverse_bits": "Int64"})
    formats = formats.rename(columns={"regret_float": "float_regret"}).astype(object)
    return EmbeddedLearners("full", formats.where(formats.notna(), None), costs)


def test_committed_files(learners: EmbeddedLearners, tmp_path: Path) -> None:
    """Tables to the letter, the words of the page: its numbers have more digits than tables."""
    page, *tables, _ = report_of(learners).write(tmp_path)
    for path in tables:
        assert path.read_bytes() == (REPORT / path.name).read_bytes(), path.name
    text, committed = (
        re.sub(r"[\d.]+", "0", each.read_text()) for each in (page, REPORT / page.name)
    )
    assert text == committed


@pytest.mark.heavy("studies")
def test_files(small: EmbeddedLearners, tmp_path: Path) -> None:
    first = report_of(small).write(tmp_path / "a")
    assert [path.name for path in first] == [
        "embedded.md",
        "embedded_formats.csv",
        "embedded_costs.csv",
        "embedded_formats.svg",
    ]
    for one, two in zip(first, report_of(small).write(tmp_path / "b"), strict=True):
        assert one.read_bytes() == two.read_bytes()
    costs = list(csv.DictReader(io.StringIO((tmp_path / "a" / "embedded_costs.csv").read_text())))
    assert {row["learner"] for row in costs} == {"softucb", "ares"}
    assert {row["arch"] for row in costs} == {"t13-simd4", "t13-paper-simd4"}
    page = (tmp_path / "a" / "embedded.md").read_text()
    for row in costs:
        assert float(row["energy_low_uj"]) <= float(row["energy_uj"])
        assert f"{int(row['update_cycles']):,}" in page
    assert "{" not in page
    assert "| optimized | t13-simd4; t13-paper-simd4 |" in page, "equal figures share a row"
    assert "| standard-vector | t13-simd4 |" in page


def test_sentences_follow_the_numbers(learners: EmbeddedLearners) -> None:
    """A machine that chooses another arm, and formats that all lose, are said."""
    text = report_of(learners).page()
    assert "All machines below chose the same arms." in text
    first = learners.costs.iloc[0]
    costs = learners.costs.assign(arm=[first["arm"] + 1, *learners.costs["arm"][1:]])
    results = replace(learners, costs=costs, formats=learners.formats.assign(regret_ratio=2.0))
    changed = report_of(results).page()
    assert "All machines below" not in changed
    assert f"Some arms differ between machines: {first['learner']} {first['variant']}." in changed
    assert "none measured" in changed


def test_command(
    learners: EmbeddedLearners, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(package, "run_embedded", lambda *_: learners)
    arguments = ["experiment", "embedded-learners", "--out", str(tmp_path), "--json"]
    run = CliRunner().invoke(app, arguments)
    assert run.exit_code == 0, run.output
    answer = json.loads(run.stdout)
    assert len(answer["costs"]) == len(learners.costs)
    assert len(answer["formats"]) == len(learners.formats)


def test_unknown_size() -> None:
    with pytest.raises(GnomonError) as error:
        run_embedded("fll")
    assert str(error.value).startswith("there is no size 'fll' (allowed: small, full")


@pytest.mark.parametrize(
    ("ratios", "expected"),
    [
        ({8: 1.3, 12: 1.01, 16: 1.0}, 12),
        ({8: 1.0, 12: 1.05, 16: 1.0}, 16),
        ({8: 1.0, 12: 1.0, 16: 1.021}, None),
        ({8: 0.9}, 8),
    ],
)
def test_the_fewest_bits_from_which_on(ratios: dict[int, float], expected: int | None) -> None:
    """A coarse format that is lucky does not count if a finer one fails."""
    assert lossless_bits(pd.Series(ratios)) == expected
