"""Our vector unit against the simulator: every busy cycle, every word, every trap."""

from __future__ import annotations

import csv
import io
import lzma
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.base.content import content
from gnomon.rtl import VECTOR_UNIT
from gnomon.rtl.designs import hdl_folder
from gnomon.rtl.synthesis import Configuration, synthesize
from gnomon.rtl.validate import read_records
from rtl_tests.benches.vector_coverage import AXES, SITUATIONS, lengths_of
from rtl_tests.benches.vector_design import run_streams
from rtl_tests.benches.vector_report import Totals, report, run_until
from rtl_tests.benches.vector_stream import BITS, TRANSFERS, VECTORS, Config
from tests.rows import light_and_heavy

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.rtl import Tool


@pytest.mark.parametrize("simd", light_and_heavy("rtl", ("2",), [1, 2, 4, 8], str))
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


@pytest.mark.parametrize("simd", light_and_heavy("rtl", ("1",), [1, 4], str))
def test_one_accelerator_per_hart(simd: int, simulator: Tool, tmp_path: Path) -> None:
    config = Config(simd=simd, accelerators=3)
    outcome = run_streams(
        config, tmp_path, seed=10 + simd, simulator=simulator, directed=False, random=8
    )
    assert outcome["undecided"] == 0
    covered = outcome["covered"]
    assert any(cell.startswith("another accelerator busy|") for cell in covered)
    assert {cell.split("|")[0] for cell in covered} >= set(TRANSFERS)


def unpack(table: Any) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(lzma.decompress(table).decode())))


@pytest.mark.heavy("rtl")
@pytest.mark.parametrize("simd", [1, 2, 4, 8])
def test_the_first_runs_of_the_record(simd: int, simulator: Tool, tmp_path: Path) -> None:
    """Five runs, the last with one accelerator per hart; ``gnomon validate vector`` makes all."""
    totals = Totals(simd)
    for _ in range(5):
        run_until(totals, totals.vectors + 1, tmp_path, simulator)
    files: Any = report([totals], totals.vectors, simulator)
    assert f"| {simd} | 1000..1004 |" in files["rtl-vector.md"]
    packed = content("reports", "validation", "coverage", "rtl-vector.csv.xz").read_bytes()
    recorded = {"|".join(row[axis] for axis in AXES): row[f"simd_{simd}"]
                for row in unpack(packed)}  # fmt: skip
    for row in unpack(files["coverage/rtl-vector.csv.xz"]):
        cell, count = "|".join(row[axis] for axis in AXES), int(row[f"simd_{simd}"])
        assert count <= int(recorded[cell] or -1), cell
    rows = read_records(content("reports", "validation", "rtl-vector.csv"))
    whole = {row.quantity: row.compared for row in rows if f"SIMD {simd}:" in row.quantity}
    assert len(whole) == 2
    for quantity, compared in whole.items():
        assert 0 < totals.compared[quantity.partition(": ")[2]] < compared / 5


def test_the_report_counts_what_was_compared(simulator: Tool, tmp_path: Path) -> None:
    totals = Totals(2)
    totals.add(
        run_streams(Config(simd=2), tmp_path, seed=3, simulator=simulator, directed=False, random=1)
    )
    files: Any = report([totals], 5, simulator)
    assert sorted(files) == ["coverage/rtl-vector.csv.xz", "rtl-vector.csv", "rtl-vector.md"]
    assert 20 < totals.vectors < 40
    (row,) = [line for line in files["rtl-vector.md"].splitlines() if line.startswith("| 2 |")]
    assert row.split(" | ")[2] == str(totals.vectors)
    cells = unpack(files["coverage/rtl-vector.csv.xz"])
    assert len(cells) > 1500
    assert sum(int(cell["simd_2"]) for cell in cells if cell["simd_2"]) == totals.vectors


@pytest.mark.heavy("rtl")
def test_scratchpads_become_block_ram_and_products_dsp_blocks(synthesizer: Tool) -> None:
    unit = Configuration("vcu", "vcu", hdl_folder(), VECTOR_UNIT, {"SIMD": 1}, flat=False)
    counts = synthesize(unit, synthesizer)
    assert (counts["bram"], counts["dsp"]) == (4, 4)
