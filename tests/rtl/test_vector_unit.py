"""Our vector unit against the simulator: every busy cycle, every word, every trap."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.content import content
from gnomon.isa import rtl_package
from rtl_tests.benches.vector_coverage import SITUATIONS, lengths_of
from rtl_tests.benches.vector_design import run_streams
from rtl_tests.benches.vector_stream import BITS, TRANSFERS, VECTORS, Config

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.rtl import Tool


def test_the_package_is_the_one_of_the_instruction_table() -> None:
    committed = content("rtl_tests", "hdl", "vcu_pkg.svh").read_text(encoding="utf-8")
    assert committed == rtl_package()


@pytest.mark.parametrize("simd", [1, 2, 4, 8])
def test_every_instruction_at_every_width(simd: int, simulator: Tool, tmp_path: Path) -> None:
    config = Config(simd=simd)
    outcome = run_streams(config, tmp_path, seed=simd, simulator=simulator, directed=True, random=6)
    assert outcome["undecided"] == 0
    assert outcome["compared"]["instructions"] > 1000
    cells = {tuple(cell.split("|")) for cell in outcome["covered"]}
    seen = {cell[:3] for cell in cells if len(cell) == 5}
    wanted = {
        (name, str(bits), length)
        for name in VECTORS
        for mvtype, bits in BITS.items()
        for length in lengths_of(config, name, mvtype)
    }
    assert wanted - seen == set()
    assert {cell[4] for cell in cells if len(cell) == 5} == set(SITUATIONS)
    causes = {cell[1] for cell in cells if cell[0] == "refused"}
    assert causes == {"0x2", "0x4", "0x6", "0x100", "0x101", "0x102", "0x103"}


@pytest.mark.parametrize("simd", [1, 4])
def test_one_accelerator_per_hart(simd: int, simulator: Tool, tmp_path: Path) -> None:
    config = Config(simd=simd, accelerators=3)
    outcome = run_streams(
        config, tmp_path, seed=10 + simd, simulator=simulator, directed=False, random=8
    )
    assert outcome["undecided"] == 0
    covered = outcome["covered"]
    assert any(cell.startswith("another accelerator busy|") for cell in covered)
    assert {cell.split("|")[0] for cell in covered} >= set(TRANSFERS)
