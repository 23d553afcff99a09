"""A command ends at once: what is printed is there, what was to be run at the end has run."""

from __future__ import annotations

import subprocess
import sys

import pytest

CODE = (
    "import atexit, sys, gnomon.cli\n"
    "atexit.register(lambda: print('at the end', file=sys.stderr))\n"
    "gnomon.cli.command()"
)


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["--version"], 0, "gnomon "),
        (["run", "nowhere.elf", "--arch", "t13"], 2, ""),
        (["run", "--bogus"], 2, ""),
    ],
)
def test_exit_codes(words: list[str], code: int, told: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert done.stdout.startswith(told)
    assert done.stderr.endswith("at the end\n")
