"""The repository stays light: what can be generated or packed is not committed plain."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MOST_BYTES = 6_750_000
"""Results, pictures, tables and texts; code grows with what it does."""
CODE = {".py", ".c", ".h", ".S", ".sv", ".svh", ".v", ".j2", ".toml"}
MOST_BYTES_OF_A_FILE = 1_000_000


@pytest.fixture(scope="module")
def sizes() -> dict[str, int]:
    """Bytes of every committed file."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    there = [name for name in listed.split("\0") if name and (ROOT / name).is_file()]
    return {name: (ROOT / name).stat().st_size for name in there}


def test_all_files_but_code_together(sizes: dict[str, int]) -> None:
    assert sum(size for name, size in sizes.items() if Path(name).suffix not in CODE) <= MOST_BYTES


def test_no_file_is_large(sizes: dict[str, int]) -> None:
    assert [name for name, size in sizes.items() if size > MOST_BYTES_OF_A_FILE] == []
