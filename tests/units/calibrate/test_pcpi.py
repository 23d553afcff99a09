"""Units at the coprocessor port of PicoRV32: the generated module, and whole programs."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from gnomon.arch import load_architecture, variants
from gnomon.arch.units.hdl import pcpi_module
from gnomon.base.errors import GnomonError
from gnomon.calibrate._compare import CoreComparison
from gnomon.calibrate._core import CoreFile
from gnomon.calibrate._device import MachineDevice, RtlDevice, Waits, program_of
from gnomon.calibrate._measure import Refused
from gnomon.calibrate._programs import whole
from gnomon.calibrate._unit_port import PROBE_UNIT, port_cycles
from gnomon.calibrate.calibration import Calibration
from gnomon.isa import encode, encode_row
from gnomon.rtl.tools import tool
from gnomon.sim import UnitFunctions
from tests.conftest import absent, need_checkout
from tests.units._port_bench import run_bench

if TYPE_CHECKING:
    from gnomon.arch.units import Unit

_BENCH = Path(__file__).parents[1] / "pcpi_bench.sv"
_CALIBRATED = Path(__file__).parents[2] / "calibrate"
_ROWS = 400
_UNITS = tuple(f"units.{name}={{}}" for name in ("cordic", "latest", "ones", "pairs", "tally"))
_FOREIGN = (encode("mul", rd=5, rs1=6, rs2=7), 0x5B | 5 << 12, 0x7B | 5 << 25, 0x0B)


@pytest.fixture(autouse=True)
def _icarus() -> None:
    if not tool("icarus").usable:
        absent("iverilog")


class _Request(NamedTuple):
    """A word with its operands, and the answer: cycles, ready, write, value if it writes, wait."""

    word: int
    a: int
    b: int
    answer: tuple[int, bool, bool, int | None, bool]


def _requests(units: tuple[Unit, ...]) -> list[_Request]:
    rng = random.Random("pcpi")
    functions = {unit.name: UnitFunctions(unit) for unit in units}
    every = [(unit, n) for unit in units for n in range(len(unit.instructions))]
    found = []
    for _ in range(_ROWS):
        a, b = (rng.getrandbits(32) >> rng.randrange(32) for _ in range(2))
        if rng.random() < 0.1:
            answer = (16, False, False, None, False)
            found.append(_Request(rng.choice(_FOREIGN), a, b, answer))
            continue
        unit, n = rng.choice(every)
        each, row = unit.instructions[n], unit.instructions[n].row
        imm = rng.randint(-2048, 2047) if row.format == "I" else 0
        given = a * bool(row.rs1), b * bool(row.rs2), imm & 0xFFFF_FFFF
        (value,) = functions[unit.name].apply([n], [0], *([each] for each in given)).tolist()
        word = encode_row(row, rd=rng.randrange(32), rs1=3, imm=imm)
        writes = row.rd is not None
        cycles = each.model.cycles_of(a, b)
        found.append(_Request(word, a, b, (cycles, True, writes, value if writes else None, True)))
    return found


def _answers(units: tuple[Unit, ...], module: str, folder: Path) -> list[bool]:
    """Return for each request whether the answer of the module is right."""
    requests, rng = _requests(units), random.Random("gaps")
    rows = [f"{r.word:08x}{r.a:08x}{r.b:08x}{rng.randrange(4):08x}" for r in requests]
    lines = run_bench(_BENCH, module, units, rows, folder)
    right = []
    for request, line in zip(requests, lines, strict=True):
        _, cycles, ready, writes, value, waited = line.split()
        took, ready_wanted, writes_wanted, value_wanted, waited_wanted = request.answer
        flags = (ready, writes, waited) == tuple(
            str(int(each)) for each in (ready_wanted, writes_wanted, waited_wanted)
        )
        alike = value_wanted is None or value == f"{value_wanted:08x}"
        right.append(int(cycles) == took and flags and alike)
    return right


@pytest.mark.usefixtures("project")
def test_each_request_gets_its_answer(tmp_path: Path) -> None:
    units = load_architecture("picorv32", _UNITS).units
    assert len({each.mnemonic for unit in units for each in unit.instructions}) == 9
    assert all(_answers(units, pcpi_module(units), tmp_path))


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("old", "new"),
    [("request && !active", "request"), ("20{word[31]}", "20{1'b0}"),
     ("pcpi_wait = request", "pcpi_wait = start"), ("b = pcpi_rs2", "b = pcpi_rs1"),
     ("pcpi_wr = pcpi_ready &&", "pcpi_wr = pcpi_ready ||")],
)  # fmt: skip
def test_a_seeded_bug_is_found(old: str, new: str, tmp_path: Path) -> None:
    units = load_architecture("picorv32", _UNITS).units
    text = pcpi_module(units)
    assert text.count(old) == 1
    assert not all(_answers(units, text.replace(old, new), tmp_path))


@pytest.mark.usefixtures("project")
def test_operands_that_the_port_does_not_pass_are_rejected_by_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("extends: picorv32\nname: mine\ntitle: Mine\nunits:\n  products: {stages: 2}\n")
    with pytest.raises(GnomonError) as error:
        load_architecture(path)
    passes = "core.unit_port pcpi passes rs1 and rs2 only"
    assert str(error.value).splitlines() == [
        f"{path}:5: units.products: mulrs: an accumulator is read as a third operand; {passes}",
        f"{path}:5: units.products: madd: format R4 has a third operand, rs3; {passes}",
    ]
    with pytest.raises(GnomonError, match=r"core\.unit_port: must be direct with core\.model t13"):
        load_architecture("t13", ["core.unit_port=pcpi"])


_CORE = """schema: 1
name: pico
source: the checkout of the test
sources: [{checkout}/picorv32.v]
top: picorv32
parameters: {{ENABLE_MUL: 1, ENABLE_DIV: 1, ENABLE_PCPI: 1}}
defines: [RISCV_FORMAL]
clock: clk
reset: {{signal: resetn, active: low}}
bus: pico
isa: rv32im
reset-pc: 0
inputs: {{irq: 0}}
unit-port: pcpi
retire: {{rd: rvfi_rd_addr, value: rvfi_rd_wdata}}
"""
_MACHINE = "extends: picorv32\nname: pico-units\ntitle: PicoRV32 with units\nunits:\n"
_INSTRUCTIONS = 100_000
_PROGRAMS = 64  # four for each pair of wait states
_SHARE = 0.1


@pytest.mark.heavy("rtl")
@pytest.mark.usefixtures("project")
def test_programs_are_equal_on_picorv32(tmp_path: Path) -> None:
    """Cycles and results of each instruction, at sixteen pairs of wait states."""
    core, machine = tmp_path / "core.yaml", tmp_path / "units.yaml"
    core.write_text(_CORE.format(checkout=need_checkout("picorv32").resolve()))
    names = ("cordic", "latest", "ones", "pairs", "tally")
    machine.write_text(_MACHINE + "".join(f"  {name}: {{}}\n" for name in names))
    found = Calibration.compare(core, tmp_path / "build", machine, range(_PROGRAMS), most_waits=3)
    assert found.difference is None, str(found.difference)
    assert found.values
    assert found.instructions >= _INSTRUCTIONS
    assert sum(found.of_units.values()) >= _SHARE * found.instructions
    assert all(found.of_units.values())


_TINY = """schema: 1
name: tiny
source: the tests
sources: [{core}]
top: tiny_pcpi
clock: clk
reset: {{signal: rst, active: high}}
bus: pico
isa: rv32i
reset-pc: 0
unit-port: pcpi
retire: {{rd: rvfi_rd_addr, value: rvfi_rd_wdata}}
"""
_TINY_MACHINE = """extends: rv32im
name: tiny
title: The small core, with units
core:
  isa: rv32i
  unit_port: pcpi
  latency:
    {alu: 2, load: 3, store: 3, branch: 2, branch-taken: 2, jump: 2, fence: 2, unit-port: 1,
     rules: [{of: [sll, srl, sra, slli, srli, srai], by: shift-amount, cycles: 2, each: 1}]}
units: {latest: {}, ones: {}, pairs: {}, tally: {}}
"""


def _write_tiny(folder: Path) -> tuple[Path, Path]:
    core, machine = folder / "core.yaml", folder / "tiny.yaml"
    core.write_text(_TINY.format(core=_CALIBRATED / "tiny.v"))
    machine.write_text(_TINY_MACHINE)
    return core, machine


@pytest.mark.usefixtures("project")
def test_programs_are_equal_on_a_small_core(tmp_path: Path) -> None:
    core, machine = _write_tiny(tmp_path)
    found = Calibration.compare(core, tmp_path / "build", machine, range(2))
    assert found.difference is None, str(found.difference)
    assert found.values
    assert set(found.of_units) == {"addp", "latest", "mulp", "popcount", "tally"}
    assert all(count > 10 for count in found.of_units.values())


@pytest.mark.usefixtures("project")
def test_the_cycles_of_the_port_are_measured(tmp_path: Path) -> None:
    core, _ = _write_tiny(tmp_path)
    device = RtlDevice(CoreFile.read(core), tmp_path / "build", units=(PROBE_UNIT,))
    device.build()
    assert port_cycles(device, "none", spacers=2)[0] == 1
    with pytest.raises(Refused, match=r"not the \d+ by prefetch"):
        port_cycles(device, 3, spacers=2)


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [("tally.sv", "sums[hart] + a;", "sums[hart] + a + 1;", r"after tally a1,a0 x11 has 0x6,.*0x5"),
     ("unit.yaml", "cycles: 1", "cycles: 2", r"tally a1,a0 takes 2 cycles, on the machine 3")],
)  # fmt: skip
def test_a_wrong_unit_is_named(
    file: str, old: str, new: str, message: str, project: Path, tmp_path: Path
) -> None:
    path = project / "units" / "tally" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    core, machine = _write_tiny(tmp_path)
    units = load_architecture(machine).units
    device = RtlDevice(CoreFile.read(core), tmp_path / "build", units=units)
    device.build()
    row = next(row for unit in units for row in (each.row for each in unit.instructions)
               if row.mnemonic == "tally")  # fmt: skip
    body = [encode("addi", rd=10, imm=5), encode_row(row, rd=11, rs1=10)]
    program = program_of(whole(body), 0)
    comparison = CoreComparison(device, MachineDevice(variants(machine), "rv32i"), skews={})
    found, _ = comparison.first_difference(program, Waits(0, 0))
    assert re.fullmatch(message, found), found


@pytest.mark.usefixtures("project")
def test_a_core_without_the_port_is_rejected(tmp_path: Path) -> None:
    core, machine = _write_tiny(tmp_path)
    core.write_text(core.read_text().replace("unit-port: pcpi\n", ""))
    with pytest.raises(GnomonError, match=r"core\.yaml: unit-port: must be pcpi, not none: "):
        Calibration.compare(core, tmp_path / "build", machine, range(1))
    core.write_text(core.read_text() + "inputs: {pcpi_wr: 0}\nunit-port: pcpi\n")
    with pytest.raises(GnomonError, match=r"core\.yaml:13: unit-port: connects pcpi_wr, which"):
        CoreFile.read(core)
