"""The suite with one set of releases, on record: ``out/SET/bin/python -m tests.dependencies SET``.

The Makefile makes the environments, ``lowest`` and ``newest``; paths behind the set run a part.
"""

from __future__ import annotations

import csv
import os
import platform
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path
from xml.etree import ElementTree as ET

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "reports" / "validation" / "suite" / "dependencies.csv"
COLUMNS = ("set", "tests", "passed", "failed", "skipped", "python", "commit", "versions")
# What releases say of each other, such as that a name will go, is not ours.
PYTEST = ["-W", "ignore::DeprecationWarning", "--dist", "loadfile", "-m"]
MARKS = "not nightly and not timing"


def _versions() -> str:
    """Of what gnomon itself needs, in the order of pyproject.toml."""
    asked = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    names = [re.split(r"[^\w-]", each)[0] for each in asked]
    return "; ".join(f"{name} {version(name)}" for name in names)


def _commit() -> str:
    """What was tested; the record itself may have changed since."""
    name = _git("rev-parse", "--short", "HEAD")
    record = RECORD.relative_to(ROOT)
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", ".", f":!{record}")
    return f"{name}-dirty" if changed else name


def _git(*arguments: str) -> str:
    command = ["git", *arguments]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()


def main(which: str, *paths: str) -> int:
    """Run the tests and put what became of them into the row of the set."""
    found = ROOT / "out" / f"{which}.xml"
    found.unlink(missing_ok=True)
    jobs = os.environ.get("JOBS", "auto")
    command = [sys.executable, "-m", "pytest", "-n", jobs, *PYTEST, MARKS, f"--junitxml={found}"]
    code = subprocess.run([*command, *paths], cwd=ROOT, check=False).returncode
    suite = ET.parse(found).getroot().find("testsuite")
    assert suite is not None
    total, skipped = int(suite.attrib["tests"]), int(suite.attrib["skipped"])
    failed = int(suite.attrib["failures"]) + int(suite.attrib["errors"])
    row = (which, " ".join(paths) or "all", total - failed - skipped, failed, skipped,
           platform.python_version(), _commit(), _versions())  # fmt: skip
    rows = {}
    if RECORD.exists():
        with RECORD.open(newline="") as file:
            rows = {each["set"]: each for each in csv.DictReader(file)}
    rows[which] = dict(zip(COLUMNS, map(str, row), strict=True))
    with RECORD.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[each] for each in sorted(rows))
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
