"""The lock of a sweep's folder, which may come from a stranger."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import GnomonError
from gnomon.explore._lock import LOCK_NAME, locked

if TYPE_CHECKING:
    from pathlib import Path


def test_no_link_is_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("kept")
    folder = tmp_path / "sweep"
    folder.mkdir()
    (folder / LOCK_NAME).symlink_to(precious)
    with pytest.raises(GnomonError, match=LOCK_NAME), locked(folder):
        pass
    assert precious.read_text() == "kept"


def test_nothing_but_a_file_is_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / LOCK_NAME)
    with pytest.raises(GnomonError, match="is not a file"), locked(tmp_path):
        pass


def test_two_do_not_hold_it(tmp_path: Path) -> None:
    held = f"process {os.getpid()}"
    with locked(tmp_path), pytest.raises(GnomonError, match=held), locked(tmp_path):
        pass
    with locked(tmp_path):
        pass
