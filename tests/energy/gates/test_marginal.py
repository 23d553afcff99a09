"""Paired loops differ in nothing but the instruction; costs are differences per instruction."""

from __future__ import annotations

import pytest

from gnomon.arch import load_architecture
from gnomon.gates.marginal import (
    PAIRS,
    LoopEnergy,
    MarginalCost,
    Pair,
    Side,
    list_pairs,
    list_rows,
    pair_loops,
    plain_unit,
)
from gnomon.isa import disassemble
from gnomon.program import Program
from gnomon.sim import simulate


def _mnemonics(program: Program) -> list[str]:
    data = program.segments[0].data
    words = (int.from_bytes(data[k : k + 4], "little") for k in range(0, len(data), 4))
    return [disassemble(word).split()[0] for word in words]


@pytest.mark.parametrize("machine", ["t13-simd2", "picorv32"])
def test_loops_of_a_pair_differ_in_their_instruction(machine: str) -> None:
    architecture = load_architecture(machine)
    pairs = dict(pair_loops(architecture))
    assert len(pairs) == (len(PAIRS) if architecture.vcu else len(PAIRS) - 2)
    for pair, loops in pairs.items():
        names = [_mnemonics(loop.program) for loop in loops]
        changed = {each for each in zip(*names, strict=True) if each[0] != each[1]}
        same = pair.more.mnemonic == pair.less.mnemonic
        assert changed == (set() if same else {(pair.more.mnemonic, pair.less.mnemonic)})
        assert loops[0].executed == loops[1].executed
        for loop in loops:
            run = simulate(loop.program, architecture, max_cycles=100_000)
            assert run.halted == "exit"
            counts = run.work.instructions
            name = loop.side.mnemonic
            found = counts.get(name, 0) + (run.work.vector[name].issued if name[0] == "k" else 0)
            assert found >= loop.executed


def test_a_core_without_multiplier_has_fewer_pairs() -> None:
    assert {str(pair) for pair in list_pairs("rv32i", vector=False)} == {
        "sll over add", "lw over add", "lbu over lw", "sw over add",
        "branch taken over branch not taken", "jal over addi", "add over add of zeros",
    }  # fmt: skip


def test_costs_are_differences_by_unit() -> None:
    add, mul = Side("add"), Side("mul")
    less = LoopEnergy(add, 16, 256, {"alu": 5.0, "multiplier": 40.0}, {"core": 44.0})
    more = LoopEnergy(mul, 16, 256, {"alu": 4.0, "multiplier": 45.0}, {"core": 50.0})
    cost = MarginalCost(Pair(mul, add), more, less)
    assert cost.by_unit == {"alu": -1.0, "multiplier": 5.0}
    assert (cost.pj, cost.table_pj, cost.error_percent) == (4.0, 6.0, 50.0)
    rows = list_rows([cost])
    assert rows["pairs"] == [{"pair": "mul over add", "gates_pj": 4.0, "table_pj": 6.0,
                              "error_percent": 50.0, "alu": -1.0, "multiplier": 5.0}]  # fmt: skip
    assert [row["instruction"] for row in rows["loops"]] == ["mul", "add"]
    assert MarginalCost(Pair(mul, add), more, LoopEnergy(add, 16, 256, {}, None)).table_pj is None


def test_lanes_are_one_unit() -> None:
    assert plain_unit("g_units[0].g_lane[3].adder") == "g_units[*].g_lane[*].adder"
