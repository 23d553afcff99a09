"""Wheels of this tree, and fresh virtual environments that hold one."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def build_wheel(folder: Path, system: str = "") -> Path:
    """Build the wheel for a system, or the pure one."""
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT, env=os.environ | {"GNOMON_WHEEL": system}, check=True, capture_output=True,
    )  # fmt: skip
    (wheel,) = folder.glob("*.whl")
    return wheel


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
