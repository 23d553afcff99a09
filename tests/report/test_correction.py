"""The report on the periodic correction, small, and what is committed of the full one."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnomon.base.errors import GnomonError
from gnomon.base.frames import csv_text
from gnomon.cli.app import app
from gnomon.content.reports.correction import measure
from gnomon.content.reports.correction.measure import CORRECTION_SIZES, Results, run_correction
from gnomon.content.reports.correction.study import correction_report, read_results
from gnomon.report.study import Steps, size_of

COMMITTED = Path(__file__).parents[2] / "reports" / "correction"
HEAVY = pytest.mark.heavy("studies")
SMALL, FULL = CORRECTION_SIZES["small"], CORRECTION_SIZES["full"]


@pytest.fixture(scope="module", params=[pytest.param(SMALL, marks=HEAVY, id="small")])
def study(request: pytest.FixtureRequest) -> Results:
    steps = Steps()
    result = run_correction(request.param, steps)
    assert steps.done == steps.total == 4 + 1 + 100
    return result


def committed() -> Results:
    """The full results, and the compiler that the page names."""
    return read_results(COMMITTED)


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_costs(study: Results) -> None:
    for (_, arch), steps in study.device.groupby(["learner", "arch"]):
        assert arch in {"t13", "t13-paper-simd4"}
        optimized, ordinary, correcting = steps.to_dict("records")
        assert ordinary["select_hart_cycles"] == correcting["select_hart_cycles"]
        assert ordinary["static_bytes"] == correcting["static_bytes"]
        assert optimized["stack_bytes"] <= ordinary["stack_bytes"] < correcting["stack_bytes"]
        for reading in ("hart", "wall"):
            one, two, three = (each[f"update_{reading}_cycles"] for each in
                               (optimized, ordinary, correcting))  # fmt: skip
            assert one < two < three


def test_fixed_point(study: Results) -> None:
    """Rounding to 2^-15: no correction, and the scores are soon anything."""
    table = study.fixed.set_index("period")
    assert table.index.tolist() == [None, 250, 25]
    beyond = table["first_step_beyond_0.01"]
    assert 50 < beyond[None] < beyond[25]
    after, last = (table[name].astype(float) for name in
                   ("median_error_after_correction", "last_median_error"))  # fmt: skip
    assert after[[250, 25]].max() < 0.01
    assert last[25] < 0.01
    assert last[None] > 1


def test_files_are_the_same_each_time(study: Results, tmp_path: Path) -> None:
    first, second = (correction_report(SMALL, study).write(tmp_path / name) for name in ("a", "b"))
    assert [path.name for path in first] == [
        "correction.md",
        "correction_gain.csv",
        "correction_device.csv",
        "correction_fixed.csv",
    ]
    for one, two in zip(first, second, strict=True):
        assert one.read_bytes() == two.read_bytes()


def test_the_page_holds_the_measured_numbers(study: Results) -> None:
    text = correction_report(SMALL, study).page()
    for row in study.device.to_dict("records"):
        if row["update"] == "ordinary" and row["variant"].startswith("corrected"):
            step = row["select_hart_cycles"] + row["update_hart_cycles"]
            assert f"| {step:,} |" in text
        assert f"| {row['stack_bytes']:,} |" in text
    for row in study.gain.to_dict("records"):
        assert f"| {float(row['median_orders']):.2f} |" in text
        assert f"| {float(row['largest_drift']):.1e} |" in text
    assert "- None of these periods gains 1.5 orders over all rounds everywhere." in text


def test_the_committed_page_is_that_of_the_committed_tables() -> None:
    assert correction_report(FULL, committed()).page() == (COMMITTED / "correction.md").read_text()


def test_sentences_follow_the_numbers() -> None:
    full = committed()
    gain, device, fixed = full.gain.copy(), full.device.copy(), full.fixed.copy()
    gain["median_orders"] = gain["period"].fillna(0) / 1000.0
    gain["after_orders"] = 0.5
    correcting = device["update"] == "correcting"
    device.loc[correcting, "update_wall_cycles"] *= 1000
    fixed["first_step_beyond_0.01"] = float("nan")
    text = correction_report(FULL, replace(full, gain=gain, device=device, fixed=fixed)).page()
    for sentence in (
        "Not even right after a correction is the gain 1.5 orders everywhere.",
        "A shorter period does not always raise the gain",
        "- 5,000 is the longest of these periods whose median gain",
        "does not gain most everywhere",
        "Corrections every 5,000 updates cost up to",
        "the scores stay within the limit of the standard variant for some",
    ):
        assert sentence in text
        assert sentence not in (COMMITTED / "correction.md").read_text()


def test_what_is_committed_is_what_the_machine_does(study: Results) -> None:
    table = rows((COMMITTED / "correction_device.csv").read_text())
    sizes = {(row["d"], row["f"]) for row in table}
    assert len(table) == 3 * 2 * len(sizes) == 72
    for row in rows(csv_text(study.device)):
        assert row in table


def test_committed_gains() -> None:
    gains = rows((COMMITTED / "correction_gain.csv").read_text())
    published = [row for row in gains if (row["variant"], row["period"]) == ("corrected", "5000")]
    assert [row["contexts"] for row in published] == ["uniform", "normal"]
    for row in published:
        assert float(row["peak_orders"]) > float(row["after_orders"]) >= 1.5
        assert max(float(row[f"{name}_orders"]) for name in ("median", "before", "last")) < 1.5
    every_20 = [row for row in gains if row["period"] == "20"]
    assert all(float(row["median_orders"]) >= 1.5 for row in every_20)
    text = (COMMITTED / "correction.md").read_text()
    assert "- 20 is the longest of these periods whose median gain" in text


def test_command(study: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = []
    monkeypatch.setattr(measure, "run_correction", lambda size, _: sizes.append(size) or study)
    arguments = ["report", "correction", "--out", str(tmp_path), "--json"]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    assert sizes == [SMALL]
    files = [Path(path) for path in json.loads(result.stdout)["files"]]
    assert all(path.parent == tmp_path and path.exists() for path in files)
    assert "--size small" in files[0].read_text()


def test_an_unknown_size() -> None:
    with pytest.raises(GnomonError) as caught:
        size_of("ful", CORRECTION_SIZES)
    assert str(caught.value) == (
        "there is no size 'ful' (allowed: small, full, did you mean 'full'?)"
    )
