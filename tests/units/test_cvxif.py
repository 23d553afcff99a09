"""Units at CV-X-IF, the extension port of CVE2: the generated module, and whole programs."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gnomon.arch import load_architecture
from gnomon.arch.units.cvxif import cvxif_module
from gnomon.base.errors import GnomonError
from gnomon.calibrate.calibration import Calibration
from gnomon.isa import encode_row
from gnomon.rtl.tools import tool
from gnomon.sim import UnitFunctions
from tests.conftest import absent, need_checkout
from tests.units._port_bench import run_bench

if TYPE_CHECKING:
    from gnomon.arch.units import Unit

_HERE = Path(__file__).parent
_ROWS = 400
_PORT = "core.unit_port=cv-x-if"
_UNITS = tuple(f"units.{name}={{}}" for name in ("cordic", "ones", "pairs", "tally", "third"))
_FOREIGN = (0x5B | 5 << 12, 0x7B | 5 << 25, 0x0B)

Row = tuple[int, int, int, int, str]
"""Word, three operands, and what the bench prints."""


def _rows(units: tuple[Unit, ...]) -> list[Row]:
    rng = random.Random("cv-x-if")
    functions = {unit.name: UnitFunctions(unit) for unit in units}
    every = [(unit, n) for unit in units for n in range(len(unit.instructions))]
    found: list[Row] = []
    for k in range(_ROWS):
        a, b, third = (rng.getrandbits(32) >> rng.randrange(32) for _ in range(3))
        if rng.random() < 0.1:
            found.append((rng.choice(_FOREIGN), a, b, third, f"{k} 0 8"))
            continue
        unit, n = rng.choice(every)
        each, row = unit.instructions[n], unit.instructions[n].row
        imm = {"I": rng.randint(-2048, 2047), "R4": rng.randrange(32)}.get(row.format, 0)
        c = {"immediate": imm & 0xFFFF_FFFF, "rs3": third}.get(each.third, 0)
        given = a * bool(row.rs1), b * bool(row.rs2), c
        (value,) = functions[unit.name].apply([n], [0], *([one] for one in given)).tolist()
        rd = rng.randrange(32)
        cycles = each.model.cycles_of(a, b) + 1
        printed = f"{k} 1 {cycles} " + (f"1 {rd} {value:08x} 1" if row.rd else "0")
        found.append((encode_row(row, rd=rd, rs1=3, imm=imm), a, b, third, printed))
    return found


def _wrong_rows(units: tuple[Unit, ...], module: str, folder: Path) -> list[str]:
    """Return what the bench prints where it is not what it must be."""
    if not tool("icarus").usable:
        absent("iverilog")
    rows, rng = _rows(units), random.Random("gaps")
    data = (f"{word:08x}{a:08x}{b:08x}{c:08x}{rng.randrange(4):08x}" for word, a, b, c, _ in rows)
    lines = run_bench(_HERE / "cvxif_bench.sv", module, units, data, folder)
    printed = zip(lines, rows, strict=True)
    return [line for line, row in printed if not f"{line} ".startswith(f"{row[-1]} ")]


@pytest.mark.usefixtures("project")
def test_each_word_gets_its_result(tmp_path: Path) -> None:
    units = load_architecture("rv32im", [_PORT, *_UNITS]).units
    assert _wrong_rows(units, cvxif_module(units), tmp_path) == []


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("old", "new"),
    [("(start || busy) && !done", "start"), ("20{word[31]}", "20{1'b0}"),
     ("x_register_o.rs[2]}", "x_register_o.rs[1]}"), ("i.id <= id", "i.id <= 4'd1"),
     ("held_a, held_b, held_third} <= ", "held_b, held_a, held_third} <= ")],
)  # fmt: skip
def test_a_seeded_bug_is_found(old: str, new: str, tmp_path: Path) -> None:
    units = load_architecture("rv32im", [_PORT, *_UNITS]).units
    text = cvxif_module(units)
    assert text.count(old) == 1
    assert _wrong_rows(units, text.replace(old, new), tmp_path)


@pytest.mark.usefixtures("project")
def test_an_accumulator_is_rejected_by_name() -> None:
    with pytest.raises(GnomonError) as error:
        load_architecture("rv32im", [_PORT, "units.products={}"])
    assert str(error.value) == (
        "--set units.products={}: units.products: mulrs: an accumulator is read as a third operand;"
        " core.unit_port cv-x-if passes rs1, rs2 and rs3 only"
    )


_FILES = (
    "pkg", "alu", "compressed_decoder", "controller", "counter", "csr", "cs_registers", "decoder",
    "ex_block", "id_stage", "if_stage", "wb", "load_store_unit", "multdiv_slow", "multdiv_fast",
    "prefetch_buffer", "fetch_fifo", "pmp", "register_file_ff", "core",
)  # fmt: skip
_CORE = """schema: 1
name: cve2
source: the checkout of the test
sources: [{sources}]
include: [{include}]
top: cve2_seen
defines: [SYNTHESIS]
clock: clk_i
reset: {{signal: rst_ni, active: low}}
bus: obi
ports: {{{ports}}}
isa: rv32im
reset-pc: 128
waits: none
unit-port: cv-x-if
retire: {{valid: core.instr_id_done, pc: core.pc_id, rd: seen_rd, value: seen_value}}
"""
_INPUTS = ("instr_gnt", "instr_rvalid", "instr_rdata", "data_gnt", "data_rvalid", "data_rdata")
_OUTPUTS = ("instr_req", "instr_addr", "data_req", "data_addr", "data_we", "data_be", "data_wdata")
_INCLUDED = ("rtl", "vendor/lowrisc_ip/ip/prim/rtl", "vendor/lowrisc_ip/dv/sv/dv_utils")
_INSTRUCTIONS = 10_000


@pytest.mark.heavy("rtl")
@pytest.mark.usefixtures("project")
def test_programs_are_equal_on_cve2(tmp_path: Path) -> None:
    """Cycles and results of each instruction, on the machine that calibration gives."""
    checkout = need_checkout("cve2").resolve()
    if tool("verilator").path is None:
        absent("verilator")
    files = [*(checkout / "rtl" / f"cve2_{name}.sv" for name in _FILES), _HERE / "cve2_seen.sv"]
    ports = [
        *(f"{name}: {name}_i" for name in _INPUTS),
        *(f"{name}: {name}_o" for name in _OUTPUTS),
    ]
    core, measured, machine = (tmp_path / f"{each}.yaml" for each in ("core", "measured", "units"))
    core.write_text(_CORE.format(
        sources=", ".join(map(str, files)), ports=", ".join(ports),
        include=", ".join(str(checkout / each) for each in _INCLUDED),
    ))  # fmt: skip
    made = Calibration.from_core(core, tmp_path / "build", "verilator")
    assert made.inferred.latency["unit-port"] == 1
    measured.write_text(made.text())
    machine.write_text(
        "extends: ./measured.yaml\nname: cve2-units\ntitle: CVE2 with units\n"
        "units: {cordic: {}, latest: {}, ones: {}, pairs: {}, tally: {}, third: {}}\n"
    )
    found = Calibration.compare(core, tmp_path / "compared", machine, range(8), (), "verilator")
    assert found.difference is None, str(found.difference)
    assert found.values
    assert found.instructions >= _INSTRUCTIONS
    assert all(found.of_units.values())
