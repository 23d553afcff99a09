"""The report of a tiny experiment: files, numbers beside numbers, the same bytes."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon import learn
from gnomon.base.errors import GnomonError
from gnomon.cli._app import app
from gnomon.learn import (
    Disagreement,
    DriftCase,
    ExperimentSize,
    LinucbExperiment,
    experiment_steps,
    run_linucb,
)
from gnomon.report.linucb import claims, write_linucb
from gnomon.report.linucb._page import page
from gnomon.report.linucb._tables import disagreements_csv, verdict

if TYPE_CHECKING:
    from pathlib import Path

TINY = ExperimentSize(
    "tiny",
    tuple(
        DriftCase(
            name,
            law=law,
            rounds=80,
            arms=2,
            dimensions=2,
            features=features,
            correction_period=20,
            log_every=10,
        )
        for name, features in (("linucb-disjoint", 0), ("linucb-hybrid", 2))
        for law in ("uniform", "normal")
    ),
    (4, 8),
)
FILES = [
    "linucb.md",
    *(
        f"{name}.csv"
        for name in ("claims", "complexity", "operations", "memory", "drift", "disagreements")
    ),
    *(
        f"{name}.{kind}"
        for name in ("operations", "memory", "drift", "reward")
        for kind in ("svg",)
    ),
]


@pytest.fixture(scope="module")
def experiment() -> LinucbExperiment:
    calls: list[str] = []
    result = run_linucb(TINY, calls.append)
    assert len(calls) == experiment_steps(TINY)
    return result


def rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text())))


def test_files(experiment: LinucbExperiment, tmp_path: Path) -> None:
    first = write_linucb(experiment, tmp_path / "a")
    assert [path.name for path in first] == FILES
    second = write_linucb(experiment, tmp_path / "b")
    for one, two in zip(first, second, strict=True):
        assert one.read_bytes() == two.read_bytes()


def test_tables(experiment: LinucbExperiment, tmp_path: Path) -> None:
    write_linucb(experiment, tmp_path)
    operations = rows(tmp_path / "operations.csv")
    assert len(operations) == 2 * 2 * (3 * 2 + 2 * 2)
    for row in operations:
        assert row["formula_arithmetic"] == row["counted_arithmetic"]
        assert int(row["counted_arithmetic"]) > 0
    memory = rows(tmp_path / "memory.csv")
    assert len(memory) == 2 * (3 * 2 + 2 * 2)
    drift = rows(tmp_path / "drift.csv")
    assert len(drift) == 2 * (3 + 4) * 8
    assert {row["round"] for row in drift} == {str(n) for n in range(10, 81, 10)}
    complexity = rows(tmp_path / "complexity.csv")
    assert [row["verdict"] for row in complexity].count("as stated") == 11
    assert rows(tmp_path / "disagreements.csv") == []


def test_claims_stand_beside_what_the_paper_says(
    experiment: LinucbExperiment, tmp_path: Path
) -> None:
    write_linucb(experiment, tmp_path)
    table = rows(tmp_path / "claims.csv")
    assert [row["quantity"] for row in table] == [claim.quantity for claim in claims(experiment)]
    inversions = {row["quantity"]: row for row in table if row["quantity"].startswith("inv")}
    assert inversions["inversion_of_a"]["published"] == "512"
    assert inversions["inversion_of_a"]["ours"] == "1036"
    assert inversions["inversion_of_a0"]["published"] == "2.09715e+06"
    gains = [row for row in table if row["quantity"] == "correction_gain"]
    assert len(gains) == 2 * 5
    assert all(row["published"] == "2" for row in gains)
    arms = [float(row["ours"]) for row in table if row["quantity"] == "equal_arms"]
    assert arms == [100.0] * 8


def test_the_page_holds_every_claim(experiment: LinucbExperiment) -> None:
    text = page(experiment)
    for claim in claims(experiment):
        assert f"| {claim.quantity} | " in text
        assert claim.reading in text
    for name in ("operations", "memory", "drift", "reward"):
        assert f"({name}.svg)" in text
    assert "No variant chose another arm than the standard learner in any round." in text
    assert "{" not in text


def test_disagreements_are_listed_with_their_margin(experiment: LinucbExperiment) -> None:
    found = Disagreement("optimized", 7, 0, 1, 2.5e-9, 0.75)
    changed = replace(experiment.drift[0], disagreements=(found,) * 51)
    other = replace(experiment, drift=(changed, *experiment.drift[1:]))
    assert disagreements_csv(other).splitlines()[1] == (
        "linucb-disjoint,uniform,optimized,7,0,1,0.750000,2.500e-09"
    )
    text = page(other)
    assert text.count("| Disjoint | uniform | optimized | 7 | 1 | 0 | 2.5e-09 |") == 50
    assert "1 more are in `disagreements.csv`." in text


def test_verdicts() -> None:
    assert verdict(within=True, tight=True) == "as stated"
    assert verdict(within=True, tight=False) == "grows slower"
    assert verdict(within=False, tight=False) == "grows faster"


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch, experiment: LinucbExperiment) -> None:
    monkeypatch.setattr(learn, "find_size", lambda _: TINY)
    monkeypatch.setattr(learn, "run_linucb", lambda *_: experiment)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["experiment", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


@pytest.mark.usefixtures("tiny")
def test_the_command_prints_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("linucb").split() == [f"reports/linucb/{name}" for name in FILES]
    assert (tmp_path / "reports" / "linucb" / "linucb.md").exists()


@pytest.mark.usefixtures("tiny")
def test_the_command_prints_json(tmp_path: Path) -> None:
    answer = json.loads(run("linucb", "--size", "full", "--out", str(tmp_path), "--json"))
    assert answer["files"] == [str(tmp_path / name) for name in FILES]
    assert set(answer["claims"][0]) == {"quantity", "unit", "published", "ours", "reading"}


def test_an_unknown_experiment() -> None:
    with pytest.raises(GnomonError) as error:
        CliRunner().invoke(app, ["experiment", "linubc"], catch_exceptions=False)
    assert str(error.value).startswith("there is no experiment 'linubc' (allowed: ")
    assert str(error.value).endswith(", did you mean 'linucb'?)")


def test_an_unknown_size() -> None:
    with pytest.raises(GnomonError) as error:
        CliRunner().invoke(app, ["experiment", "linucb", "--size", "big"], catch_exceptions=False)
    assert str(error.value) == "there is no size 'big' (allowed: small, full)"
