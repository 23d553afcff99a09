"""Files are written aside and renamed; other kinds of paths stay as they are."""

from __future__ import annotations

import multiprocessing
import os
import signal
import stat
import tracemalloc
from pathlib import Path

import pytest

from gnomon.base.errors import GnomonError
from gnomon.base.files import read_bytes, write_file, writing

FORK = multiprocessing.get_context("fork")


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


def _killed_while_writing(path: Path) -> None:
    with writing(path) as file:
        file.write(b"partial")
        file.flush()
        os.kill(os.getpid(), signal.SIGKILL)


def test_what_a_killed_writer_left_is_replaced(tmp_path: Path) -> None:
    process = FORK.Process(target=_killed_while_writing, args=(tmp_path / "result",))
    process.start()
    process.join()
    assert [each.name.startswith(".aside-") for each in tmp_path.iterdir()] == [True]
    write_file(tmp_path / "result", b"whole")
    assert [each.read_bytes() for each in tmp_path.iterdir()] == [b"whole"]


def _write_often(path: Path, byte: bytes) -> None:
    for _ in range(300):
        write_file(path, byte * 5000)


def test_writers_of_one_file_do_not_disturb_each_other(tmp_path: Path) -> None:
    path = tmp_path / "result"
    writers = [FORK.Process(target=_write_often, args=(path, byte)) for byte in (b"a", b"b", b"c")]
    for each in writers:
        each.start()
    while any(each.is_alive() for each in writers):
        if path.exists():
            assert path.read_bytes() in (b"a" * 5000, b"b" * 5000, b"c" * 5000)
    assert [each.exitcode for each in writers] == [0, 0, 0]
    assert [*tmp_path.iterdir()] == [path]


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
