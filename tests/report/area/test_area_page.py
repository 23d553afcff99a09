"""The area page: committed tables, products, the best width, files."""

from __future__ import annotations

import csv
import io
import lzma
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from gnomon.arch import load_architecture
from gnomon.base.content import content
from gnomon.base.frames import csv_text
from gnomon.content.reports.area.study import (
    AreaStudy,
    area_report,
    kernels_rows,
    machines,
    machines_rows,
    parts_rows,
    products,
    run_area,
)
from gnomon.cost.area import Area
from gnomon.measure.kernels import find_kernel

if TYPE_CHECKING:
    from pathlib import Path

REPORT = content("reports", "area")
PARTS = REPORT / "parts.csv.xz"


@pytest.fixture(scope="module")
def study() -> AreaStudy:
    return run_area(kernels=[find_kernel("dot")])


def test_the_committed_machines_are_those_of_the_tables() -> None:
    priced = machines()
    assert (REPORT / "machines.csv").read_text() == csv_text(machines_rows(priced))
    assert lzma.decompress(PARTS.read_bytes()).decode() == csv_text(parts_rows(priced))


def test_parts_of_the_committed_table_sum_to_its_machines() -> None:
    parts = list(csv.DictReader(lzma.decompress(PARTS.read_bytes()).decode().splitlines()))
    for machine in csv.DictReader((REPORT / "machines.csv").read_text().splitlines()):
        same = ("machine", "change")
        own = [part for part in parts if all(part[key] == machine[key] for key in same)]
        for name in ("lut", "ff", "dsp", "bram"):
            whole = sum(float(part[name]) for part in own)
            assert whole == pytest.approx(float(machine[name]), rel=1e-5)


def test_area_times_time(study: AreaStudy) -> None:
    assert set(study.kernels["kernel"]) == {"dot"}
    for each in study.kernels.to_dict("records"):
        machine = f"t13-paper-simd{each['simd']}" if each["simd"] else "t13"
        lut = Area.from_architecture(load_architecture(machine)).total.lut
        assert each["lut_us"] == pytest.approx(lut.value * each["time_us"])
        assert each["lut_us_low"] == pytest.approx(lut.low * each["time_us"])


def test_committed_rows_are_measured_again(study: AreaStudy) -> None:
    fresh = list(csv.reader(io.StringIO(csv_text(kernels_rows(study.kernels)))))
    committed = list(csv.reader((REPORT / "kernels.csv").read_text().splitlines()))
    assert fresh[0] == committed[0]
    assert len(fresh) == 6
    for row in fresh[1:]:
        assert row in committed


def committed() -> AreaStudy:
    kernels = pd.read_csv(REPORT / "kernels.csv").fillna({"simd": 0}).astype({"simd": int})
    return AreaStudy(machines(), kernels)


def test_least_at_an_end() -> None:
    kernels = committed().kernels
    _, best = products(kernels)
    for head, column in (("least at", "lut_us"), ("at high ends", "lut_us_high")):
        for name, told in best[head].items():
            own = kernels[kernels["kernel"] == name]
            simd = own.loc[own[column].idxmin(), "simd"]
            assert told == (f"SIMD {simd}" if simd else "scalar")


def test_sentences_follow_the_numbers() -> None:
    """Where ends of areas are far off, other machines are the best at them."""
    study = committed()
    before = area_report(study).page()
    assert before.splitlines()[:60] == (REPORT / "area.md").read_text().splitlines()[:60]
    steady = next(line for line in before.splitlines() if "keep their best machine" in line)
    assert steady in (REPORT / "area.md").read_text()
    kernels = study.kernels.copy()
    kernels.loc[kernels["simd"] == 0, "lut_us_low"] = 0.0
    kernels.loc[kernels["simd"] != 8, "lut_us_high"] *= 1e6
    changed = area_report(AreaStudy(study.machines, kernels)).page()
    assert steady not in changed
    assert "0 of the 15 kernels keep their best machine over the interval." in changed


def test_the_same_study_gives_the_same_files(study: AreaStudy, tmp_path: Path) -> None:
    first = area_report(study).write(tmp_path / "a")
    second = area_report(study).write(tmp_path / "b")
    assert [path.name for path in first] == [path.name for path in second]
    sources = (".py", ".yaml", ".j2")
    committed = {path.name for path in REPORT.iterdir() if path.is_file()}
    assert {path.name for path in first} == {
        name for name in committed if not name.endswith(sources)
    }
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()
    page = (tmp_path / "a" / "area.md").read_text()
    assert "| dot |" in page
    assert "Not included: instruction and data memory" in page
