"""``gnomon budget --base``: another version of a budget, and the text of the comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import CheckFailed, GnomonError
from tests.budget._files import cycles, invoke, write

if TYPE_CHECKING:
    from pathlib import Path


def test_changes_alone_are_rows(tmp_path: Path) -> None:
    (tmp_path / "base").mkdir()
    base = write(tmp_path / "base", "wall_cycles <= 1", "stack <= 1 MiB")
    here = write(tmp_path, f"wall_cycles <= {cycles()}", "text <= 1 B", "stack <= 1 MiB")
    text = tmp_path / "comment.md"
    with pytest.raises(CheckFailed):  # the limits of the base do not matter
        invoke(here, "--base", base, "--comment", text)
    lines = text.read_text().splitlines()
    assert lines[:2] == ["<!-- gnomon budget b -->", "### Budget b: 1 of 3 limits are not met"]
    rows = [line for line in lines if line.startswith("| conv")]
    assert len(rows) == 1
    assert rows[0].startswith("| conv | text | - |")
    assert rows[0].endswith("| - | &lt;= 1 B | **exceeded** |")
    assert "2 quantities are unchanged and within the limit." in lines
    assert f"- Not compared: {base} has no text of conv." in lines


def test_each_option_needs_the_other(tmp_path: Path) -> None:
    path = write(tmp_path, "wall_cycles <= 1")
    for option in ("--base", "--comment"):
        with pytest.raises(GnomonError, match="--base and --comment need each other"):
            invoke(path, option, tmp_path / "x.yaml")
