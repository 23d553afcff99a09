"""Wheels of this tree, and fresh virtual environments that hold one."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).resolve().parents[1]


def build_wheel(folder: Path, system: str = "") -> Path:
    """Build the wheel for a system, or the pure one."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT, env=os.environ | {"GNOMON_WHEEL": system}, check=True, capture_output=True,
    )  # fmt: skip
    (wheel,) = folder.glob("*.whl")
    return wheel


def build_once(factory: pytest.TempPathFactory) -> Path:
    """Return the pure wheel, which the first test of a run builds, in whichever process it is."""
    folder = _shared(factory)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return next(folder.glob("*.whl"), None) or build_wheel(folder)


def install_once(factory: pytest.TempPathFactory) -> Path:
    """Return the Python of an environment with the pure wheel, made once in a run."""
    wheel = build_once(factory)
    folder = _shared(factory)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        python = folder / "venv" / "bin" / "python"
        return python if python.exists() else install(wheel, folder)


def _shared(factory: pytest.TempPathFactory) -> Path:
    """Return a folder of all processes of a run; each of pytest-xdist has a folder in it."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "pure-wheel"
    folder.mkdir(exist_ok=True)
    return folder


def install(wheel: Path, folder: Path) -> Path:
    """A fresh environment with the wheel, which borrows dependencies from this one: its Python."""
    venv = folder / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    (own,) = (venv / "lib").glob("python*/site-packages")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index",
         "--disable-pip-version-check", "--target", str(own), str(wheel)],
        check=True,
    )  # fmt: skip
    (own / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return venv / "bin" / "python"
