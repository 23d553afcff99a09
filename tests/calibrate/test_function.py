"""Cores that compute wrongly: the instruction is named before any timing is measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.base.content import content
from gnomon.calibrate._measure import Refused
from gnomon.calibrate._varied_programs import varied_items
from gnomon.calibrate.calibration import Calibration
from gnomon.isa import encode
from tests.rows import light_and_heavy
from tests.rtl.conftest import need_icarus

_CORE = Path(__file__).with_name("tiny.v").read_text()
_ADAPTERS = content("gnomon", "calibrate", "adapters")
_FILE = """schema: 1
name: tiny
source: the tests
sources: [core.v]
top: tiny_pico
clock: clk
reset: {signal: rst, active: high}
bus: pico
isa: rv32i
reset-pc: 0
waits: none
"""
_MUTANTS = {
    "sltu": ("f3[0] ? a < second", "f3[0] ? a <= second"),
    "slt": ("$signed(a) < $signed(second)) : 0", "a < second) : 0"),
    "sra": ("$signed(a) >>> second[4:0]", "a >> second[4:0]"),
    "sll": ("a << second[4:0]", "a << (second[4:0] == 31 ? 30 : second[4:0])"),
    "sub": ("is_r && ir[30] ? a - b", "is_r && ir[30] ? b - a"),
    "xor": ("4: result = a ^ second", "4: result = a | second"),
    "auipc": ("result = pc + {ir[31:12]", "result = {ir[31:12]"),
    "jalr-odd": ("(a + imm_i) & ~32'd1", "(a + imm_i)"),
    "jalr-same": ("(a + imm_i)", "((ir[11:7] == ir[19:15] ? pc + 4 : a) + imm_i)"),
    "bgeu": ("(f3[1] ? a < b :", "(f3[1] ? a <= b :"),
    "lb": ("{{24{lane[7] && !f3[2]}}, lane[7:0]}", "{24'd0, lane[7:0]}"),
    "lhu": ("{{16{lane[15] && !f3[2]}}, lane[15:0]}", "{{16{lane[15]}}, lane[15:0]}"),
    "sh": ("f3[0] ? 4'd3", "f3[0] ? 4'd15"),
    "fence": ("7'h6f: begin", "7'h6f, 7'h0f: begin"),
    "jal": ("next = pc + imm_j;", "next = pc + imm_j + 4;"),  # already before the first case
}
_LATE = (
    "wire [31:0] a = x[ir[19:15]]",
    "wire [31:0] a = last != 0 && ir[19:15] == last ? old : x[ir[19:15]]",
)
"""A released stall: an instruction reads the value before that of the instruction before it."""
_MORE = "reg [4:0] last = 0; reg [31:0] old = 0; wire [6:0] op = ir[6:0]"


@pytest.fixture(autouse=True)
def icarus() -> None:
    need_icarus()


def _calibrate(folder: Path, core: str, more: str = "", bus: str = "pico") -> Calibration:
    (folder / "core.v").write_text(core)
    (folder / "core.yaml").write_text(_FILE.replace("bus: pico", f"bus: {bus}") + more)
    return Calibration.from_core(folder / "core.yaml", folder / "build")


def _named(folder: Path, name: str, more: str = "") -> str:
    old, new = _MUTANTS[name]
    assert _CORE.count(old) == 1
    with pytest.raises(Refused) as caught:
        _calibrate(folder, _CORE.replace(old, new), more)
    first, *listing = str(caught.value).splitlines()
    assert first.startswith("tiny: the core computes wrongly: ")
    assert len(listing) <= 8
    return first


@pytest.mark.parametrize("name", ["sltu", "fence"])
def test_an_instruction_that_computes_wrongly_is_named(tmp_path: Path, name: str) -> None:
    first = _named(tmp_path, name)
    assert f"{name} " in first.split(", by the ISA")[0]


def test_calls_return_with_and_without_a_link() -> None:
    """Only a core that reads the target before it writes the link executes the second form."""
    plain, link = (encode("jalr", rd=rd, rs1=1) for rd in (0, 1))
    for excluded, drawn in (((), {plain, link}), (("jalr-same",), {plain})):
        items = varied_items(1, "rv32im", 500, excluded=frozenset(excluded))
        assert {plain, link} & {word for item in items for word in item} == drawn


def test_a_core_that_leaves_the_first_instructions(tmp_path: Path) -> None:
    end = "count == need)"
    assert _CORE.count(end) == 1
    with pytest.raises(Refused) as caught:
        _calibrate(tmp_path, _CORE.replace(end, "count == need && op != 7'h37)"))
    first, *listing = str(caught.value).splitlines()
    assert "after 0x0  jal zero,0x184 it stops, by the ISA to 0x184" in first
    assert "check reset-pc, retire and the bus adapter" in first
    assert [each.split()[0] for each in listing] == ["0x0", "0x184"]


def test_a_memory_that_answers_with_old_data_is_named(tmp_path: Path) -> None:
    pico = (_ADAPTERS / "pico.v").read_text()
    now = "mem_rdata = memory[place(mem_addr)]"
    assert now in pico
    old = "mem_rdata = age != 0 && mem_addr == fresh ? stale : memory[place(mem_addr)]"
    (tmp_path / "old.v").write_text(
        pico.replace(now, old) + " reg [31:0] fresh, stale; reg [1:0] age = 0;\n"
        " always @(posedge clock) if (mem_ready) begin\n"
        "  age <= mem_wstrb != 0 ? 2 : mem_instr && age != 0 ? age - 1 : age;\n"
        "  if (mem_wstrb != 0) begin fresh <= mem_addr; stale <= memory[place(mem_addr)]; end\n"
        " end\n"
    )
    with pytest.raises(Refused) as caught:
        _calibrate(tmp_path, _CORE, bus="old.v")
    first, store, load, *_ = str(caught.value).splitlines()
    assert "lw directly after a store to its word gives" in first
    assert "a bus adapter that reads memory in the cycle of store(...) must" in first
    assert " sw " in store
    assert " lw " in load


@pytest.mark.heavy("calibrate")
@pytest.mark.parametrize("more", ["", "retire: none\n"])
@pytest.mark.parametrize("name", _MUTANTS)
def test_each_function_mutant_is_named(tmp_path: Path, name: str, more: str) -> None:
    first = _named(tmp_path, name, more)
    alike = {"sltu": ("sltiu", "sltu"), "slt": ("slti", "slt"), "sra": ("srai", "sra"),
             "xor": ("xori", "xor"), "bgeu": ("bltu", "bgeu")}.get(name, (name,))  # fmt: skip
    assert any(each in first for each in alike)


def test_a_hazard_is_named_with_operands_and_results(tmp_path: Path) -> None:
    core = _CORE.replace(*_LATE).replace("wire [6:0] op = ir[6:0]", _MORE)
    core = core.replace("x[ir[11:7]] <= value;",
                        "begin x[ir[11:7]] <= value; old <= x[ir[11:7]]; end\n"
                        "  last <= writes && ir[6:0] == 7'h03 ? ir[11:7] : 0;")  # fmt: skip
    with pytest.raises(Refused, match=r"on .*gives .*, by the ISA") as caught:
        _calibrate(tmp_path, core)
    assert 2 <= len(str(caught.value).splitlines()) <= 9


_HIDDEN = {
    "lost": "ir[11:7] == 27 && value[31]",
    "lost-load": "stored && is_load && ir[11:7] == 25",
    "lost-late": "is_load && ir[11:7] == 9 && waited > 2",
}
"""Writes that get lost: to a register that few programs use, after another instruction, or with
wait states alone."""


@pytest.mark.parametrize("name", light_and_heavy("calibrate", ("lost",), _HIDDEN, str))
def test_a_write_that_is_rarely_lost_is_named(tmp_path: Path, name: str) -> None:
    more = (
        "reg stored = 0; reg [3:0] waited = 0; wire [31:0] value = result;\n"
        " always @(posedge clk) begin\n"
        "  waited <= state != 2 || done ? 0 : waited + 1;\n"
        "  if (rvfi_valid) stored <= is_store;\n end\n"
    )
    old = "if (writes && ir[11:7] != 0) x[ir[11:7]] <= value;"
    assert _CORE.count(old) == 1
    core = _CORE.replace(old, f"if (!({_HIDDEN[name]})) {old}")
    core = core.replace("reg [31:0] result, next;", f"reg [31:0] result, next; {more}")
    waits = "waits: any\n" * (name == "lost-late")
    (tmp_path / "core.v").write_text(core)
    (tmp_path / "core.yaml").write_text(_FILE.replace("waits: none\n", waits))
    with pytest.raises(Refused, match="the core computes wrongly: ") as caught:
        Calibration.from_core(tmp_path / "core.yaml", tmp_path / "build")
    assert len(str(caught.value).splitlines()) <= 9


def test_a_missing_store_is_named_with_its_word(tmp_path: Path) -> None:
    core = _CORE.replace("integer k;", "integer k; reg [6:0] was = 0;", 1)
    core = core.replace("ir <= rdata;", "ir <= rdata; was <= op;")
    core = core.replace(
        "we = state == 2 && is_store", "we = state == 2 && is_store && was != 7'h67"
    )
    with pytest.raises(Refused, match=r"sw .*: the next store is to the word .*, by the ISA to"):
        _calibrate(tmp_path, core)


@pytest.mark.heavy("calibrate")
def test_an_excluded_instruction_lets_calibration_go_on(tmp_path: Path) -> None:
    core = _CORE.replace(*_MUTANTS["fence"])
    made = _calibrate(tmp_path, core, "exclude: [fence]\n")
    path = tmp_path / "tiny.yaml"
    path.write_text(made.text())
    assert "excluded in core.yaml, and not measured: fence" in path.read_text()
    assert made.check(path).difference is None
