"""Cached blocks with instructions of units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.arch import load_architecture
from gnomon.base.native import load_native
from gnomon.program import build
from gnomon.sim import simulate
from gnomon.sim._effort import Effort
from gnomon.sim._library import ENGINE

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_cached_blocks_belong_to_the_encodings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    effort = Effort(issues=0, everything=True, wait=True)
    monkeypatch.setattr("gnomon.sim._simulate.chosen_effort", lambda: effort)
    load_native(ENGINE)
    monkeypatch.setenv("GNOMON_CACHE", str(tmp_path / "cache"))
    (tmp_path / "gnomon.yaml").touch()
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "units" / "pair"
    folder.mkdir(parents=True)
    (folder / "pair.c").write_text("UNIT(up) { return a + 1; }\nUNIT(down) { return a - 1; }\n")
    row = (
        "  {}:\n    encoding: {{format: R, opcode: custom-3, funct3: {}, funct7: 9}}\n"
        "    operands: {{rd: result, rs1: operand}}\n    cycles: 1\n"
    )
    source = tmp_path / "count.S"
    source.write_text(
        ".globl main\nmain: li a1, 100\nli a2, 1000\n1: .insn r 0x7b, 0, 9, a1, a1, x0\n"
        "addi a2, a2, -1\nbnez a2, 1b\n"
        "li a3, 0x1a10fff4\nsw a1, 0(a3)\nli a0, 0\nret\n"
    )
    values = []
    for names in (("up", "down"), ("down", "up")):
        (folder / "unit.yaml").write_text(
            "schema: 1\ntitle: Pair\nsource: a test\ncode: pair.c\ninstructions:\n"
            + "".join(row.format(name, k) for k, name in enumerate(names))
        )
        core = load_architecture("t13", ["units.pair={}"])
        run = simulate(build([source], core), core)
        values += run.printed
    assert values == [1100, (100 - 1000) & 0xFFFF_FFFF]
