"""The Ibex-like machines against the cycle counts that Ibex's documentation states.

Facts copied from the lowRISC Ibex documentation, revision 8b8ee086 (Apache-2.0):
P = doc/03_reference/pipeline_details.rst, "Multi- and Single-Cycle Instructions", stall cycles;
an instruction that stalls for X cycles takes X + 1.
M = doc/03_reference/instruction_decode_execute.rst, "Multiplier/Divider Block (MULT/DIV)", cycles.
Where the documentation gives "1 - N", N depends on the memory; the machines have a memory that
answers in one cycle, so the least is expected.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.exactness import _assembler as asm
from tests.exactness._assembler import A0, A1, A2, S0, X0, Assembler
from tests.inorder._measure import Body, cycles_of

_PAGE = Path(__file__).parents[2] / "docs" / "method" / "inorder-cores.md"
FAST, SLOW, SINGLE = "ibex-like", "ibex-like-slow-multiplier", "ibex-like-single-cycle"
_COPIES = 10


def _repeat(emit: Body) -> Body:
    def body(a: Assembler) -> None:
        for _ in range(_COPIES):
            emit(a)

    return body


def _operands(x: int, y: int, emit: Body) -> tuple[Body, Body]:
    """A body that sets operands and repeats an instruction, and one that only sets them."""

    def prepare(a: Assembler) -> None:
        a.li(A1, x)
        a.li(A2, y)

    def body(a: Assembler) -> None:
        prepare(a)
        _repeat(emit)(a)

    return body, prepare


def cycles_each(machine: str, emit: Body, x: int = 1234, y: int = 567) -> float:
    """Cycles of one instruction, from ten in a row: operands in A1 and A2, data at S0."""
    body, prepare = _operands(x, y, emit)
    return (cycles_of(machine, body) - cycles_of(machine, prepare)) / _COPIES


def _muldiv(name: str) -> Body:
    return lambda a: a.muldiv(name, A0, A1, A2) and None


EMIT: dict[str, Body] = {
    "add": lambda a: a.r(0x33, 0, 0, (A0, A1, A2)) and None,
    "addi": lambda a: a.addi(A0, A1, 5) and None,
    "lui": lambda a: a.word(0x12345 << 12 | A0 << 7 | 0x37) and None,
    "csrr": lambda a: a.csrr(A0, asm.MCYCLE) and None,
    "csrrw": lambda a: a.csrrw(A0, 0x340, A1) and None,
    "lw": lambda a: a.lw(A0, 0, S0) and None,
    "lbu": lambda a: a.i(0x03, 4, A0, S0, 3) and None,
    "sw": lambda a: a.sw(A0, 0, S0) and None,
    "jal": lambda a: a.jal(X0, a.here + 4) and None,
    "beq, taken": lambda a: a.branch(0, X0, X0, a.here + 4) and None,
    "bne, not taken": lambda a: a.branch(1, X0, X0, a.here + 4) and None,
    "fence.i": lambda a: a.word(0x0000_100F) and None,
    **{name: _muldiv(name) for name in asm.MULDIV_FUNCT3},
}

# Instruction; machine; stall cycles in P; cycles in M; what the machine is expected to take.
ROWS: list[tuple[str, str, str, str, int]] = [
    ("add", FAST, "0", "", 1),
    ("addi", FAST, "0", "", 1),
    ("lui", FAST, "0", "", 1),
    ("csrr", FAST, "0", "", 1),
    ("csrrw", FAST, "0", "", 1),
    ("lw", FAST, "1 - N", "", 2),
    ("lbu", FAST, "1 - N", "", 2),
    ("sw", FAST, "1 - N", "", 2),
    ("jal", FAST, "1 - N", "", 2),
    ("bne, not taken", FAST, "0", "", 1),
    ("beq, taken", FAST, "2 - N", "", 3),
    ("beq, taken", SINGLE, "1 - N", "", 2),
    ("fence.i", FAST, "1 - N", "", 2),
    ("mul", FAST, "2", "3", 3),
    ("mulh", FAST, "3", "4", 4),
    ("mulhu", FAST, "3", "4", 4),
    ("mulhsu", FAST, "3", "4", 4),
    ("mul", SINGLE, "0", "1", 1),
    ("mulh", SINGLE, "1", "2", 2),
    ("mulh", SLOW, "32", "33", 33),
    ("div", FAST, "37", "37", 37),
    ("remu", FAST, "37", "37", 37),
    ("div", SLOW, "37", "37", 37),
    ("rem", SINGLE, "37", "37", 37),
]


@pytest.mark.parametrize(("instruction", "machine", "stalls", "cycles", "expected"), ROWS)
def test_documented_cycles(
    instruction: str, machine: str, stalls: str, cycles: str, expected: int
) -> None:
    documented = {int(cycles)} if cycles else {int(stalls.split(" - ", maxsplit=1)[0]) + 1}
    assert documented == {expected}
    assert cycles_each(machine, EMIT[instruction]) == expected


@pytest.mark.parametrize("machine", [FAST, SLOW, SINGLE])
@pytest.mark.parametrize("name", ["div", "divu", "rem", "remu"])
def test_division_by_zero(machine: str, name: str) -> None:
    """P: 1 stall cycle. M: 2 cycles."""
    assert cycles_each(machine, EMIT[name], y=0) == 2


@pytest.mark.parametrize("op_b", [3, 5, 6, 7, 9, 100, 567, 0xFFFF, 0x7FFF_FFFF, 0xFFFF_FFFF])
def test_slow_multiplier_stops_early(op_b: int) -> None:
    """M: clog2(op_b) + 1 cycles."""
    clog2 = (op_b - 1).bit_length()
    assert cycles_each(SLOW, EMIT["mul"], y=op_b) == clog2 + 1


@pytest.mark.parametrize(
    ("op_b", "rtl_cycles"),
    [(0, 2), (1, 2), (2, 3), (4, 4), (8, 5), (0x1_0000, 18), (0x8000_0000, 33)],
)
def test_slow_multiplier_where_the_rtl_takes_one_more(op_b: int, rtl_cycles: int) -> None:
    """Cycles seen in simulation of rtl/ibex_multdiv_slow.sv alone, revision 8b8ee086."""
    clog2 = max(op_b - 1, 0).bit_length()
    assert cycles_each(SLOW, EMIT["mul"], y=op_b) == rtl_cycles == clog2 + 2


def test_a_misaligned_load_takes_one_more() -> None:
    """Assumed from the back-to-back transaction of load_store_unit.rst, not stated."""
    assert cycles_each(FAST, lambda a: a.lw(A0, 2, S0) and None) == 3
    assert cycles_each(FAST, lambda a: a.i(0x03, 1, A0, S0, 1) and None) == 2


def test_a_loaded_value_can_be_used_at_once() -> None:
    """P: a load stalls until its data is written to the register file."""

    def pair(a: Assembler) -> None:
        a.lw(A0, 0, S0)
        a.addi(A0, A0, 1)

    assert cycles_each(FAST, pair) == 3


def test_the_page_shows_these_figures() -> None:
    page = _PAGE.read_text()
    for instruction, machine, stalls, cycles, expected in ROWS:
        row = f"| {instruction} | `{machine}` | {stalls} | {cycles} | {expected} |"
        assert " ".join(row.split()) in page, row
