"""Units of the tests: a project folder with one of each kind."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

_UNITS = Path(__file__).with_name("units")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with the units of the tests, which is the current folder."""
    (tmp_path / "gnomon.yaml").touch()
    shutil.copytree(_UNITS, tmp_path / "units")
    monkeypatch.chdir(tmp_path)
    return tmp_path
