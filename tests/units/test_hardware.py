"""The SystemVerilog of units against C and latency models; seeded bugs are found."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from gnomon.arch.units.load import load_unit
from gnomon.base.errors import CheckFailed
from gnomon.rtl.tools import tool
from gnomon.rtl.unit_checks import check_defined
from gnomon.rtl.units import check_unit
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
    [("popcount", {}), ("popcount", {"start": 5}), ("mulround", {}), ("mulround", {"stages": 1}),
     ("tally", {})],
)  # fmt: skip
def test_hardware_equals_the_c_and_the_latency_model(name: str, parameters: dict[str, int]) -> None:
    outcome = check_unit(load_unit(name, parameters), operands=_OPERANDS)
    assert (outcome.wrong, outcome.operands) == (0, _OPERANDS)


BUGS = [
    ("popcount/unit.yaml", "each: 1", "each: 2"),
    ("popcount/unit.yaml", "by: rs1-bits, cycles: start", "cycles: 9, by: rs1-bits"),
    ("popcount/popcount.c", "a &= a - 1", "a >>= 2"),
    ("popcount/popcount.sv", "6'(rest[0])", "6'(rest[1])"),
    ("popcount/popcount.sv", "rest == 0", "rest[30:0] == 0"),
    ("mulround/unit.yaml", "cycles: stages\n    use: 2", "cycles: 3\n    use: 2"),
    ("mulround/unit.yaml", "rs3: operand}\n    cycles: 2", "rs3: operand}\n    cycles: 1"),
    ("mulround/mulround.c", "0x80000000ll", "0x7fffffffll"),
    ("mulround/mulround.c", "c - unit_mulr", "c + unit_mulr"),
    ("mulround/mulround.c", "a * b + c", "a * b"),
    ("mulround/mulround.c", "(a << 1) + c", "(a << 1) - c"),
    ("mulround/mulround.sv", "$signed(a) * $signed(b)", "$unsigned(a) * $unsigned(b)"),
    ("mulround/mulround.sv", "64'h80000000", "64'h8000000"),
    ("mulround/mulround.sv", "c - high", "high - c"),
    ("mulround/mulround.sv", "low + c", "low | c"),
    ("mulround/mulround.sv", "(a << 1) + c", "(a << 1) + {20'b0, c[11:0]}"),
    ("mulround/mulround.sv", "STAGES - 1", "STAGES"),
    ("tally/tally.c", "*sum += a", "*sum ^= a"),
    ("tally/tally.sv", "sums[hart] <= sums[hart] + a", "sums[0] <= sums[0] + a"),
    ("tally/tally.sv", "if (start) sums", "sums"),
]


@pytest.mark.parametrize(("file", "old", "new"), BUGS)
def test_a_seeded_bug_is_found(project: Path, file: str, old: str, new: str) -> None:
    _replace(project, file, old, new)
    name = file.partition("/")[0]
    parameters = {"mulround": {"stages": 2}}.get(name, {})
    outcome = check_unit(load_unit(name, parameters), operands=_OPERANDS)
    assert outcome.wrong, "the check finds no difference"
    assert re.match(r"[a-z]+ a=0x", outcome.differences[0])


def test_undefined_behavior_of_the_c_is_found_with_its_operands(project: Path) -> None:
    check_defined(load_unit("mulround", {}))
    _replace(project, "mulround/mulround.c", "(a << 1) + c", "(uint32_t)((int32_t)a + (int32_t)c)")
    with pytest.raises(CheckFailed, match=r"mulround/mulround\.c: shla a=0x\w+ .*undefined"):
        check_defined(load_unit("mulround", {}))
