"""The wheel carries the content folders; in a checkout they are found where they are edited."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import gnomon
from gnomon.base.content import content, content_root

_ROOT = Path(__file__).resolve().parents[1]


def test_the_wheel_holds_package_and_content(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=_ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        "gnomon/py.typed",
        "gnomon/program/runtime/start.S",
        "gnomon/_content/kernels/common/fx.h",
    }
    wanted |= {f"gnomon/_content/arch/{file.name}" for file in (_ROOT / "arch").glob("*.yaml")}
    assert wanted <= names
    assert not [name for name in names if name.startswith(("tests/", "reports/"))]


def test_the_version_is_a_release_number() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", gnomon.__version__)


def test_a_checkout_uses_its_own_content() -> None:
    assert content_root() == _ROOT
    assert content("arch", "t13.yaml").is_file()
