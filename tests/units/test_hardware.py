"""The SystemVerilog of units against C and latency models; seeded bugs are found."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from uuid import uuid4

import numpy as np
import pytest
from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.arch.units.load import load_unit
from gnomon.base.errors import Check, CheckFailed, GnomonError
from gnomon.cli.app import app
from gnomon.program import build
from gnomon.rtl import unit_checks, units
from gnomon.rtl.lockstep import Regression
from gnomon.rtl.machine import MachineCore
from gnomon.rtl.tools import tool
from gnomon.rtl.unit_checks import check_defined, list_unit_checks
from gnomon.rtl.unit_record import describe_unchecked
from gnomon.rtl.units import check_unit, random_operations
from tests.conftest import absent

if TYPE_CHECKING:
    from pathlib import Path

_OPERANDS = 3000


@pytest.fixture(autouse=True)
def _icarus() -> None:
    if not tool("icarus").usable:
        absent("iverilog")


def _replace(project: Path, file: str, old: str, new: str) -> None:
    path = project / "units" / file
    text = path.read_text()
    assert old in text, old
    path.write_text(text.replace(old, new))


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("name", "parameters"),
    [("ones", {}), ("ones", {"start": 5}), ("products", {}), ("products", {"stages": 1}),
     ("tally", {}), ("latest", {})],
)  # fmt: skip
def test_hardware_equals_the_c_and_the_latency_model(name: str, parameters: dict[str, int]) -> None:
    outcome = check_unit(load_unit(name, parameters), operands=_OPERANDS)
    assert (outcome.wrong, outcome.operands) == (0, _OPERANDS)


BUGS = [
    ("ones/unit.yaml", "each: 1", "each: 2"),
    ("ones/unit.yaml", "by: rs1-bits, cycles: start", "cycles: 9, by: rs1-bits"),
    ("ones/ones.c", "a &= a - 1", "a >>= 2"),
    ("ones/ones.sv", "6'(rest[0])", "6'(rest[1])"),
    ("ones/ones.sv", "rest == 0", "rest[30:0] == 0"),
    ("products/unit.yaml", "cycles: stages\n    use: 2", "cycles: 3\n    use: 2"),
    ("products/unit.yaml", "rs3: operand}\n    cycles: 2", "rs3: operand}\n    cycles: 1"),
    ("products/products.c", "0x80000000ll", "0x7fffffffll"),
    ("products/products.c", "c - unit_mulr", "c + unit_mulr"),
    ("products/products.c", "a * b + c", "a * b"),
    ("products/products.c", "(a << 1) + c", "(a << 1) - c"),
    ("products/products.sv", "$signed(a) * $signed(b)", "$unsigned(a) * $unsigned(b)"),
    ("products/products.sv", "64'h80000000", "64'h8000000"),
    ("products/products.sv", "c - high", "high - c"),
    ("products/products.sv", "low + c", "low | c"),
    ("products/products.sv", "(a << 1) + c", "(a << 1) + {20'b0, c[11:0]}"),
    ("products/products.sv", "STAGES - 1", "STAGES"),
    ("tally/tally.c", "*sum += a", "*sum ^= a"),
    ("tally/tally.sv", "sums[hart] <= sums[hart] + a", "sums[0] <= sums[0] + a"),
    ("tally/tally.sv", "if (start) sums", "sums"),
]


@pytest.mark.parametrize(("file", "old", "new"), BUGS)
def test_a_seeded_bug_is_found(project: Path, file: str, old: str, new: str) -> None:
    _replace(project, file, old, new)
    name = file.partition("/")[0]
    parameters = {"products": {"stages": 2}}.get(name, {})
    outcome = check_unit(load_unit(name, parameters), operands=_OPERANDS)
    assert outcome.wrong, "the check finds no difference"
    assert re.match(r"[a-z]+ a=0x", outcome.differences[0])


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("counts && busy && rest == 0", "counts && rest == 0", "done is 1 in an idle cycle"),
        ("32'(count)", "32'(count + b[0] - b[0])", None),
        ("32'(count)", "32'(count) ^ b", "0x[0-9a-f]{8} in SystemVerilog, 0x"),
        ("32'(count)", "32'(count) ^ {32{1'bx}}", "0xx{8} in SystemVerilog .x: undefined., 0x"),
    ],
)
def test_a_difference_states_its_operands(
    project: Path, old: str, new: str, found: str | None
) -> None:
    _replace(project, "ones/ones.sv", old, new)
    made = random_operations(load_unit("ones", {}), 200, np.random.default_rng(0))
    outcome = check_unit(load_unit("ones", {}), operands=200)
    assert bool(outcome.wrong) == (found is not None)
    for difference in outcome.differences:
        shown = re.match(
            rf"popcount a=0x(\w{{8}}) \(absent operands: b=0x(\w{{8}}) c=0x\w{{8}}\): {found}",
            difference,
        )
        assert shown, difference
        given = zip(*(port.tolist() for port in made.ports[:2]), strict=True)
        assert tuple(int(word, 16) for word in shown.groups()) in given


def test_undefined_behavior_of_the_c_is_found_with_its_operands(project: Path) -> None:
    check_defined(load_unit("products", {}))
    _replace(project, "products/products.c", "(a << 1) + c", "(uint32_t)((int32_t)a + (int32_t)c)")
    with pytest.raises(CheckFailed, match=r"products/products\.c: shla a=0x\w+ .*undefined"):
        check_defined(load_unit("products", {}))


def test_a_write_beyond_the_state_is_found(project: Path) -> None:
    for of in ("hart", "shared"):
        check_defined(load_unit("tally", {}))
        _replace(project, "tally/unit.yaml", "of: hart", f"of: {of}")
        _replace(project, "tally/tally.c", "*sum += a", "sum[1] += a")
        with pytest.raises(CheckFailed, match=r"tally\.c: writes beyond the 4 bytes of its state"):
            check_defined(load_unit("tally", {}))
        _replace(project, "tally/tally.c", "sum[1] += a", "*sum += a")


def test_undefined_behavior_at_an_end_of_a_range_is_found(project: Path) -> None:
    _replace(project, "ones/ones.c", "uint32_t n = 0;", "uint32_t n = 0u << (UNIT_START * 4);")
    failed = [
        each.name for each in list_unit_checks("ones") if "defined" in each.name and _fails(each)
    ]
    assert failed == ["defined behavior of its C, start = 8"]


def test_a_point_counts_as_checked_for_one_version_of_the_unit(project: Path) -> None:
    _replace(project, "ones/ones.sv", "32'(count)", "32'(count) + 32'(START == 5)")
    _replace(project, "ones/unit.yaml", "per cycle", f"per cycle, {uuid4()}")  # in no cache

    def unchecked() -> str:
        return "".join(describe_unchecked(load_unit("ones", {"start": n}) for n in (2, 3, 5, 8)))

    assert [each.name for each in list_unit_checks("ones") if _fails(each)] == []
    assert "start=3, start=5;" in unchecked()
    assert "(gnomon check ones start=3,5)" in unchecked()
    points = [{"start": 3}, {"start": 5}]
    failed = [each.name for each in list_unit_checks("ones", points) if _fails(each)]
    assert failed == ["SystemVerilog equals C and latency models, start = 5"]
    assert "(gnomon check ones start=5)" in unchecked()
    _replace(project, "ones/ones.c", "uint32_t n = 0;", "uint32_t n = 0; ")
    assert "start=2, start=3, start=5, start=8;" in unchecked()


def test_a_sweep_names_the_points_that_were_not_checked(project: Path) -> None:
    _replace(project, "ones/unit.yaml", "per cycle", f"per cycle, {uuid4()}")  # in no cache
    (project / "p.c").write_text('#include "units.h"\nint main(void) { return popcount(7); }\n')
    (project / "s.yaml").write_text(
        "schema: 1\nname: s\nprogram: p.c\narch: t13\naxes: {units.ones.start: [2, 4]}\n"
        "objectives: [minimize time, minimize area]\n"
    )
    given = ("sweep", "s.yaml", "--jobs", "1")
    shown = CliRunner().invoke(app, given, catch_exceptions=False).stdout
    assert "(gnomon check ones start=2,4)" in shown
    assert "gnomon rtl unit ones start=2,4):" in " ".join(shown.split())
    assert shown.count("gnomon rtl unit") == 1
    check = CliRunner().invoke(app, ["check", "ones", "start=2,4"], catch_exceptions=False).stdout
    assert check.count("20,000 popcount") == 2
    assert "gnomon check" not in CliRunner().invoke(app, given, catch_exceptions=False).stdout
    for wrong in (["start=2"], ["ones", "latest", "start=2"], ["t13", "start=2"]):
        with pytest.raises(GnomonError, match="needs one unit"):
            CliRunner().invoke(app, ["check", *wrong], catch_exceptions=False)
    with pytest.raises(GnomonError, match="'onas', did you mean 'ones'") as caught:
        CliRunner().invoke(app, ["check", "onas"], catch_exceptions=False)
    assert len(str(caught.value)) < 200


def test_c_that_does_not_end_is_named(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unit_checks, "_MOST_SECONDS", 2)
    _replace(
        project,
        "latest/latest.c",
        "uint32_t *held",
        "while (a == 1) *(volatile char *)state;\n    uint32_t *held",
    )
    checks = list_unit_checks("latest")
    assert not _fails(next(checks))
    with pytest.raises(CheckFailed, match=r"latest\.c: latest a=0x00000001 .*not end within 2 s"):
        next(checks).run()
    assert next(checks).waived == "its C does not end"


def test_systemverilog_that_does_not_end_is_named(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(units, "_MOST_SECONDS", 1)
    _replace(project, "ones/ones.sv", "endmodule", "  always @(*) while (a == 1) ;\nendmodule")
    with pytest.raises(CheckFailed, match=r"unit ones: .* does not end within 1 s .such as a loop"):
        check_unit(load_unit("ones", {}), operands=40)


@pytest.mark.parametrize(
    ("statement", "told"),
    [("initial $stop;", "unit ones: the simulation ends early"),
     ("always @(posedge done) $finish;", "unit ones: the simulation ends early"),
     ('initial $display("DONE 0");', ""),
     ('initial begin $display("DIFFERS"); $display("DONE"); end', "")],
)  # fmt: skip
def test_what_a_unit_prints_is_no_result(project: Path, statement: str, told: str) -> None:
    _replace(project, "ones/ones.sv", "endmodule", f"  {statement}\nendmodule")
    _replace(project, "ones/ones.sv", "32'(count)", "32'(count ^ 1)")
    if told:
        with pytest.raises(CheckFailed, match=told):
            check_unit(load_unit("ones", {}), operands=200)
    else:
        assert check_unit(load_unit("ones", {}), operands=200).wrong == 200


def _fails(check: Check) -> bool:
    try:
        check.run()
    except CheckFailed:
        return True
    return False


def test_files_of_units_do_not_meet_those_of_the_bench(project: Path) -> None:
    folder = project / "units" / "ones"
    (folder / "ones.sv").rename(folder / "bench.sv")
    _replace(project, "ones/bench.sv", "module unit_ones", '`include "w.svh"\nmodule unit_ones')
    _replace(project, "ones/bench.sv", "logic [5:0] count;", "logic [`W-1:0] count;")
    (folder / "w.svh").write_text("`ifndef W\n`define W 6\n`endif\n")
    _replace(project, "ones/unit.yaml", "[ones.sv]", "[w.svh, bench.sv]")
    assert check_unit(load_unit("ones", {}), operands=_OPERANDS).differences == ()
    core = load_architecture("t13", ["units.ones={}"])
    (project / "few.c").write_text(
        '#include "units.h"\nint main(void) { return (int)popcount(7); }\n'
    )
    program = build([project / "few.c"], core)
    run, compared = Regression(MachineCore("icarus"), project / "run").run_both(program, core)
    assert (run.exit_code, compared.divergence) == (3, None)
