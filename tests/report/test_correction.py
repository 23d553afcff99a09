"""The report on the periodic correction, small, and what is committed of the full one."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnomon.base.errors import GnomonError
from gnomon.cli._app import app
from gnomon.report.correction import (
    CORRECTION_SIZES,
    CorrectionStudy,
    correction_steps,
    find_correction_size,
    run_correction,
    write_correction,
)
from gnomon.report.correction._page import page
from gnomon.report.correction._tables import device_csv

COMMITTED = Path(__file__).parents[2] / "reports" / "linucb"
SMALL = CORRECTION_SIZES["small"]


@pytest.fixture(scope="module")
def study() -> CorrectionStudy:
    done: list[str] = []
    result = run_correction(SMALL, done.append)
    assert len(done) == correction_steps(SMALL) == 4 + 1 + 100
    return result


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_costs(study: CorrectionStudy) -> None:
    for cost in study.costs:
        assert cost.ordinary.select.hart_cycles == cost.correcting.select.hart_cycles
        assert cost.ordinary.static_bytes == cost.correcting.static_bytes
        for reading in ("hart", "wall"):
            step, correction = cost.step_cycles(reading), cost.correction_cycles(reading)
            assert cost.optimized_cycles(reading) < step
            assert correction > 0
            assert cost.amortised_cycles(reading, 1) == step + correction
            assert cost.amortised_cycles(reading, 5000) == step + correction / 5000
        optimized, ordinary, correcting = cost.stack_bytes
        assert optimized <= ordinary < correcting


def test_fixed_point(study: CorrectionStudy) -> None:
    """Rounding to 2^-15: no correction, and the scores are soon anything."""
    optimized, long, short = study.fixed
    assert (optimized.period, long.period, short.period) == (None, 250, 25)
    for error in study.fixed:
        assert error.first_beyond is not None
        assert error.first_beyond > 50
    assert optimized.after is None
    for error in (long, short):
        assert error.after is not None
        assert error.after < 0.01
    assert optimized.first_beyond is not None
    assert short.first_beyond is not None
    assert optimized.first_beyond < short.first_beyond
    assert short.last_median < 0.01
    assert optimized.last_median > 1


def test_files_are_the_same_each_time(study: CorrectionStudy, tmp_path: Path) -> None:
    first, second = (write_correction(study, tmp_path / name) for name in ("a", "b"))
    assert [path.name for path in first] == [
        "correction.md",
        "correction_gain.csv",
        "correction_device.csv",
        "correction_fixed.csv",
    ]
    for one, two in zip(first, second, strict=True):
        assert one.read_bytes() == two.read_bytes()


def test_the_page_holds_the_measured_numbers(study: CorrectionStudy) -> None:
    text = page(study)
    for cost in study.costs:
        for number in (cost.step_cycles("hart"), cost.correction_cycles("wall"), *cost.stack_bytes):
            assert f"| {number:,} |" in text
    for gain in study.gains:
        assert f"| {gain.median:.2f} |" in text
        assert f"| {gain.largest_drift:.1e} |" in text
    assert "- None of these periods gains 1.5 orders over all rounds everywhere." in text


def test_what_is_committed_is_what_the_machine_does(study: CorrectionStudy) -> None:
    committed = rows((COMMITTED / "correction_device.csv").read_text())
    sizes = {(row["d"], row["f"]) for row in committed}
    assert len(committed) == 3 * 2 * len(sizes) == 72
    for row in rows(device_csv(study)):
        assert row in committed


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
    assert "Of these periods, 20 is the longest with 1.5 orders as the median" in text


def test_command(tmp_path: Path) -> None:
    arguments = ["report", "correction", "--out", str(tmp_path), "--json"]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    files = [Path(path) for path in json.loads(result.stdout)["files"]]
    assert all(path.parent == tmp_path and path.exists() for path in files)
    assert "--size small" in files[0].read_text()


def test_an_unknown_size() -> None:
    with pytest.raises(GnomonError) as caught:
        find_correction_size("ful")
    assert str(caught.value) == (
        "there is no size 'ful' (allowed: small, full, did you mean 'full'?)"
    )
