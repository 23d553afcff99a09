"""Entries of the cache: whole or absent, with concurrent writers and disk errors."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from gnomon.base.cache import Store, cache_folder
from gnomon.base.errors import GnomonError

KEY = "ab" * 32


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GNOMON_CACHE", str(tmp_path))
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_folder("a") == tmp_path / "a"
    monkeypatch.delenv("GNOMON_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert cache_folder("a") == tmp_path / "x" / "gnomon" / "a"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_folder("a") == tmp_path / "home" / ".cache" / "gnomon" / "a"
    assert cache_folder("a").is_dir()


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(GnomonError) as caught:
        cache_folder("file")
    assert str(caught.value) == (
        f"{tmp_path}/file: cannot make the cache folder: File exists (GNOMON_CACHE names another)"
    )


def test_what_is_kept_is_found() -> None:
    store = Store("kind", ".elf")
    assert store.load(KEY) is None
    kept = store.keep(KEY, b"bytes", {"warnings": "a\nb"})
    assert kept.path.read_bytes() == b"bytes"
    assert (kept.data, kept.note) == (b"bytes", {"warnings": "a\nb"})
    assert Store("kind", ".elf").load(KEY) == kept
    assert Store("other", ".elf").load(KEY) is None
    assert store.load("ac" * 32) is None
    assert names(store.folder) == sorted([f"{KEY}.entry", kept.path.name])
    assert kept.path.name == f"{hashlib.sha256(b'bytes').hexdigest()}.elf"


def test_what_is_kept_again_replaces() -> None:
    store = Store("kind", ".txt")
    store.keep(KEY, b"one")
    store.keep(KEY, b"two", {"n": "2"})
    found = store.load(KEY)
    assert found is not None
    assert (found.data, found.note) == (b"two", {"n": "2"})


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b'{"version": 1}',
        b"3",
        b"\xff",
        b'{"data": 1, "note": {}, "seal": "", "version": 1}',
        None,
    ],
)
def test_a_damaged_note_counts_as_absent(
    text: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    store = Store("kind", ".txt")
    store.keep(KEY, b"bytes", {"warnings": ""})
    path = store.folder / f"{KEY}.entry"
    if text is None:
        path.write_text(json.dumps({**json.loads(path.read_text()), "note": {"warnings": "x"}}))
    else:
        path.write_bytes(text)
    assert store.load(KEY) is None
    assert caplog.messages == [f"{path}: is damaged; it is regenerated"]


def test_a_note_of_another_key_counts_as_damaged(caplog: pytest.LogCaptureFixture) -> None:
    store = Store("kind", ".txt")
    store.keep(KEY, b"bytes")
    other = store.folder / f"{'ac' * 32}.entry"
    other.write_bytes((store.folder / f"{KEY}.entry").read_bytes())
    assert store.load("ac" * 32) is None
    assert caplog.messages == [f"{other}: is damaged; it is regenerated"]


@pytest.mark.parametrize("damage", [b"", b"bytez", b"bytes!"])
def test_damaged_data_counts_as_absent(damage: bytes, caplog: pytest.LogCaptureFixture) -> None:
    store = Store("kind", ".txt")
    path = store.keep(KEY, b"bytes").path
    path.write_bytes(damage)
    assert store.load(KEY) is None
    assert caplog.messages == [f"{path}: is damaged; it is regenerated"]
    store.keep(KEY, b"bytes")
    assert store.load(KEY) is not None


def test_data_that_is_gone_is_said(caplog: pytest.LogCaptureFixture) -> None:
    store = Store("kind", ".txt")
    path = store.keep(KEY, b"bytes").path
    path.unlink()
    assert store.load(KEY) is None
    assert caplog.messages == [f"{path}: is damaged; it is regenerated"]


def test_what_cannot_be_read_is_said(caplog: pytest.LogCaptureFixture) -> None:
    store = Store("kind", ".txt")
    path = store.folder / f"{KEY}.entry"
    path.mkdir()
    assert store.load(KEY) is None
    assert caplog.messages == [f"{path}: cannot be read: Is a directory; it is regenerated"]


def test_a_folder_that_is_gone() -> None:
    store = Store("kind", ".txt")
    store.folder.rmdir()
    with pytest.raises(GnomonError) as caught:
        store.keep(KEY, b"bytes")
    assert str(caught.value) == (
        f"{store.folder}: cannot write to the cache folder: No such file or directory"
        " (GNOMON_CACHE names another)"
    )


def test_a_full_disk_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    store = Store("kind", ".txt")
    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(GnomonError, match="No space left on device"):
        store.keep(KEY, b"bytes")
    assert names(store.folder) == []


def _write(number: int) -> None:
    store = Store("kind", ".txt")
    for _ in range(200):
        store.keep(KEY, bytes([number]) * 1000, {"by": str(number)})
        found = store.load(KEY)
        assert found is not None
        assert set(found.data) == {int(found.note["by"])}


def test_writers_that_disagree_never_leave_half_of_each(root: Path) -> None:
    with ProcessPoolExecutor(3, multiprocessing.get_context("spawn")) as pool:
        list(pool.map(_write, range(3)))
    assert len(names(root / "kind")) == 4  # a note, and what each has found
