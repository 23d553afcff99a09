"""Energies of different kinds and libraries are named and never ranked against each other."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gnomon.base.errors import GnomonError
from gnomon.explore import (
    PointOutcome,
    SweepResult,
    compute_sensitivities,
    list_sensitivity_notes,
    make_sweep,
    read_sweep,
    recommend,
    run_sweep,
)
from gnomon.explore._nsga2 import _check_one_energy
from gnomon.explore._runs import Counts
from gnomon.explore.columns import Row
from gnomon.explore.files import summarize, write_results
from gnomon.report.sweep import write_sweep_report
from gnomon.report.sweep._page import page_data
from gnomon.report.sweep._shown import select_shown

FPGA = ("FPGA-calibrated", "Kintex-7 XC7K325T")
OSU = ("gate-level", "osu018_stdcells, 1.8 V")
IHP = ("gate-level", "sg13g2_stdcell_typ_1p20V_25C, 1.2 V")
OTHER_CORNER = ("gate-level", "sg13g2_stdcell_slow_1p08V_125C, 1.08 V")
PACKAGE = ("estimator", "library not stated")
SOURCE = """
int main(void) { volatile int x = 3; for (int k = 0; k < 40; k++) x += k * x; return 0; }
"""


def points(technologies: list[tuple[str, str] | None], **more: Any) -> SweepResult:
    """Return a point per seed of each technology, the first costing most; None: not known."""
    data = {
        "schema": 1, "name": "kinds", "kernel": "add", "arch": "t13-simd1",
        "axes": {"n": [*range(1, len(technologies) + 1)], "seed": [0, 1]},
        "fixed": {"variant": "scalar"}, "objectives": ["energy"],
    }  # fmt: skip
    sweep = make_sweep(data | more)
    rows = []
    for index, values in enumerate(map(sweep.point, range(sweep.grid_points))):
        n, seed = int(str(values[0])), int(str(values[1]))
        technology = technologies[n - 1]
        metrics: dict[str, int | float] = {"time_us": 1.0 + n + seed}
        facts: dict[str, str | int] = {}
        if technology is not None:
            metrics |= {"energy_uj": (8.0 - n) * (2 + seed), "power_mw": 30.0 / n}
            facts = dict(zip(("energy_kind", "energy_library"), technology, strict=True))
            facts["operands"] = "counted"
        rows.append(Row(index, values, None, PointOutcome(metrics, {}, facts)))
    return SweepResult(sweep, tuple(rows), Counts())


@pytest.mark.parametrize(
    "technologies",
    [
        [FPGA, OSU], [OSU, IHP], [IHP, OTHER_CORNER], [FPGA, PACKAGE], [OSU, PACKAGE],
        [FPGA, OSU, IHP], [FPGA, OSU, None],
    ],
    ids=["kinds", "libraries", "corners", "table and estimator", "gates and estimator", "three",
         "one not known"],
)  # fmt: skip
@pytest.mark.parametrize(
    "asked",
    [
        {"objectives": ["energy"]}, {"objectives": ["power"]},
        {"objectives": ["time", "energy"]}, {"constraints": ["energy <= 99 uJ"]},
        {"constraints": ["energy_high <= 99 uJ"], "objectives": ["time"]},
    ],
    ids=["energy", "power", "second objective", "limit too", "limit alone"],
)  # fmt: skip
def test_a_choice_of_each(technologies: list[Any], asked: dict[str, Any]) -> None:
    found = points(technologies, **asked)
    if "energy_high <= 99 uJ" in asked.get("constraints", ()):
        rows = [replace(row, outcome=replace(row.outcome, metrics={
            **row.outcome.metrics, "energy_high_uj": row.outcome.metrics.get("energy_uj", 0.0)}))
            for row in found.rows]  # fmt: skip
        found = replace(found, rows=tuple(rows))
    choices = recommend(found)
    known = [each for each in technologies if each is not None]
    named = {dict(choice.where)["energy"] for choice in choices}
    assert named == {*(", ".join(each) for each in known),
                     *(["not known"] if None in technologies else [])}  # fmt: skip
    for choice in choices:
        assert {row.technology or "not known" for row in choice.front} <= {
            dict(choice.where)["energy"]
        }
        assert choice.to_json()["where"] == dict(choice.where)
    every = [metric for each in found.sweep.objectives if (metric := each.metric)]
    for metric in every:
        by_n = next(each for each in compute_sensitivities(found, metric) if each.axis == "n")
        if metric.name in ("energy_uj", "power_mw"):
            assert (by_n.share, by_n.factor) == (None, None)
            assert "within each kind and library alone" in list_sensitivity_notes(found, metric)[0]


def test_axes_of_per_hold_kinds_apart_within() -> None:
    found = points([FPGA, OSU], per=["seed"])
    wheres = [dict(choice.where) for choice in recommend(found)]
    assert len(wheres) == 4
    assert {(each["seed"], each["energy"]) for each in wheres} == {
        (seed, ", ".join(each)) for seed in (0, 1) for each in (FPGA, OSU)
    }


def test_one_technology_is_one_front() -> None:
    for technologies in ([OSU, OSU], [OSU, None], [None, None]):
        (choice,) = recommend(points(technologies, objectives=["time", "energy"]))
        assert choice.where == ()
    assert recommend(points([FPGA, OSU], objectives=["time"]))[0].where == ()


def test_failed_points_are_of_no_kind() -> None:
    found = points([FPGA, OSU])
    rows = [replace(row, outcome=PointOutcome(reason="broken")) if row.index == 1 else row
            for row in found.rows]  # fmt: skip
    assert len(recommend(replace(found, rows=tuple(rows)))) == 2


def test_a_search_is_refused() -> None:
    mixed, same = points([FPGA, OSU]), points([OSU, OSU])
    _check_one_energy(same.sweep, same.rows)
    _check_one_energy(points([FPGA, OSU], objectives=["time"]).sweep, mixed.rows)
    with pytest.raises(GnomonError, match=r"never ranked: FPGA-calibrated, Kin.*; gate-level, osu"):
        _check_one_energy(mixed.sweep, mixed.rows)


def test_pages_hold_kinds_apart() -> None:
    found = points([FPGA, OSU])
    data = page_data(select_shown(found))
    (axis,) = [each for each in data["axes"] if each["name"] == "energy of"]
    assert axis["per"]
    assert [axis["values"][at] for at in axis["of"]] == [row.technology for row in found.rows]
    unranked = page_data(select_shown(points([FPGA, OSU], objectives=["time"])))
    assert {each["name"] for each in unranked["metrics"]} == {"time_us"}
    one = page_data(select_shown(points([OSU, OSU])))
    assert "energy of" not in [each["name"] for each in one["axes"]]


@pytest.mark.parametrize("axis", ["power", "arch"])
def test_real_sweeps_name_kind_and_library_everywhere(axis: str, tmp_path: Path) -> None:
    (tmp_path / "p.c").write_text(SOURCE)
    (tmp_path / "osu.yaml").write_text(
        "extends: t13-simd1\nname: osu\ntitle: x\nsource: x\npower: osu018-t13-simd1\n"
    )
    values = {"power": "[t13, osu018-t13-simd1, sg13g2-t13-simd1]", "arch": "[t13-simd1, osu.yaml]"}
    arch = "arch: t13-simd1\n" if axis == "power" else ""
    file = tmp_path / "mix.yaml"
    file.write_text(
        f"schema: 1\nname: mix\nprogram: {{sources: [p.c], optimize: 2}}\n{arch}"
        f"axes:\n  {axis}: {values[axis]}\nobjectives: [minimize energy]\n"
    )
    found = run_sweep(read_sweep(file))
    assert found.technologies[:2] == (", ".join(FPGA), ", ".join(OSU))
    assert len(recommend(found)) == len(found.rows) == len(found.technologies)
    frame = found.frame()
    assert frame["energy_kind"].tolist()[:2] == [FPGA[0], OSU[0]]
    assert frame["energy_library"].tolist()[:2] == [FPGA[1], OSU[1]]
    assert {"energy_kind", "energy_library", "energy_stale"} <= found.columns().keys()
    write_results(found, tmp_path / "out", parquet=False)
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out" / "results.csv").read_text())))
    assert [row["energy_kind"] for row in rows[:2]] == [FPGA[0], OSU[0]]
    assert summarize(found)["energies"] == list(found.technologies)
    assert summarize(found)["sweep"]["arch"] == ("t13-simd1" if arch else None)
    write_sweep_report(found, tmp_path / "page")
    table = list(csv.DictReader(io.StringIO((tmp_path / "page" / "points.csv").read_text())))
    assert [row["energy_library"] for row in table[:2]] == [FPGA[1], OSU[1]]
    page = (tmp_path / "page" / "index.html").read_text()
    assert f"Energy is of {', '.join(FPGA)}; of {', '.join(OSU)}" in page


def test_lanes_are_no_energy_of_a_calibrated_table(tmp_path: Path) -> None:
    """The caveat stands where the energy of machines of several widths is compared."""
    (tmp_path / "p.c").write_text(SOURCE)
    file = tmp_path / "lanes.yaml"
    head = "schema: 1\nname: lanes\nprogram: {sources: [p.c], optimize: 2}\n"
    file.write_text(
        f"{head}axes:\n  arch: [t13, t13-simd1, t13-simd8]\nobjectives: [energy, time]\n"
    )
    found = run_sweep(read_sweep(file))
    energy, time = (each.metric for each in found.sweep.objectives)
    assert any(
        "one clock power for all machines" in each for each in list_sensitivity_notes(found, energy)
    )
    assert not any("clock power" in each for each in list_sensitivity_notes(found, time))
    write_sweep_report(found, tmp_path / "page")
    assert "one clock power for all machines" in (tmp_path / "page" / "index.html").read_text()
    file.write_text(f"{head}arch: t13\naxes:\n  core.harts: [3]\nobjectives: [energy]\n")
    assert list_sensitivity_notes(run_sweep(read_sweep(file)), energy) == []
