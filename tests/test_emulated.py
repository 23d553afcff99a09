"""The wheel for aarch64, run by qemu, measures what this host measures."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from tests.conftest import absent, need_checkout
from tests.report.paper.test_quick import check
from tests.wheels import ROOT, build_wheel

if TYPE_CHECKING:
    from pathlib import Path


class Emulated:
    """A Python for aarch64 with the wheel."""

    def __init__(self, folder: Path, given: Path, qemu: str) -> None:
        own, root = folder / "own", given / "root"
        with zipfile.ZipFile(build_wheel(folder, "aarch64-linux")) as files:
            files.extractall(own)
        (own / "gnomon" / "_content" / "reports").symlink_to(ROOT / "reports")  # as in a checkout
        # The kernel of this host starts a compiler of its own processor alone. Its output is the
        # same: of RISC-V for the figures, and of aarch64 for the learners that run on the host.
        zig = importlib.util.find_spec("ziglang")
        assert zig is not None
        assert zig.submodule_search_locations
        (own / "ziglang").symlink_to(zig.submodule_search_locations[0])
        self._python = folder / "python"
        command = [qemu, "-L", str(root), "-0"]
        self._python.write_text(
            f'#!/bin/sh\nexec {shlex.join(command)} "$0" {root}/usr/bin/python3.11 "$@"\n'
        )
        self._python.chmod(0o755)
        self.cache = folder / "cache"
        self._environment = {
            "PATH": os.environ["PATH"],
            "PYTHONHOME": str(root / "usr"),
            "PYTHONPATH": f"{own}:{given / 'packages'}",
            "GNOMON_CACHE": str(self.cache),
            "OPENBLAS_NUM_THREADS": "1",
        }

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self._python), *words], cwd=self._python.parent, env=self._environment,
            capture_output=True, text=True, check=True,
        )  # fmt: skip


@pytest.fixture(scope="module")
def emulated(tmp_path_factory: pytest.TempPathFactory) -> Emulated:
    given = need_checkout("aarch64")
    qemu = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
    if qemu is None:
        absent("qemu-aarch64-static: not found; install: sudo apt-get install qemu-user-static")
    return Emulated(tmp_path_factory.mktemp("aarch64"), given, qemu)


@pytest.mark.heavy("wheels")
@pytest.mark.parametrize("name", ["p00", "p_conv_h1_s4"])
def test_a_run_on_aarch64(emulated: Emulated, name: str) -> None:
    """Every counter of a run is that of this host."""
    assert emulated("-c", "import platform; print(platform.machine())").stdout == "aarch64\n"
    program = ROOT / "tests" / "reference" / "t13x" / "programs" / f"{name}.elf"
    words = ("-m", "gnomon", "run", str(program), "--arch", "t13-simd4", "--json")
    here = subprocess.run([sys.executable, *words], check=True, capture_output=True, text=True)
    there = emulated(*words)
    assert there.stdout == here.stdout
    assert '"exit_cycle"' in there.stdout
    assert "compiling" not in there.stderr  # the engine is that of the wheel
    assert not list((emulated.cache / "native").glob("*.so"))


@pytest.mark.heavy("wheels")
def test_the_study_on_aarch64(emulated: Emulated, tmp_path: Path) -> None:
    """What ``make study`` runs measures the committed rows, with the engine of the wheel."""
    done = emulated("-m", "gnomon", "report", "paper", "--quick", "--out", str(tmp_path))
    assert not list((emulated.cache / "native").glob("*.so"))
    assert list((emulated.cache / "host").glob("*.so"))  # the learners of aarch64
    check(tmp_path, done.stdout.splitlines(), (4, 8))
