"""The report of the small experiment: files, the same bytes, every criterion on the page."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from typer.testing import CliRunner

from gnomon.cli._app import app
from gnomon.learn import ares as learn_ares
from gnomon.learn.ares import AresExperiment, ManySystems, run_ares
from gnomon.report.ares import write_ares

if TYPE_CHECKING:
    from pathlib import Path

FILES = [
    "ares.md",
    *(f"ares_{name}.csv" for name in ("criteria", "regret", "windows")),
    *(f"ares_{name}.{kind}" for name in ("regret", "windows") for kind in ("svg",)),
]


@pytest.fixture(scope="module")
def experiment() -> AresExperiment:
    return run_ares("small")


def test_files(experiment: AresExperiment, tmp_path: Path) -> None:
    first = write_ares(experiment, tmp_path / "a")
    assert [path.name for path in first] == FILES
    second = write_ares(experiment, tmp_path / "b")
    for one, two in zip(first, second, strict=True):
        assert one.read_bytes() == two.read_bytes()
    page = (tmp_path / "a" / "ares.md").read_text()
    for criterion in experiment.criteria:
        assert criterion.what in page
    assert "{" not in page


def test_what_the_full_size_adds(experiment: AresExperiment, tmp_path: Path) -> None:
    ones = np.ones(20)
    full = replace(
        experiment,
        bound_windows={0.01: 2.5, 1.0: 0.0},
        bound_ratios={0.01: 1.5, 1.0: 2.4},
        many=ManySystems(ones, ones, ones, ones, 2 * ones, ones),
        windows={1: {0: 7.2, 5: 1.04}},
    )
    names = [path.name for path in write_ares(full, tmp_path)]
    assert {"ares_constants.csv", "ares_systems.csv", "ares_true_windows.csv"} <= set(names)
    page = (tmp_path / "ares.md").read_text()
    assert "| 0.01 | 2.50 | 1.500 |" in page
    assert "| 1 | 7.20 | 1.04 |" in page
    assert len((tmp_path / "ares_systems.csv").read_text().splitlines()) == 21


def test_command(
    experiment: AresExperiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learn_ares, "run_ares", lambda *_, **__: experiment)
    run = CliRunner().invoke(app, ["experiment", "ares", "--out", str(tmp_path), "--json"])
    assert run.exit_code == 0, run.output
    answer = json.loads(run.stdout)
    assert len(answer["criteria"]) == len(experiment.criteria)
