"""Programs with instructions of units, on the engine and on gnomon's RTL, cycle by cycle."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.cli.app import app
from gnomon.isa import encode_row
from gnomon.program import build
from gnomon.rtl.lockstep import Regression, Settings, count_unit_issues
from gnomon.rtl.machine import MachineCore
from gnomon.rtl.tools import Simulator, tool
from tests.conftest import absent
from tests.rows import light_and_heavy

from .test_runs import _UNITS, machine

_ALL = (*_UNITS, "units.latest={}")
_PROGRAMS = 1000
_STEP = 50


@pytest.fixture(autouse=True)
def _icarus() -> None:
    if not tool("icarus").usable:
        absent("iverilog")


@pytest.mark.usefixtures("project")
def test_a_program_is_equal(tmp_path: Path) -> None:
    core = machine("t13", "units.latest={}")
    program = build([Path(__file__).with_name("program.c")], core)
    _, compared = Regression(MachineCore("icarus"), tmp_path / "run").run_both(program, core)
    assert compared.divergence is None
    assert compared.issues > 6 * 200


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("simulator", "start"),
    light_and_heavy(
        "rtl", 0, [("icarus", 0), *(("verilator", start) for start in range(0, _PROGRAMS, _STEP))]
    ),
)
def test_random_programs_are_equal(simulator: Simulator, start: int, tmp_path: Path) -> None:
    # Units are outside of the vector unit: more lanes would add only time to compile and simulate.
    settings = Settings("t13-simd1", _ALL, simds=(1,), harts=(3, 4, 5), scratchpad_bytes=1024)
    results = Regression(MachineCore(simulator), tmp_path, settings).run_all(
        (), range(start, start + _STEP)
    )
    assert len(results) == _STEP
    assert [each.name for each in results if not each.same] == []
    met = {rule for each in results for rule, count in each.met.items() if count}
    assert met >= {"popcount", "mulr", "mulrs", "madd", "shla", "tally", "latest"}


_CALLS = (
    '#include "units.h"\nint main(void)\n{\n    unsigned sum = 0;\n'
    "    for (unsigned k = 0; k < 9; k++) sum += popcount(k * 77);\n    return (int)sum;\n}\n"
)


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("32'(count)", "32'(count) + 32'(a == 154)", "0x00000005 in the RTL, 0x00000004 in C"),
        ("32'(count)", "{32'(count) >> 1, a == 154 ? 1'bx : count[0]}", "undefined bits"),
        ("counts && busy && rest == 0", "counts && busy && rest == 32'(a == 154)",
         "9 cycles in the RTL, 10 by"),
        ("counts && busy && rest == 0", "counts && busy && rest == 0 && late",
         "11 cycles in the RTL, 10 by"),
    ],
)  # fmt: skip
def test_a_wrong_execution_is_named_with_its_operands(
    project: Path, old: str, new: str, found: str
) -> None:
    path = project / "units" / "ones" / "ones.sv"
    text = path.read_text().replace("  logic counts;", "  logic counts, late;\n"
        "  always_ff @(posedge clk) late <= counts && rest == 0 || a != 154;")  # fmt: skip
    assert old in text
    path.write_text(text.replace(old, new))
    (project / "calls.c").write_text(_CALLS)
    core = load_architecture("t13", ["units.ones={}"])
    program = build([project / "calls.c"], core)
    run, compared = Regression(MachineCore("icarus"), project / "run").run_both(program, core)
    difference = compared.divergence
    assert difference is not None
    assert difference.kind == "unit"
    assert "unit ones, hart 0: popcount " in difference.summary
    assert "(a = 0x0000009A): " in difference.summary
    assert found in difference.summary
    assert f"{difference.cycle:7} hart 0" in difference.model[-1]
    assert "popcount" in difference.model[-1]
    assert count_unit_issues(run)["popcount"] == 9


def test_an_instruction_that_no_given_program_executes_is_reported(project: Path) -> None:
    (project / "none.c").write_text("int main(void) { return 0; }\n")
    for command in ("lockstep", "run"):
        given = ("rtl", command, "t13", "none.c", "--set", "units.ones={}")
        shown = CliRunner().invoke(app, given, catch_exceptions=False).stdout
        assert "0 popcount" in shown
        assert "warning: nothing was compared of popcount" in shown


@pytest.mark.usefixtures("project")
def test_random_programs_of_a_scalar_machine_have_no_vector_unit() -> None:
    given = ["rtl", "lockstep", "t13", "--random", "1", "--set", "units.ones={}"]
    shown = CliRunner().invoke(app, given, catch_exceptions=False)
    assert "1 of 1 programs are equal" in shown.stdout
    with pytest.raises(GnomonError, match=r"--simd 1: t13 has no vector unit \(allowed: 0"):
        CliRunner().invoke(app, [*given, "--simd", "1"], catch_exceptions=False)


@pytest.mark.usefixtures("project")
def test_a_unit_without_hardware_is_rejected_by_name(project: Path) -> None:
    path = project / "units" / "latest" / "unit.yaml"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith("rtl:")))
    with pytest.raises(GnomonError, match=r"units\.latest: it has no SystemVerilog"):
        MachineCore.parameters(load_architecture("t13", ["units.latest={}"]))


@pytest.mark.usefixtures("project")
def test_an_absent_result_is_not_written(project: Path) -> None:
    core = load_architecture("t13", ["units.cordic={}"])
    (load,) = [row for row in core.unit_rows if row.mnemonic == "cordic.load"]
    word = encode_row(load, rs1=10) | 5 << 7  # the field of rd: t0
    source = project / "absent.c"
    source.write_text(
        '#include "gnomon.h"\nint main(void)\n{\n    uint32_t value;\n'
        f'    __asm__ volatile("li t0, 7\\n.word {word}\\nmv %0, t0" : "=r"(value) : : "t0");\n'
        "    gnomon_print(value);\n    return 0;\n}\n"
    )
    regression = Regression(MachineCore("icarus"), project / "run")
    run, compared = regression.run_both(build([source], core), core)
    assert run.printed == (7,)
    assert compared.divergence is None
