"""The committed report of the example is what its file gives today."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.deploy import (
    DeploymentResult,
    SearchResult,
    measure_service,
    read_deployment,
    search_deployment,
    simulate_deployment,
)
from gnomon.report.deploy import DeploymentReport
from gnomon.report.deploy._pictures import Drawn
from gnomon.report.deploy._write import deployment_markdown, runs_csv

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "examples" / "wearable.yaml"
REPORT = ROOT / "reports" / "deploy" / "wearable"


@pytest.fixture(scope="module")
def wearable() -> tuple[DeploymentResult, SearchResult]:
    deployment = read_deployment(SPEC)
    service = measure_service(deployment)
    found = search_deployment(deployment, service)
    assert found is not None
    return simulate_deployment(deployment, service), found


def test_runs(wearable: tuple[DeploymentResult, SearchResult]) -> None:
    # Another one: gnomon deploy examples/wearable.yaml --report reports/deploy/wearable
    assert runs_csv(*wearable) == (REPORT / "runs.csv").read_text()


def test_page(wearable: tuple[DeploymentResult, SearchResult]) -> None:
    committed = (REPORT / "deploy.md").read_text()
    pictures = [
        Drawn(name, words.removeprefix("!["), {})
        for line in committed.splitlines()
        if line.startswith("![")
        for words, name in [line.removesuffix(".svg)").split("](")]
    ]
    assert [each.name for each in pictures] == ["latency", "timeline", "energy", "search"]
    assert deployment_markdown(*wearable, pictures, SPEC.read_text()) == committed


def test_what_the_report_says(wearable: tuple[DeploymentResult, SearchResult]) -> None:
    result, found = wearable
    assert found.best is not None
    assert found.best.result is not None
    assert found.best.keeps
    assert not result.keeps  # the full clock drains the cell while it wakes
    assert "static power" in (REPORT / "deploy.md").read_text().split("## Latency")[0]


@pytest.mark.heavy("studies")
def test_tables_in_a_pipe_fit_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The reason why a machine does not run is a sentence below, no cell as wide as itself."""
    head = SPEC.read_text().replace("count: 100000", "count: 500").partition("\nsearch:")[0]
    path = tmp_path / "wide.yaml"
    path.write_text(head + "\nsearch:\n  arch: [t13-paper-simd4, rv32im]\n  objective: power\n")
    deployment = read_deployment(path)
    service = measure_service(deployment)
    DeploymentReport(
        simulate_deployment(deployment, service), search_deployment(deployment, service)
    ).print()
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 120
    assert "  rv32im does not run: learner linucb-disjoint" in shown
    assert "rv32im has no vector unit" in shown
