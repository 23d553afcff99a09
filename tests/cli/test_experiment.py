"""``gnomon experiment``: a run that was stopped resumes, with a note."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.base.errors import GnomonError, Interrupted
from gnomon.cli.app import app
from gnomon.content.reports.ares import runs as experiment

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_CACHE", str(tmp_path / "cache"))


def ares(folder: Path, *more: str) -> Result:
    arguments = ["experiment", "ares", "--out", str(folder), *more]
    return CliRunner().invoke(app, arguments, catch_exceptions=False)


def test_ctrl_c_then_the_same_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    smaller = replace(experiment.EXTENTS["small"], runs=3, rounds=120)
    monkeypatch.setitem(experiment.EXTENTS, "small", smaller)

    def stop(*_: object, **__: object) -> dict[str, float]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(stop, "__module__", experiment.theorems_1_to_3.__module__)
        patch.setattr(experiment, "theorems_1_to_3", stop)
        with pytest.raises(Interrupted) as stopped:
            ares(tmp_path / "a")
    assert str(stopped.value) == (
        "interrupted; finished results are cached, rerun the same command to resume"
    )
    assert not (tmp_path / "a").exists()
    done = ares(tmp_path / "a", "--json")
    assert done.stderr == (
        "gnomon: 1 of 2 results are of an earlier run (--fresh computes them again)\n"
    )
    fresh = ares(tmp_path / "b", "--fresh", "--json")
    assert fresh.stderr == ""
    assert json.loads(done.stdout)["criteria"] == json.loads(fresh.stdout)["criteria"]
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_an_unknown_size(tmp_path: Path) -> None:
    with pytest.raises(GnomonError) as error:
        ares(tmp_path, "--size", "ful")
    assert str(error.value) == (
        "there is no size 'ful' (allowed: small, full, did you mean 'full'?)"
    )
