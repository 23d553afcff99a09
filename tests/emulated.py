"""A Python for aarch64 with gnomon's dependencies: ``python -m tests.emulated FOLDER`` makes it.

The folder gets ``root``, packages of Debian with Python 3.11, and ``packages``, the wheels that
gnomon depends on, in the versions of this environment. apt and pip download both; nothing is
installed on this host.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_DEBIAN = ("python3.11", "libstdc++6", "libgomp1")
_PLATFORMS = [f"manylinux_2_{minor}_aarch64" for minor in (17, 24, 26, 27, 28)]
_APT = """APT::Architecture "arm64";
APT::Architectures {{ "arm64"; }};
APT::Sandbox::User "root";
Dir::State "{0}/state";
Dir::State::status "{0}/state/status";
Dir::Cache "{0}/cache";
Dir::Etc::sourcelist "{0}/sources.list";
Dir::Etc::sourceparts "-";
"""
_SOURCE = (
    "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]"
    " http://deb.debian.org/debian bookworm main\n"
)


def fill(folder: Path) -> None:
    """Download the packages and unpack them."""
    apt, wheels = folder / "apt", folder / "wheels"
    for each in ("state/lists/partial", "cache/archives/partial"):
        (apt / each).mkdir(parents=True, exist_ok=True)
    (apt / "apt.conf").write_text(_APT.format(apt))
    (apt / "sources.list").write_text(_SOURCE)
    (apt / "state" / "status").touch()
    environment = os.environ | {"APT_CONFIG": str(apt / "apt.conf")}
    for words in (("update",), ("install", "--download-only", "--no-install-recommends", *_DEBIAN)):
        subprocess.run(["apt-get", "--yes", *words], env=environment, check=True)
    (folder / "root").mkdir(exist_ok=True)
    for package in sorted((apt / "cache" / "archives").glob("*.deb")):
        subprocess.run(["dpkg", "-x", str(package), str(folder / "root")], check=True)

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = [re.split(r"[^\w-]", each)[0] for each in project["dependencies"]]
    platforms = [word for each in _PLATFORMS for word in ("--platform", each)]
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "--dest", str(wheels), "--only-binary=:all:",
         "--python-version", "3.11", "--implementation", "cp", *platforms,
         *(f"{name}=={version(name)}" for name in names)],
        check=True,
    )  # fmt: skip
    for wheel in sorted(wheels.glob("*.whl")):
        with zipfile.ZipFile(wheel) as files:
            files.extractall(folder / "packages")


if __name__ == "__main__":
    fill(Path(sys.argv[1]).resolve())
