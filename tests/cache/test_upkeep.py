"""The cache as a whole: shown, checked, held to a size; whose it is, and who may share it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnomon.base.cache import Store, cache_folder, tidy
from gnomon.base.cache_entry import DAY_S
from gnomon.base.errors import GnomonError
from gnomon.base.upkeep import prune, usage, verify
from gnomon.cli.app import app

DAMAGE = {
    "a note cut short": (".entry", lambda data: data[:20]),
    "a note of zeros": (".entry", lambda data: bytes(len(data))),
    "a note without end": (".entry", lambda data: b"[" * 100_000),
    "a note of another key": (".entry", lambda data: data.replace(b'"k": "', b'"k": "x')),
    "data cut short": (".bin", lambda data: data[:-1]),
    "data with a bit flipped": (".bin", lambda data: bytes([data[0] ^ 1]) + data[1:]),
    "no data": (".bin", lambda data: b""),
}


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GNOMON_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def filled(count: int = 4, size: int = 1000) -> Store:
    """Entries 0 to count - 1, the first one used longest ago."""
    store = Store("kind", ".bin")
    for number in range(count):
        entry = store.keep(f"{number:064}", bytes([number]) * size, {"k": "v"})
        then = time.time() - (count - number) * 2 * DAY_S
        for path in (entry.path, store.folder / f"{number:064}.entry"):
            os.utime(path, (then, then))
    return store


def kept(store: Store) -> list[int]:
    return [number for number in range(4) if store.load(f"{number:064}")]


@pytest.mark.parametrize("what", DAMAGE)
def test_what_is_damaged_is_found_and_made_again(what: str, root: Path) -> None:
    store = filled()
    suffix, change = DAMAGE[what]
    victim = min(root.glob(f"kind/*{suffix}"))
    victim.write_bytes(change(victim.read_bytes()))
    count, damaged = verify(root)
    assert (count, len(damaged)) == (4, 1)
    assert verify(root) == (3, [])
    assert len(kept(store)) == 3
    filled()
    assert kept(store) == [0, 1, 2, 3]


def test_what_was_used_last_stays(root: Path) -> None:
    store = filled()
    assert store.load(f"{0:064}") is not None  # which is a use
    ((_, size),) = usage(root).values()
    assert prune(root, size // 2) == size // 2
    assert kept(store) == [0, 3]
    assert verify(root) == (2, [])
    assert prune(root, 0) == size - size // 2
    assert [path.name for path in root.glob("kind/*")] == []


def test_left_overs_of_killed_processes_go(root: Path) -> None:
    filled()
    old, new = root / "kind" / ".aside-old", root / "kind" / ".aside-new"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (1, 1))
    prune(root, 1 << 40)
    assert (old.exists(), new.exists()) == (False, True)


@pytest.mark.parametrize("days", [2, -2])
def test_the_limit_is_held_once_a_day_whatever_the_clock_does(
    days: int, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stamp of the last time is two days old, or two days ahead."""
    monkeypatch.setenv("GNOMON_CACHE_LIMIT", "100 B")
    filled()
    stamp = root / ".tidied"
    stamp.touch()
    tidy.cache_clear()
    tidy()
    assert len(kept(Store("kind", ".bin"))) == 4
    os.utime(stamp, (time.time() - days * DAY_S,) * 2)
    tidy.cache_clear()
    tidy()
    assert kept(Store("kind", ".bin")) == []


def test_other_files_are_not_deleted(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``GNOMON_CACHE`` names a folder that was there before, or one leads out of the cache."""
    other = root / "Documents" / "thesis.entry"
    other.parent.mkdir(parents=True)
    other.write_text("years of work")
    monkeypatch.setenv("GNOMON_CACHE_LIMIT", "1 B")
    tidy.cache_clear()
    filled()
    for delete in (verify, lambda folder: prune(folder, 0)):
        with pytest.raises(
            GnomonError, match=f"{root}: no file CACHEDIR.TAG marks this folder as a cache"
        ):
            delete(root)
    whole = root.with_name("whole")
    monkeypatch.setenv("GNOMON_CACHE", str(whole))
    cache_folder("kind")
    (whole / "link").symlink_to(other.parent)
    prune(whole, 0)
    assert other.read_text() == "years of work"


def test_another_version_is_as_if_it_were_not_there(
    root: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = filled()
    monkeypatch.setattr("gnomon.base.cache_entry._VERSION", 99)
    assert kept(store) == []
    assert caplog.messages == []


class TestWhose:
    """Nobody else's results are taken for one's own."""

    def test_folders_are_private(self, root: Path) -> None:
        old = os.umask(0)
        try:
            folder = cache_folder("kind")
        finally:
            os.umask(old)
        assert [each.stat().st_mode & 0o777 for each in (root, folder)] == [0o700, 0o700]
        folder.chmod(0o777)
        assert cache_folder("kind").stat().st_mode & 0o777 == 0o700

    def test_a_folder_of_somebody_else(self, monkeypatch: pytest.MonkeyPatch) -> None:
        cache_folder("kind")
        monkeypatch.setattr(os, "getuid", lambda: 12345)
        folder = Path(os.environ["GNOMON_CACHE"]) / "kind"
        if folder.stat().st_uid == 0:
            os.chown(folder, 54321, -1)
        with pytest.raises(GnomonError, match="belongs to another user"):
            cache_folder("kind")

    def test_a_root_of_somebody_else(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        folder, user = cache_folder("kind"), root.stat()
        owner = {root: 54321, folder: user.st_uid}
        whole = Path.stat
        monkeypatch.setattr(os, "getuid", lambda: user.st_uid)

        def owned(path: Path, **options: bool) -> os.stat_result:
            status = whole(path, **options)
            return os.stat_result((*status[:4], owner.get(path, status.st_uid), *status[5:10]))

        monkeypatch.setattr(Path, "stat", owned)
        with pytest.raises(GnomonError, match=f"{root}: belongs to another user"):
            cache_folder("kind")

    def test_a_shared_one_is_read_and_never_written(
        self, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        filled()
        before = {path: path.stat().st_mtime for path in root.rglob("*")}
        monkeypatch.setenv("GNOMON_CACHE_SHARED", str(root))
        monkeypatch.setenv("GNOMON_CACHE", str(tmp_path / "own"))
        store = Store("kind", ".bin")
        assert kept(store) == [0, 1, 2, 3]
        store.keep("f" * 64, b"new")
        assert {path: path.stat().st_mtime for path in root.rglob("*")} == before
        (root / "kind").chmod(0o777)
        assert kept(Store("kind", ".bin")) == []


def test_two_processes_of_which_one_is_killed(root: Path) -> None:
    """What the other one reads is whole, always."""
    write = (
        "import sys, itertools\nfrom gnomon.base.cache import Store\n"
        "store = Store('kind', '.bin')\nprint('ready', flush=True)\n"
        "for n in itertools.count():\n    store.keep('a' * 64, bytes([n % 256]) * 300_000)\n"
    )
    store = Store("kind", ".bin")
    for _ in range(4):
        with subprocess.Popen([sys.executable, "-c", write], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            for _ in range(40):
                entry = store.load("a" * 64)
                assert entry is None or entry.data == entry.data[:1] * 300_000
            process.kill()
        assert verify(root)[1] == []


def test_the_command(root: Path) -> None:
    store = filled()
    run = CliRunner().invoke
    told = json.loads(run(app, ["cache", "show", "--json"]).stdout)
    assert told["folder"] == str(root)
    assert told["kinds"]["kind"]["files"] == 8
    assert run(app, ["cache", "verify"]).stdout == "4 entries, 0 damaged\n"
    (store.folder / f"{0:064}.entry").write_text("")
    done = run(app, ["cache", "verify", "--json"])
    assert (done.exit_code, len(json.loads(done.stdout)["damaged"])) == (1, 1)
    assert "bytes deleted" in run(app, ["cache", "prune", "--most", "0 B"]).stdout
    assert kept(store) == []
