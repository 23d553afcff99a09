"""The command: from a sweep file to the files of its report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
import yaml

from gnomon.base.errors import GnomonError
from gnomon.cli._report import sweep
from tests.report.sweep.conftest import kernel_sweep

if TYPE_CHECKING:
    from pathlib import Path


def test_the_command_names_its_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = tmp_path / "small.yaml"
    spec.write_text(yaml.safe_dump(kernel_sweep(axes={"n": [2, 6], "variant": ["scalar"]})))
    sweep(spec, jobs=1, out=tmp_path / "out", as_json=True)
    files = json.loads(capsys.readouterr().out)["files"]
    assert sorted(files) == sorted(str(path) for path in (tmp_path / "out").iterdir())
    assert "kernel: add" in (tmp_path / "out" / "index.html").read_text()


def test_a_wrong_number_of_processes(tmp_path: Path) -> None:
    with pytest.raises(GnomonError, match="--jobs must be at least 1, not 0"):
        sweep(tmp_path / "small.yaml", jobs=0)
    with pytest.raises(GnomonError, match="leave out one"):
        sweep(tmp_path / "small.yaml", jobs=1, cluster="tcp://localhost:1")
