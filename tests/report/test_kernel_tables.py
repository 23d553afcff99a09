"""The committed tables of kernels hold every kernel that there is."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from gnomon.bench.kernels import kernels

REPORTS = Path(__file__).parents[2] / "reports"


@pytest.mark.parametrize("report", ["area", "energy"])
def test_every_kernel_is_in_the_table(report: str) -> None:
    with (REPORTS / report / "kernels.csv").open(encoding="utf-8", newline="") as file:
        rows = {(row["kernel"], row["variant"]) for row in csv.DictReader(file)}
    names = [kernel.name for kernel in kernels()]
    assert {name for name, _ in rows} == set(names), f"run gnomon report {report}"
    assert {name for name, variant in rows if variant == "scalar"} == set(names)
