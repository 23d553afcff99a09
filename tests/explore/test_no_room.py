"""A disk that is full or read-only: slower with a warning, or one message; nothing half-written."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import absent

from .conftest import ROOT, command, kernel_sweep

PROGRAM = ROOT / "tests" / "reference" / "t13x" / "programs" / "p05.elf"


def _mounted(
    options: str, place: Path, script: str, *words: str
) -> subprocess.CompletedProcess[str]:
    """A shell, with words, that alone sees a file system at a place, ``$0`` of the script."""
    mount = f"mount -t tmpfs -o {options} none $0 && {script}"
    return subprocess.run(
        ["unshare", "--map-root-user", "--mount", "sh", "-c", mount, str(place), *words],
        capture_output=True, text=True, check=False, cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )  # fmt: skip


@pytest.fixture
def place(tmp_path: Path) -> Path:
    place = tmp_path / "place"
    place.mkdir()
    if shutil.which("unshare") is None:
        absent("unshare: not found; install: sudo apt-get install util-linux")
    if (tried := _mounted("ro", place, "true")).returncode:
        pytest.skip(f"no file system may be mounted: {tried.stderr.strip()}")
    return place


@pytest.mark.heavy("kills")  # it compiles the engine twice
def test_an_engine_that_cannot_be_cached(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_CACHE", str(place / "cache"))
    monkeypatch.delenv("GNOMON_NATIVE", raising=False)  # builds for developers need a cache
    run = command("run", str(PROGRAM), "--arch", "t13", "--json")
    said = set()
    for options, why in (("size=64k", "No space left on device"), ("ro", "Read-only file system")):
        done = _mounted(options, place, '"$@" && find $0 -type f >&2', *run)
        assert done.returncode == 0, done.stderr
        warning = next(line for line in done.stderr.splitlines() if "compiled again" in line)
        assert why in warning
        assert not [line for line in done.stderr.splitlines() if line.endswith(".so")]
        said.add(done.stdout)
    (same,) = said
    assert json.loads(same)["halted"] == "exit"


@pytest.mark.parametrize(
    ("options", "fill", "why"),
    [
        ("size=8k", "", "results.csv: cannot be written: No space left on device"),
        (
            "size=8k",
            "head -c 8192 /dev/zero > $0/fill",
            "results.csv: cannot be written: No space left on device",
        ),
        ("ro", "", ".sweep.lock: cannot be written: Read-only file system"),
    ],
)
def test_a_sweep_that_cannot_be_written(
    options: str, fill: str, why: str, place: Path, own_cache: Path, tmp_path: Path
) -> None:
    del own_cache
    spec = tmp_path / "sweep.yaml"
    spec.write_text(json.dumps(kernel_sweep(axes={"variant": ["scalar"], "n": [2, 4]})))
    sweep = command("sweep", str(spec), "--jobs", "1", "--out", str(place / "out"))
    done = _mounted(
        options, place, f'{fill or "true"}; "$@"; code=$?; ls $0/out; exit $code', *sweep
    )
    *_, message = [line for line in done.stderr.splitlines() if line.startswith("gnomon: ")]
    assert (done.returncode, message) == (2, f"gnomon: {place}/out/{why}")
    assert done.stdout == ""  # but for the lock, nothing is there
