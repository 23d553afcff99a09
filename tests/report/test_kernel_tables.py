"""The committed tables of kernels hold every kernel that there is."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from gnomon.base.content import found

REPORTS = Path(__file__).parents[2] / "reports"


@pytest.mark.parametrize("report", ["area", "energy"])
def test_every_kernel_is_in_the_table(report: str) -> None:
    with (REPORTS / report / "kernels.csv").open(encoding="utf-8", newline="") as file:
        rows = {(row["kernel"], row["variant"]) for row in csv.DictReader(file)}
    names = set(found("kernels"))
    assert {name for name, _ in rows} == names, f"run gnomon report {report}"
    assert {name for name, variant in rows if variant == "scalar"} == names
