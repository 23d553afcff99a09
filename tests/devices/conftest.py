"""A folder of content with the devices that `gnomon new` writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.cli.app import app

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a project with an alarm in C and the same in Python."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gnomon.yaml").touch()
    for words in (["bell"], ["chime", "--python"]):
        done = CliRunner().invoke(app, ["new", "device", *words], catch_exceptions=False)
        assert done.exit_code == 0
    return tmp_path
