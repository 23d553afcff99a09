"""``gnomon list`` names what is shipped and what is the user's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from typer.testing import CliRunner

from gnomon.base.content import found, found_machines
from gnomon.cli.app import app

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_shipped_and_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gnomon.yaml").write_text("schema: 1\n")
    runner = CliRunner()
    runner.invoke(app, ["new", "kernel", "axpy"], catch_exceptions=False)
    rows = json.loads(runner.invoke(app, ["list", "--json"]).stdout)
    assert {row["name"] for row in rows["machines"]} == set(found_machines())
    assert {row["name"] for row in rows["learners"]} == set(found("algorithms"))
    own = [row for row in rows["kernels"] if not row["shipped"]]
    assert [(row["name"], row["file"]) for row in own] == [
        ("axpy", str(tmp_path / "kernels/axpy/kernel.yaml"))
    ]
    assert "axpy" in runner.invoke(app, ["list", "kernels"]).stdout


def test_a_study_after_another_command() -> None:
    done = CliRunner().invoke(app, ["report", "fixed-point"])
    assert "gnomon experiment fixed-point" in str(done.exception)
