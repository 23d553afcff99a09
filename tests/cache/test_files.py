"""Files are written aside and renamed; other kinds of paths stay as they are."""

from __future__ import annotations

import os
import stat
import tracemalloc
from pathlib import Path

import pytest

from gnomon.base.errors import GnomonError
from gnomon.base.files import read_bytes, write_file, writing


def test_a_special_file_is_not_replaced(tmp_path: Path) -> None:
    """As /dev/null would be, by a rename of a user who may."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(GnomonError, match="pipe: cannot be written: it is not a regular file"):
        write_file(pipe, b"x")
    with pytest.raises(GnomonError, match="not a regular file"), writing(pipe) as file:
        file.write(b"x")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert [each.name for each in tmp_path.iterdir()] == ["pipe"]


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_bytes(b"mine")
    link = tmp_path / "link"
    link.symlink_to(kept)
    write_file(link, b"x")
    assert kept.read_bytes() == b"mine"
    assert link.read_bytes() == b"x"


def test_a_small_file_takes_little_memory(tmp_path: Path) -> None:
    (tmp_path / "small").write_bytes(b"x" * 1000)
    tracemalloc.start()
    try:
        assert read_bytes(tmp_path / "small") == b"x" * 1000
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
    if (status := Path("/proc/self/status")).is_file():  # its size is said to be 0
        assert b"Pid:" in read_bytes(status)
    with pytest.raises(GnomonError, match="is longer than 0 MiB"):
        read_bytes(tmp_path / "small", 999)
    assert len(read_bytes(tmp_path / "small", 1000)) == 1000
