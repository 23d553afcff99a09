"""The report of the small experiment: files, the same bytes, every criterion and what follows."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from gnomon.cli.app import app
from gnomon.content.reports.ares import runs as study
from gnomon.content.reports.ares.runs import EXTENTS, AresExperiment, run_ares
from gnomon.content.reports.ares.study import ares_criteria, ares_report

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.heavy("studies")

FILES = ["ares.md", "criteria.csv", "regret.csv", "windows.csv.xz", "regret.svg", "windows.svg"]


@pytest.fixture(scope="module")
def experiment() -> AresExperiment:
    return run_ares(EXTENTS["small"])


@pytest.fixture(scope="module")
def full(experiment: AresExperiment) -> AresExperiment:
    """The small one with made-up results of what the full size adds."""
    (result,) = experiment.systems
    names = [f"pies-{short}{s}" for short in ("", "short-") for s in range(11)]
    all_windows = {**dict.fromkeys(names, result.regret["random"]), **result.regret}
    many = {"radius": np.linspace(0.0, 0.9, 20), "random": 1.0, "ucb": 1.0, "ares": 1.0,
            "ares_p": 0.5, "pies_short": 1.0}  # fmt: skip
    many |= {f"{name}_error": 0.01 for name in ("random", "ucb", "ares", "ares_p", "pies_short")}
    many |= {"ucb_p": 1.0, "pies_short_p": 1.0, "ares_p_p": 1e-4}
    return replace(
        experiment,
        systems=(replace(result, regret=all_windows),),
        constants=constants((0.01, 2.5, 1.5), (1.0, 0.0, 2.4)),
        many=pd.DataFrame(many),
        windows=windows(7.2, 1.04, 1.06),
    )


def constants(*rows: tuple[float, float, float]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["bound", "window", "ratio"])


def windows(*ratios: float) -> pd.DataFrame:
    return pd.DataFrame({"system": 1, "window": [0, 5, 10], "ratio": ratios})


def words(experiment: AresExperiment) -> str:
    return " ".join(ares_report(experiment).page().split())


@pytest.mark.heavy("studies")
def test_the_command_writes_them(
    experiment: AresExperiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "run_ares", lambda *_: experiment)
    run = CliRunner().invoke(app, ["experiment", "ares", "--out", str(tmp_path), "--json"])
    assert run.exit_code == 0, run.output
    answer = json.loads(run.stdout)
    assert answer["files"] == [str(tmp_path / name) for name in FILES]
    assert len(answer["criteria"]) == len(ares_criteria(experiment))
    text = (tmp_path / "ares.md").read_text()
    assert text == ares_report(experiment).page()
    for criterion in ares_criteria(experiment):
        assert criterion.what in text
    assert "{" not in text


def test_what_the_full_size_adds(full: AresExperiment, tmp_path: Path) -> None:
    names = [path.name for path in ares_report(full).write(tmp_path)]
    assert {"constants.csv", "systems.csv", "true_windows.csv"} <= set(names)
    text = (tmp_path / "ares.md").read_text()
    assert "| 0.01 | 2.50 | 1.500 |" in text
    assert "| 1 | 7.20 | 1.04 | 1.06 |" in text
    assert len((tmp_path / "systems.csv").read_text().splitlines()) == 21


def test_sentences_follow_the_regret(experiment: AresExperiment) -> None:
    text = words(experiment)
    assert "(ARES below PIES for every window, below UCB) holds on system 17." in text
    assert "2 has less regret than ARES as published on system 17, and so has LinUCB" in text
    assert "The exploration term does not vanish, as published" in text
    (result,) = experiment.systems
    other = replace(
        result,
        regret={**result.regret, "ares": 0.5 * result.regret["oracle"]},
        bonus=0.0 * result.bonus,
    )
    text = words(replace(experiment, systems=(other,)))
    assert "holds on system 17" in text
    assert "Neither a fixed window of 2 with a short exploration nor LinUCB" in text
    assert "ARES-P, gnomon's variant, does not have less regret than ARES on any system." in text
    assert "The exploration term vanishes, unlike published" in text
    worse = replace(result, regret={**result.regret, "ares": 9.0 * result.regret["random"]})
    both = words(replace(experiment, systems=(result, replace(worse, system=16))))
    assert "below UCB) holds only on system 17." in both
    assert "does not hold on none" not in both


def test_sentences_follow_constants_systems_and_windows(full: AresExperiment) -> None:
    text = words(full)
    assert "ARES has 2.40 times the oracle's regret, as much as random play" in text
    assert "the larger they are, the smaller the windows and the larger the regret." in text
    assert "UCB on 0 of 20 systems and more on 0. It has less than PIES short on 0 and" in text
    assert "less than ARES-P on 0 and more on 20." in text
    assert "| 1 | 0.00 | 1.00 (0.01) |" in text
    assert "(system 1, 2 and 3), almost nothing is predictable: all policies are within 0%" in text
    assert "A window of 5 reduces the ratio to at most 1.05." in text
    assert "On system 1 a window of 10 has more regret than one of 5" in text
    text = words(
        replace(
            full,
            constants=constants((0.01, 0.0, 1.5), (1.0, 2.5, 1.2)),
            many=full.many.assign(
                random=2.0,
                ares_p=1.0,
                ucb=1.02,
                pies_short=1.03,
                ucb_p=2e-3,
                pies_short_p=1e-4,
                ares_p_p=1.0,
            ),
            windows=windows(7.2, 1.2, 1.1),
        )
    )
    assert "ARES has 1.20 times the oracle's regret, less than random play" in text
    assert "neither windows nor regret change with them monotonically." in text
    assert "UCB on 0 of 20 systems and more on 0. It has less than PIES short on 20 and" in text
    assert "less than ARES-P on 0 and more on 0." in text
    assert "regret still reaches 2.00 times the oracle's" in text
    assert "None of these windows reduces the ratio to 1.05." in text
    assert "loses against" not in text
