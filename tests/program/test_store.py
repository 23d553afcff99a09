"""Stored builds: whole or absent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gnomon.errors import GnomonError
from gnomon.program._store import Stored, load, store


def test_what_is_stored_is_found(tmp_path: Path) -> None:
    stored = store(tmp_path, "key", ".elf", b"bytes", "a warning")
    assert stored == Stored(tmp_path / "key.elf", b"bytes", "a warning")
    assert load(tmp_path, "key", ".elf") == stored
    assert load(tmp_path, "other", ".elf") is None
    assert sorted(path.name for path in tmp_path.iterdir()) == ["key.elf", "key.json"]


@pytest.mark.parametrize("note", [b"", b"[]", b"{}", b"3", b"\xff", b'{"sha256": "0"}', None])
def test_a_damaged_note_counts_as_absent(tmp_path: Path, note: bytes | None) -> None:
    store(tmp_path, "key", ".elf", b"bytes", "")
    path = tmp_path / "key.json"
    if note is None:
        path.write_text(json.dumps({**json.loads(path.read_text()), "warnings": 7}))
    else:
        path.write_bytes(note)
    assert load(tmp_path, "key", ".elf") is None


def test_damaged_bytes_count_as_absent(tmp_path: Path) -> None:
    store(tmp_path, "key", ".elf", b"bytes", "")
    (tmp_path / "key.elf").write_bytes(b"bytez")
    assert load(tmp_path, "key", ".elf") is None


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(GnomonError) as caught:
        store(tmp_path / "gone", "key", ".elf", b"bytes", "")
    assert str(caught.value) == (
        f"{tmp_path}/gone: cannot write to the cache folder: No such file or directory"
        " (GNOMON_CACHE names another)"
    )


def test_a_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(GnomonError):
        store(tmp_path, "key", ".elf", b"bytes", "")
    assert list(tmp_path.iterdir()) == []
