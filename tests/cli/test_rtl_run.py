"""``gnomon rtl run`` takes a program as ``gnomon run`` does."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.cli.app import app
from gnomon.program import build
from gnomon.sim import simulate
from tests.conftest import absent

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = """\
int more(int k);
volatile int sums[8];
int main(int hart)
{
    for (int k = 0; k < N; k++) sums[hart] = more(sums[hart]);
    return 0;
}
"""


@pytest.mark.parametrize("order", ["--arch", "first argument"])
def test_files_options_and_machine(order: str, tmp_path: Path) -> None:
    if shutil.which("iverilog") is None:
        absent("Icarus Verilog: not found; install: sudo apt-get install iverilog")
    (tmp_path / "main.c").write_text(SOURCE)
    (tmp_path / "more.c").write_text("int more(int k) { return k + 1; }\n")
    files = [tmp_path / "main.c", tmp_path / "more.c"]
    named = [*map(str, files), "--arch", "t13-simd2"]
    if order != "--arch":
        named = ["t13-simd2", *map(str, files)]
    small = ["--set", "memory.data.size=64KiB", "--set", "memory.instruction.size=128KiB"]
    given = ["rtl", "run", *named, "--harts", "3", "-D", "N=4", "-O1", *small, "--json"]
    told = json.loads(CliRunner().invoke(app, given, catch_exceptions=False).stdout)
    machine = load_architecture("t13-simd2", small[1::2])
    program = build(files, machine, defines={"N": "4"}, optimization="-O1", active_harts=3)
    assert told["exit_cycle"] == simulate(program, machine).exit_cycle
    assert told["difference"] is None


def test_a_machine_is_needed(tmp_path: Path) -> None:
    given = ["rtl", "run", str(tmp_path / "main.c")]
    with pytest.raises(GnomonError, match=r"no machine to run .*main\.c on; name one with --arch"):
        CliRunner().invoke(app, given, catch_exceptions=False)
