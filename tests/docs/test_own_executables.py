"""The start file and linker script of docs/guide/run.md, linked by the command there, and run."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from gnomon.arch import load_architecture
from gnomon.program import load_elf
from gnomon.sim import simulate
from tests.conftest import absent

_PAGE = Path(__file__).parents[2] / "docs" / "guide" / "run.md"
_MAIN = """
static volatile int squares[8] = {1, 2, 3, 4};
int zero[4];
int main(void)
{
    int sum = zero[1];
    for (int i = 0; i < 8; i++) sum += squares[i] * squares[i];
    return sum;
}
"""


def blocks() -> list[str]:
    """Return the indented blocks of the section, in order."""
    section = _PAGE.read_text().partition("## Executables of your own\n")[2].partition("\n## ")[0]
    found = re.findall(r"(?m)(?:^ {4}.*\n)+", section)
    return ["".join(line[4:] for line in each.splitlines(keepends=True)) for each in found]


@pytest.mark.parametrize("machine", ["t13", "t13-simd4", "rv32im"])
def test_the_section_makes_a_program_that_runs(machine: str, tmp_path: Path) -> None:
    start, script, commands = blocks()
    command = shlex.split(commands.partition("\ngnomon run")[0].replace("\\\n", ""))
    if shutil.which(command[0]) is None:
        absent(command[0])
    for name, text in (("start.S", start), ("own.ld", script), ("main.c", _MAIN)):
        (tmp_path / name).write_text(text)
    subprocess.run(command, cwd=tmp_path, check=True)
    architecture = load_architecture(machine)
    run = simulate(load_elf(tmp_path / "own.elf"), architecture)
    assert (run.halted, run.exit_code) == ("exit", 30)
    for hart in range(1, architecture.core.harts):
        assert run.counters[f"hart{hart}.parked"] > 0
