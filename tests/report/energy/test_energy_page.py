"""The energy page: cells, both directions of prediction, what it says of them, and its files."""

from __future__ import annotations

import csv
import io
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gnomon.base.errors import GnomonError
from gnomon.base.frames import rows_of as rows_of_frame
from gnomon.content.reports.energy.cells import energy_factors, energy_rows, fresh_cells
from gnomon.content.reports.energy.cross import CONSTANT, OURS, SIZE
from gnomon.content.reports.energy.study import EnergyStudy, energy_report, run_energy
from gnomon.content.reports.energy.tables import energy_facts
from gnomon.content.reports.paper.cells_page import COLUMNS
from gnomon.measure.kernels import find_kernel
from gnomon.report.study import study_page

REPORTS = Path(__file__).parents[3] / "reports"


HEAVY = pytest.mark.heavy("studies")


@pytest.fixture(scope="module", params=[pytest.param((4, 8), marks=HEAVY, id="4-8")])
def study(request: pytest.FixtureRequest) -> EnergyStudy:
    return run_energy(fresh_cells(params=request.param), kernels=[find_kernel("add")])


def test_cells_are_priced_by_the_table_that_has_not_seen_them(study: EnergyStudy) -> None:
    assert len(study.cells) == 16
    for cell in rows_of_frame(study.cells):
        assert cell.energy.table == {2: "t13-table3", 3: "t13-table2"}[cell.table]
        assert cell.energy.data == "sparse"
        # Published power as printed: whole µJ over whole µs.
        assert cell.published_mw == pytest.approx(1e3 * cell.published_uj / cell.published_us)
        assert 185 < cell.published_mw < 236
        assert cell.mw_low < cell.published_mw < cell.mw_high


def test_energy_is_time_times_power(study: EnergyStudy) -> None:
    cells = study.cells
    power = cells["mw"] / cells["published_mw"]
    for reading in ("hart", "wall"):
        time = cells[f"{reading}_us"] / cells["published_us"]
        ratio = cells[f"{reading}_uj"] / cells["published_uj"]
        assert ratio.to_numpy() == pytest.approx((time * power).to_numpy(), rel=1e-9)
    assert (cells["wall_uj"] > cells["hart_uj"]).all()
    # The wall reading is the energy of the span itself.
    spans = [each.energy_uj.value for each in cells["energy"]]
    assert cells["wall_uj"].to_numpy() == pytest.approx(spans)


def test_constant_and_slope_are_least_squares(study: EnergyStudy) -> None:
    def of(table: int) -> list[tuple[float, float]]:
        own = study.cells[study.cells["table"] == table]
        return list(zip(np.log2(own["param"]), own["published_mw"], strict=True))

    for fitted, predicted in ((2, 3), (3, 2)):
        x, y = (np.array(values) for values in zip(*of(fitted), strict=True))
        flat = study.prediction(CONSTANT, fitted)
        assert flat["power_mw"] == pytest.approx(np.full(8, y.mean()))
        slope, base = np.polyfit(x, y, 1)
        sizes = np.array([size for size, _ in of(predicted)])
        sloped = study.prediction(SIZE, fitted)["power_mw"]
        assert sloped == pytest.approx(base + slope * sizes)


def test_the_words_follow_the_errors(study: EnergyStudy) -> None:
    factors = energy_factors(study.cells, (REPORTS / "paper" / "cells.csv").read_text())
    text = study_page(REPORTS / "energy", **energy_facts(study, factors))
    assert "as a predictor of mean power it failed" in text  # with the shipped tables
    assert "The two tables disagree on the sign of the effect." in " ".join(text.split())
    better = study.predictions.copy()
    better.loc[better["model"] == OURS, "mean_percent"] = 1.0
    flat = study.vector.assign(per_word_dense_nj=study.vector["simd"].astype(float))
    uj = (study.cells["published_us"] * study.cells["toggles"]).round().astype(int)
    cells = study.cells.assign(published_uj=uj, published_mw=uj / study.cells["published_us"] * 1e3)
    changed = replace(study, predictions=better, vector=flat, cells=cells)
    text = study_page(REPORTS / "energy", **energy_facts(changed, factors))
    assert "**gnomon's model beats the constant in both directions.**" in " ".join(text.split())
    assert text.count("gnomon's model is better than the best constant (mean error 1.00 %") == 2
    assert "The two tables agree on the sign of the effect." in " ".join(text.split())
    assert "word depends on the SIMD width: it changes by 700%" in " ".join(text.split())


def test_rows(study: EnergyStudy) -> None:
    rows = energy_rows(study.cells)
    assert len(rows) == 2 * 2 * 16
    for row in rows:
        assert tuple(row) == COLUMNS
        assert float(row["ratio"]) == pytest.approx(
            float(row["ours"]) / float(row["published"]), abs=2e-3
        )
    first = next(row for row in rows if row["metric"] == "energy")
    assert (first["unit"], first["published"], first["reading"]) == ("uJ", "185", "hart")
    assert "predicted by t13-table3, which has not seen this table" in first["note"]


def test_factors(study: EnergyStudy) -> None:
    paper = (REPORTS / "paper" / "cells.csv").read_text(encoding="utf-8")
    factors = energy_factors(study.cells, paper)
    assert len(factors) == 2 * (3 + 2) * 2
    by = factors.set_index(["figure", "table", "platform", "variant", "param"])
    assert by.index[0] == (10, 2, "t13", "opt", 4)
    assert by["published"].iloc[0] == pytest.approx(40 / 185)
    assert by.loc[(12, 2, "t13", "opt+vcu", 4), "published"] == pytest.approx(27 / 185)
    assert by["ours"].to_numpy() == pytest.approx(by["published"].to_numpy(), rel=0.4)


def test_files_are_the_same_twice_and_the_table_keeps_other_lines(
    study: EnergyStudy, tmp_path: Path
) -> None:
    paper = tmp_path / "paper"
    paper.mkdir()
    shutil.copy(REPORTS / "paper" / "cells.csv", paper)
    before = rows_of(paper / "cells.csv")
    first = {p: p.read_bytes() for p in energy_report(study, paper).write(tmp_path / "energy")}
    second = {p: p.read_bytes() for p in energy_report(study, paper).write(tmp_path / "energy")}
    assert first == second
    assert len(first) == 9
    after = rows_of(paper / "cells.csv")

    def others(rows: list[dict[str, str]]) -> list[dict[str, str]]:
        return [r for r in rows if r["platform"] != "t13" or r["metric"] == "cycles"]

    assert others(after) == others(before)
    assert len(after) - len(others(after)) == 64


def test_without_the_papers_table(study: EnergyStudy, tmp_path: Path) -> None:
    with pytest.raises(GnomonError) as caught:
        energy_report(study, tmp_path)
    assert str(caught.value) == (
        f"{tmp_path / 'cells.csv'}: is not there; `gnomon report paper` makes it"
    )


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


def test_committed_lines_are_what_the_programs_give(study: EnergyStudy) -> None:
    """The lines of the two smallest sizes; the larger ones come from the same command."""
    committed = rows_of(REPORTS / "paper" / "cells.csv")
    energies = [r for r in committed if r["platform"] == "t13" and r["metric"] == "energy"]
    assert len(energies) == 64
    for row in energy_rows(study.cells):
        assert row in committed


def test_what_the_page_says_of_the_activity() -> None:
    """The sentences of the evidence, checked on the committed points."""
    folder = Path(__file__).parents[3] / "models" / "power" / "sources"
    toggles = {
        row["point"]: sum(float(v) for k, v in row.items() if k != "point")
        for row in rows_of(folder / "t13-activity.csv")
    }
    power = {row["point"]: float(row["power_mw"]) for row in rows_of(folder / "t13-power.csv")}
    assert power["table3/std/f32"] / power["table3/std/f4"] == pytest.approx(1.17, abs=0.005)
    falling = [toggles[f"table2/opt/d{d}"] for d in (4, 8, 16, 32)]
    assert falling == sorted(falling, reverse=True)
    level = [toggles[f"table3/opt/f{f}"] for f in (4, 8, 16, 32)]
    assert max(level) / min(level) < 1.01
    means = {
        variant: np.mean([power[f"table2/{variant}/d{d}"] for d in (4, 8, 16, 32)])
        for variant in ("std", "opt", "std+vcu", "opt+vcu")
    }
    assert sorted(means, key=lambda name: means[name])[:2] == ["std", "std+vcu"]
    for column in ("table2/std/d", "table2/std+vcu/d", "table3/std/f", "table3/std+vcu/f"):
        points = [f"{column}{size}" for size in (4, 8, 16, 32)]
        together = np.corrcoef([toggles[p] for p in points], [power[p] for p in points])
        assert together[0, 1] > 0.9, column
