"""The report of a tiny experiment: files, numbers beside numbers, the same bytes."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.base.errors import GnomonError
from gnomon.base.frames import csv_text
from gnomon.base.tables import read_csv_table
from gnomon.cli.app import app
from gnomon.content.reports.linucb import study
from gnomon.content.reports.linucb.complexity import verdict
from gnomon.content.reports.linucb.drift import Disagreement, DriftCase
from gnomon.content.reports.linucb.page import linucb_report
from gnomon.content.reports.linucb.study import LinucbExperiment, LinucbSize, run_linucb
from gnomon.content.reports.linucb.tables import claims, linucb_tables
from gnomon.report.study import Steps

if TYPE_CHECKING:
    from pathlib import Path

TINY = LinucbSize(
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
    *(f"{name}.csv" for name in ("claims", "complexity", "operations", "memory")),
    "drift.csv.xz",
    "disagreements.csv",
    *(
        f"{name}.{kind}"
        for name in ("operations", "memory", "drift", "reward")
        for kind in ("svg",)
    ),
]


@pytest.fixture(scope="module")
def experiment() -> LinucbExperiment:
    steps = Steps()
    result = run_linucb(TINY, steps)
    assert steps.done == steps.total
    return result


@pytest.fixture(scope="module")
def written(
    experiment: LinucbExperiment, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, ...]:
    """Its files, where the command writes them by itself: drawing them takes long."""
    folder = tmp_path_factory.mktemp("linucb")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study, "run_linucb", lambda *_: experiment)
        patch.chdir(folder)
        result = CliRunner().invoke(app, ["experiment", "linucb"], catch_exceptions=False)
    assert result.exit_code == 0
    assert result.stdout.split() == [f"out/linucb/{name}" for name in FILES]
    return tuple(folder / line for line in result.stdout.split())


def rows(path: Path) -> list[dict[str, str]]:
    return [dict(row.values) for row in read_csv_table(path)]


def test_files(experiment: LinucbExperiment, written: tuple[Path, ...]) -> None:
    assert [path.name for path in written] == FILES
    assert written[0].read_text() == linucb_report(experiment).page()


def test_tables(written: tuple[Path, ...]) -> None:
    folder = written[0].parent
    operations = rows(folder / "operations.csv")
    assert len(operations) == 2 * 2 * (3 * 2 + 2 * 2)
    for row in operations:
        assert row["formula_arithmetic"] == row["counted_arithmetic"]
        assert int(row["counted_arithmetic"]) > 0
    memory = rows(folder / "memory.csv")
    assert len(memory) == 2 * (3 * 2 + 2 * 2)
    drift = rows(folder / "drift.csv.xz")
    assert len(drift) == 2 * (3 + 4) * 2
    assert {row["round"] for row in drift} == {str(n) for n in range(40, 81, 40)}
    complexity = rows(folder / "complexity.csv")
    assert [row["verdict"] for row in complexity].count("as stated") == 11
    assert rows(folder / "disagreements.csv") == []


def test_claims_stand_beside_what_the_paper_says(
    experiment: LinucbExperiment, written: tuple[Path, ...]
) -> None:
    table = rows(written[0].with_name("claims.csv"))
    assert [row["quantity"] for row in table] == claims(experiment)["quantity"].tolist()
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
    text = linucb_report(experiment).page()
    for claim in claims(experiment).itertuples():
        assert f"| {claim.quantity} | " in text
        assert claim.reading in text
    for name in ("operations", "memory", "drift", "reward"):
        assert f"({name}.svg)" in text
    assert "Every variant chose the arm of the standard learner in every round." in text
    assert "{" not in text


def test_disagreements_are_listed_with_their_margin(experiment: LinucbExperiment) -> None:
    found = Disagreement("optimized", 7, 0, 1, 2.5e-9, 0.75)
    changed = replace(experiment.drift[0], disagreements=(found,) * 51)
    other = replace(experiment, drift=(changed, *experiment.drift[1:]))
    text = csv_text(linucb_tables(other)["disagreements"])
    assert text.splitlines()[1] == ("linucb-disjoint,uniform,optimized,7,0,1,0.750000,2.500e-09")
    text = linucb_report(other).page()
    assert text.count("| Disjoint | uniform | optimized | 7 | 1 | 0 | 2.5e-09 |") == 50
    assert "1 more are in `disagreements.csv`." in text


def test_sentences_follow_the_numbers(experiment: LinucbExperiment) -> None:
    text = linucb_report(experiment).page()
    assert "All stages stay within the published bounds." in text
    assert "and equals the formula" in text
    assert "closer to the exact one than that of the standard learner. It needs" in text
    growth = [row | {"verdict": "grows faster"} for row in experiment.growth]
    counts = [row | {"formula_mac": 1} for row in experiment.counts]
    memory = [
        row | {"select_peak_bytes": 1000 * (row["variant"] == "optimized")}
        for row in experiment.memory
    ]
    drift = tuple(
        replace(
            result,
            variants=tuple(
                replace(item, error=item.error + (item.variant == "rank-one"))
                for item in result.variants
            ),
        )
        for result in experiment.drift
    )
    worse = replace(experiment, growth=growth, counts=counts, memory=memory, drift=drift)
    other = linucb_report(worse).page()
    assert (
        "These operation counts grow faster than published:\n- Disjoint, standard, select\n"
        in other
    )
    assert "**differs** somewhere from the formula" in other
    assert "The optimized select does not need less memory everywhere" in other
    assert "not closer to the exact one" in other


def test_verdicts() -> None:
    words = [verdict(counted, 3) for counted in (2.95, 2.0, 3.2)]
    assert words == ["as stated", "grows slower", "grows faster"]


@pytest.mark.heavy("studies")
def test_the_command_prints_json(
    experiment: LinucbExperiment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study, "run_linucb", lambda *_: experiment)
    words = ["experiment", "linucb", "--size", "full", "--out", str(tmp_path), "--json"]
    result = CliRunner().invoke(app, words, catch_exceptions=False)
    assert result.exit_code == 0
    answer = json.loads(result.stdout)
    assert answer["files"] == [str(tmp_path / name) for name in FILES]
    assert set(answer["claims"][0]) == {"quantity", "unit", "published", "ours", "reading"}


def test_an_unknown_experiment() -> None:
    result = CliRunner().invoke(app, ["experiment", "linubc"])
    assert result.exit_code == 2
    assert "No such command 'linubc'" in result.output
    assert "'linucb'" in result.output


def test_an_unknown_size() -> None:
    with pytest.raises(GnomonError) as error:
        CliRunner().invoke(app, ["experiment", "linucb", "--size", "big"], catch_exceptions=False)
    assert str(error.value) == "there is no size 'big' (allowed: small, full)"
