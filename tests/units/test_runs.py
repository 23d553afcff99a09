"""Programs with instructions of units: both tiers, all cores, and the host compute the same."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.isa import decode_word, disassemble, encode_row
from gnomon.program import build, build_host
from gnomon.sim import simulate

_PROGRAM = Path(__file__).with_name("program.c")
_UNITS = ("units.ones={}", "units.products={}", "units.tally={}")


def machine(name: str, *more: str) -> Architecture:
    return load_architecture(name, [*_UNITS, *more])


def _expected(rounds: int = 200) -> int:
    """Return what the program prints, from the definitions of the instructions."""
    mask, s, check, total = 0xFFFF_FFFF, 1, 0, 0

    def step(value: int) -> int:
        return (value * 1664525 + 1013904223) & mask

    def signed(value: int) -> int:
        return (value ^ 0x8000_0000) - 0x8000_0000

    for _ in range(rounds):
        s = step(s)
        a = s >> (s & 31)
        s = step(s)
        high = (signed(a) * signed(s) + 0x8000_0000 >> 32) & mask
        check = (check * 31 + a.bit_count()) & mask
        check ^= high
        check = (check - high) & mask
        check = (check * a + s) & mask
        check = (2 * check - 5) & mask
        total = (total + a) & mask
        check = (check + total) & mask
    return check


@pytest.mark.parametrize("name", ["t13", "rv32im", "ibex", "hazard3-c"])
@pytest.mark.usefixtures("project")
def test_both_tiers_compute_the_definition(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    core = machine(name)
    program = build([_PROGRAM], core)
    seen = []
    for blocks in ("off", "force"):
        monkeypatch.setenv("GNOMON_BLOCKS", blocks)
        run = simulate(program, core)
        assert run.printed == (_expected(),)
        assert run.counters["hart0.issue.unit"] == 6 * 200
        seen.append((run.exit_cycle, run.counters, run.work.instructions))
    assert seen[0] == seen[1]
    assert seen[0][2]["popcount"] == seen[0][2]["tally"] == 200


@pytest.mark.usefixtures("project")
def test_harts_that_run_ahead_compute_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    core = machine("t13", "core.harts=4")
    program = build([_PROGRAM], core, active_harts=4)
    runs = []
    for blocks in ("off", "force"):
        monkeypatch.setenv("GNOMON_BLOCKS", blocks)
        runs.append(simulate(program, core))
    assert runs[0].printed == runs[1].printed == (_expected(),) * 4
    assert runs[0].counters == runs[1].counters


@pytest.mark.usefixtures("project")
def test_the_host_computes_the_same() -> None:
    library = ctypes.CDLL(
        str(build_host([_PROGRAM.with_name("host.c")], architecture=machine("t13")))
    )
    assert library.checksum(200) & 0xFFFF_FFFF == _expected()


@pytest.mark.usefixtures("project")
def test_the_t13_holds_execute_for_the_cycles_of_the_law() -> None:
    program = build([_PROGRAM], machine("t13"))
    base, slow = (
        simulate(program, machine("t13", f"units.products.stages={stages}")) for stages in (1, 4)
    )
    assert slow.exit_cycle - base.exit_cycle == 2 * 200 * 3
    more = simulate(program, machine("t13", "units.products.stages=1", "units.ones.start=7"))
    assert more.exit_cycle - base.exit_cycle == 200 * 5
    lengths, s = 0, 1
    for _ in range(200):
        s = (s * 1664525 + 1013904223) & 0xFFFF_FFFF
        lengths += (s >> (s & 31)).bit_length()
        s = (s * 1664525 + 1013904223) & 0xFFFF_FFFF
    # popcount: 1 + bits beyond the slot; madd: 1
    assert base.counters["hart0.execute.unit"] == 200 * 2 + lengths


@pytest.mark.usefixtures("project")
def test_a_late_result_makes_its_reader_wait() -> None:
    program = build([_PROGRAM], machine("rv32im"))
    run = simulate(program, machine("rv32im"))
    # mulrs, use 2: madd reads its result.
    assert run.counters["hart0.wait.operand"] == 200 * 2


@pytest.mark.usefixtures("project")
def test_instructions_of_units_are_disassembled() -> None:
    rows = {row.mnemonic: row for row in machine("t13").unit_rows}
    words = {
        "popcount a0,a1": encode_row(rows["popcount"], rd=10, rs1=11),
        "mulrs a0,a1,a2": encode_row(rows["mulrs"], rd=10, rs1=11, rs2=12),
        "madd a0,a1,a2,a3": encode_row(rows["madd"], rd=10, rs1=11, rs2=12, imm=13),
        "shla a0,a1,-5": encode_row(rows["shla"], rd=10, rs1=11, imm=-5),
    }
    for text, word in words.items():
        assert disassemble(word, units=tuple(rows.values())) == text
        assert disassemble(word) == f".word {word:#010x}"
    third = decode_word(words["madd a0,a1,a2,a3"], units=tuple(rows.values()))
    assert third is not None
    assert third.read == {"a1": 11, "a2": 12, "a3": 13}
    ignored = words["popcount a0,a1"] | 3 << 20
    assert disassemble(ignored, units=tuple(rows.values())).endswith("# popcount a0,a1")


@pytest.mark.parametrize("name", ["t13", "rv32im", "hazard3-c"])
@pytest.mark.parametrize("blocks", ["off", "force"])
def test_a_program_rewrites_instructions_of_units(
    name: str, blocks: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = machine(name)
    rows = {row.mnemonic: row for row in core.unit_rows}
    high = encode_row(rows["mulr"], rd=13, rs1=11, rs2=11)
    ones = encode_row(rows["popcount"], rd=13, rs1=11)
    source = project / "rewrite.S"
    source.write_text(
        ".option norvc\n.globl main\nmain: li a1, 0x7654321f\nli a2, 40\nli a5, 0\n"
        f"la a6, 1f\nli a7, {high ^ ones}\n1: .word {high}\nadd a5, a5, a3\nlw t0, 0(a6)\n"
        "xor t0, t0, a7\nsw t0, 0(a6)\nfence.i\naddi a2, a2, -1\nbnez a2, 1b\n"
        "li a3, 0x1a10fff4\nsw a5, 0(a3)\nli a0, 0\nret\n"
    )
    monkeypatch.setenv("GNOMON_BLOCKS", blocks)
    run = simulate(build([source], core), core)
    a = 0x7654321F
    assert run.printed == (20 * (a * a + 2**31 >> 32) + 20 * a.bit_count() & 0xFFFF_FFFF,)
    assert run.counters["hart0.issue.unit"] == 40
    beyond = 20 * 2 + 20 * (1 + a.bit_length())  # mulr takes 3 cycles, popcount 2 and one per bit
    assert run.counters["hart0.execute.unit"] == beyond


def test_third_operands_are_waited_for(project: Path) -> None:
    core = machine("rv32im")
    rows = {row.mnemonic: row for row in core.unit_rows}
    sums = encode_row(rows["mulrs"], rd=13, rs1=11, rs2=12)  # its result is read 2 cycles late
    by_rs3 = encode_row(rows["madd"], rd=14, rs1=11, rs2=12, imm=13)
    other = encode_row(rows["madd"], rd=14, rs1=11, rs2=12, imm=15)
    source = project / "third.S"

    def waited(*words: int) -> int:
        lines = "".join(f".word {word}\n" for word in words)
        source.write_text(
            f".globl main\nmain: li a2, 20\n1: {lines}nop\nnop\naddi a2, a2, -1\nbnez a2, 1b\n"
            "li a0, 0\nret\n"
        )
        return simulate(build([source], core), core).counters.get("hart0.wait.operand", 0)

    assert waited(sums, other) == 0
    assert waited(sums, sums) == 20 * 2
    assert waited(sums, by_rs3) == 20 * 2
    assert waited(sums, sums, by_rs3) == 20 * 4


@pytest.mark.parametrize("blocks", ["off", "force"])
@pytest.mark.parametrize("name", ["t13", "rv32im"])
def test_absent_operands_are_0_and_not_waited_for(
    name: str, blocks: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project / "units" / "bare"
    folder.mkdir()
    (folder / "bare.c").write_text(
        "UNIT(bare) { return a + b + c; }\nUNIT(rest) { return a + b + c; }\n"
    )
    (folder / "unit.yaml").write_text(
        "schema: 1\ntitle: Bare\nsource: a test\ncode: bare.c\ninstructions:\n"
        "  bare:\n    encoding: {format: R, opcode: custom-3, funct3: 4, funct7: 9}\n"
        "    operands: {rd: result, rs1: operand}\n    cycles: 1\n"
        "  rest:\n    encoding: {format: I, opcode: custom-3, funct3: 5}\n"
        "    operands: {rd: result}\n    cycles: 1\n"
    )
    core = machine(name, "units.bare={}")
    rows = {row.mnemonic: row for row in core.unit_rows}
    late = encode_row(rows["mulrs"], rd=12, rs1=11, rs2=11)  # read 2 cycles late on rv32im
    bare = encode_row(rows["bare"], rd=13, rs1=11) | 12 << 20
    rest = encode_row(rows["rest"], rd=14) | 12 << 15 | 12 << 20
    source = project / "bare.S"
    source.write_text(
        f".globl main\nmain: li a0, 0\nli a1, 777\nli a2, 5\n.word {late}\n.word {bare}\n"
        f".word {late}\n.word {rest}\nnop\nnop\nli t0, 0x1a10fff4\n"
        "sw a3, 0(t0)\nsw a4, 0(t0)\nret\n"
    )
    monkeypatch.setenv("GNOMON_BLOCKS", blocks)
    run = simulate(build([source], core), core)
    assert run.printed == (777, 0)
    # Only the second mulrs waits, for its old value: 1 cycle, as an instruction is between.
    assert run.counters.get("hart0.wait.operand", 0) == (1 if name == "rv32im" else 0)
