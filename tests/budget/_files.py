"""Budget files of one program, and the command that reads them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.base.errors import CheckFailed
from gnomon.cli.app import app
from gnomon.program import load_elf
from gnomon.sim import simulate

if TYPE_CHECKING:
    from click.testing import Result


_ROOT = Path(__file__).resolve().parents[2]
ELF = _ROOT / "tests" / "reference" / "t13x" / "programs" / "p_conv_h1_s4.elf"
EXAMPLE = _ROOT / "examples" / "budget"


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["budget", *map(str, arguments)], catch_exceptions=False)


def write(folder: Path, *limits: str, extra: str = "") -> Path:
    shutil.copy(ELF, folder / "conv.elf")
    path = folder / "b.yaml"
    lines = "".join(f"      - {limit}\n" for limit in limits)
    path.write_text(
        "schema: 1\nname: b\narch: t13-simd4\nchecks:\n  conv:\n    program: conv.elf\n"
        f"{extra}    limits:\n{lines}"
    )
    return path


def cycles() -> int:
    return cycles_of("t13-simd4")


def cycles_of(machine: Path | str) -> int:
    return simulate(load_elf(ELF), load_architecture(machine)).wall_cycles


def failing(path: Path) -> str:
    result = CliRunner().invoke(app, ["budget", str(path), "--json"])
    assert isinstance(result.exception, CheckFailed)
    return result.stdout
