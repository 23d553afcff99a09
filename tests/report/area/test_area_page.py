"""The area page: committed tables, products, the best width, files."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pytest

from gnomon.arch import load_architecture
from gnomon.base.content import content
from gnomon.base.frames import csv_text
from gnomon.bench.kernels import find_kernel
from gnomon.content.reports.area.measure import AreaStudy, _machines, run_area
from gnomon.content.reports.area.study import write_area
from gnomon.content.reports.area.tables import kernels_rows, least_at, machines_rows, parts_rows
from gnomon.cost.area import area

if TYPE_CHECKING:
    from pathlib import Path

REPORT = content("reports", "area")


@pytest.fixture(scope="module")
def study() -> AreaStudy:
    return run_area(kernels=[find_kernel("dot")])


def test_the_committed_machines_are_those_of_the_tables() -> None:
    machines = _machines()
    assert (REPORT / "machines.csv").read_text() == csv_text(machines_rows(machines))
    assert (REPORT / "parts.csv").read_text() == csv_text(parts_rows(machines))


def test_parts_of_the_committed_table_sum_to_its_machines() -> None:
    parts = list(csv.DictReader((REPORT / "parts.csv").read_text().splitlines()))
    for machine in csv.DictReader((REPORT / "machines.csv").read_text().splitlines()):
        same = ("machine", "change")
        own = [part for part in parts if all(part[key] == machine[key] for key in same)]
        for name in ("lut", "ff", "dsp", "bram"):
            whole = sum(float(part[name]) for part in own)
            assert whole == pytest.approx(float(machine[name]), rel=1e-5)


def test_area_times_time(study: AreaStudy) -> None:
    (name,) = study.names()
    for each in (study.scalar(name), *study.vector(name)):
        machine = "t13" if each.kernel.simd is None else f"t13-paper-simd{each.kernel.simd}"
        lut = area(load_architecture(machine)).total.lut
        assert each.lut_us.value == pytest.approx(lut.value * each.kernel.energy.time_us)
        assert each.lut_us.low == pytest.approx(lut.low * each.kernel.energy.time_us)


def test_committed_rows_are_measured_again(study: AreaStudy) -> None:
    fresh = list(csv.reader(io.StringIO(csv_text(kernels_rows(study.kernels)))))
    committed = list(csv.reader((REPORT / "kernels.csv").read_text().splitlines()))
    assert fresh[0] == committed[0]
    assert len(fresh) == 6
    for row in fresh[1:]:
        assert row in committed


def test_least_at_an_end(study: AreaStudy) -> None:
    points = [study.scalar("dot"), *study.vector("dot")]
    products = {
        "scalar" if p.kernel.simd is None else f"SIMD {p.kernel.simd}": p.lut_us.high
        for p in points
    }
    assert least_at(points, "high") == min(products, key=lambda name: products[name])


def test_the_same_study_gives_the_same_files(study: AreaStudy, tmp_path: Path) -> None:
    first = write_area(study, tmp_path / "a")
    second = write_area(study, tmp_path / "b")
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
