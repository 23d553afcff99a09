"""Pieces of random code become one instruction, and every live register keeps its value."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gnomon.arch import load_architecture
from gnomon.isa import INSTRUCTIONS, decode_word, encode
from gnomon.observe.instructions import Proposal, load_proposed, unit_texts
from gnomon.observe.instructions._code import Op, PieceCosts, _find_live, _make_block
from gnomon.observe.instructions._graph import (
    PORTS,
    Graph,
    Node,
    _evaluate,
    _parse,
    _samples,
    has_immediate,
    is_computation,
)
from gnomon.observe.instructions._mine import _arrange, _choose_disjoint, _find_pieces, _Use
from gnomon.program import Mark
from gnomon.rtl.tools import tool
from gnomon.rtl.unit_checks import check_defined
from gnomon.rtl.units import check_unit
from gnomon.sim import UnitFunctions
from tests.conftest import absent

if TYPE_CHECKING:
    from gnomon.isa import Decoded, Instruction
    from gnomon.observe.instructions._code import BasicBlock
    from gnomon.observe.instructions._mine import _Piece

_MASK = 0xFFFF_FFFF
_COMPUTATIONS = [row for row in INSTRUCTIONS if is_computation(row)]
_ONCE = PieceCosts(1, 1, 0, 0)
_REGISTERS = (0, 5, 6, 7, 10, 11, 12)


def _random_immediate(draw: random.Random, row: Instruction) -> int:
    if row.format == "shift":
        return draw.randrange(32)
    return draw.randrange(-8, 8) * 4096 if row.format == "U" else draw.randrange(-2048, 2048)


def _random_op(draw: random.Random, line: int) -> Op:
    rd, rs1, rs2 = (draw.choice(_REGISTERS) for _ in range(3))
    if draw.random() < 0.15:  # a load: it stays
        word, free = encode("lw", rd=rd, rs1=rs1, imm=draw.randrange(2048)), False
    else:
        row = draw.choice(_COMPUTATIONS)
        given = {"rd": rd}
        given |= {"rs1": rs1} if row.rs1 else {}
        given |= {"rs2": rs2} if row.rs2 else {}
        given |= {"imm": _random_immediate(draw, row)} if has_immediate(row) else {}
        word, free = encode(row.mnemonic, **given), bool(rd)
    decoded = decode_word(word)
    assert decoded is not None
    reads = sum(1 << register for register in {*decoded.read.values()}) & ~1
    return Op(Mark(0, line, False, False), decoded, reads, 1 << rd & ~1, free, _ONCE, 4 * line)


def _execute(decoded: Decoded, registers: dict[int, int]) -> None:
    row = decoded.instruction
    names: dict[str, Any] = {"a": registers[decoded.rs1], "b": registers[decoded.rs2],
                             "i": decoded.imm & _MASK, "m": 0}  # fmt: skip
    if row.timing_class == "load":  # some value that depends on the address
        value = (names["a"] + decoded.imm) * 2654435761 >> 3
    else:
        value = _evaluate(_parse(row), names)
    if decoded.rd:
        registers[decoded.rd] = int(value) & _MASK


def _apply(graph: Graph, inputs: list[int]) -> int:
    values: list[int] = []
    for node in graph.nodes:
        found = (0 if k is None else values[k] if k >= 0 else inputs[-1 - k] for k in node.operands)
        names: dict[str, Any] = dict(zip(PORTS, found, strict=False))
        names["i"] = (node.immediate or 0) & _MASK
        values.append(int(_evaluate(_parse(node.row), names)) & _MASK)
    return values[-1]


def _replace(block: BasicBlock, pieces: list[_Piece], registers: dict[int, int]) -> None:
    """Execute the block with each piece as one instruction in its place."""
    gone = {k for piece in pieces for k in range(len(block.ops)) if piece.nodes >> k & 1}
    for k, op in enumerate(block.ops):
        for piece in reversed([each for each in pieces if each.place == k]):
            rd, *inputs = piece.registers
            registers[rd] = _apply(piece.graph, [registers[each] for each in inputs])
        if k not in gone:
            _execute(op.decoded, registers)


def test_replaced_pieces_keep_all_live_registers() -> None:
    draw = random.Random(7)
    moved = chosen = 0
    for _ in range(400):
        ops = {4 * k: _random_op(draw, k) for k in range(draw.randrange(6, 22))}
        live = sum(1 << each for each in _REGISTERS if draw.random() < 0.4)
        (block,) = _make_block([*ops], ops, {max(ops): live})
        pieces = [*_find_pieces(0, block)]
        before = {each: draw.getrandbits(32) for each in _REGISTERS} | {0: 0}
        one = dict(before)
        for op in block.ops:
            _execute(op.decoded, one)
        for _ in range(3):  # the moved ones first, else in any order
            draw.shuffle(pieces)
            pieces.sort(key=lambda each: each.place == each.root)
            rows = _choose_disjoint([_Use(each, (), 1, 1) for each in pieces], [0])
            taken = [row.piece for row in rows]
            chosen += len(taken)
            moved += sum(each.place < each.root for each in taken)
            other = dict(before)
            _replace(block, taken, other)
            for register in _REGISTERS:
                if live >> register & 1:
                    assert one[register] == other[register], (block, taken)
    assert chosen > 1000
    assert moved > 100


def test_a_value_that_is_used_elsewhere_stays() -> None:
    """Of mul and add, the add alone is not a piece if the product is stored, or live."""
    words = [encode("mul", rd=5, rs1=10, rs2=11), encode("add", rd=6, rs1=5, rs2=12),
             encode("sw", rs1=12, rs2=5)]  # fmt: skip
    for count, live, expected in ((2, 1 << 6, 1), (2, 1 << 6 | 1 << 5, 0), (3, 1 << 6, 0)):
        ops = {}
        for k, word in enumerate(words[:count]):
            decoded = decode_word(word)
            assert decoded is not None
            writes = 1 << decoded.rd if decoded.rd else 0
            reads = sum(1 << each for each in decoded.read.values())
            ops[4 * k] = Op(Mark(0, k, False, False), decoded, reads, writes, k < 2, _ONCE, 4 * k)
        (block,) = _make_block([*ops], ops, {max(ops): live})
        assert len([*_find_pieces(0, block)]) == expected


def test_registers_are_live_where_their_values_may_be_read() -> None:
    words = [
        encode("bne", rs1=10, rs2=0, imm=8),  # over the next one
        encode("addi", rd=6, rs1=5),
        encode("jal", rd=1, imm=64),  # a call of unknown code
        encode("add", rd=10, rs1=7, rs2=28),
        encode("jalr", rs1=1),  # return
        encode("jalr", rs1=6),  # to anywhere
    ]
    ops = {}
    for k, word in enumerate(words):
        decoded = decode_word(word)
        assert decoded is not None
        writes = 1 << decoded.rd & ~1 if decoded.instruction.rd == "result" else 0
        reads = sum(1 << each for each in decoded.read.values()) & ~1
        ops[4 * k] = Op(Mark(0, k, False, False), decoded, reads, writes, False, _ONCE, 4 * k)
    live = {address // 4: found for address, found in _find_live(ops).items()}

    def alive(place: int, register: int) -> bool:
        return bool(live[place] >> register & 1)

    assert alive(0, 5)  # read if the branch is not taken
    assert not alive(1, 5)
    assert all(alive(k, 7) and alive(k, 28) for k in (0, 1, 2))  # after the call
    assert all(alive(1, argument) for argument in range(10, 18))
    assert not alive(3, 7)
    assert alive(3, 10)  # the result, and what the caller keeps
    assert alive(4, 8)
    assert not alive(4, 29)
    assert alive(5, 29)


def _every_computation() -> Graph:
    """The exclusive or of the results of all computations, twice with other operands."""
    draw = random.Random(3)
    nodes: list[Node] = []
    total: int | None = None
    for row in [*_COMPUTATIONS, *_COMPUTATIONS]:
        count = (row.rs1 is not None) + (row.rs2 is not None)
        operands = tuple(draw.choice((-1, -2, -3, -1, -2, -3, None)) for _ in range(count))
        imm = _random_immediate(draw, row) if has_immediate(row) else None
        nodes.append(Node(row.mnemonic, operands, imm))
        last = len(nodes) - 1
        if total is not None:
            nodes.append(Node("xor", (total, last)))
        total = len(nodes) - 1
    return Graph(tuple(nodes), 3)


def test_c_and_hardware_compute_the_meanings() -> None:
    graph = _every_computation()
    machine = load_architecture("t13")
    proposal = Proposal(graph, "R4", 2, (), 0, 0, 0)
    unit = load_proposed("every", unit_texts(proposal, "every", "test", machine))
    zero = np.zeros(len(_samples()[0]), dtype=np.uint32)
    found = UnitFunctions(unit).apply(zero, zero, *_samples())
    assert found.astype("<u4").tobytes() == graph.fingerprint()
    check_defined(unit, operands=1000)
    if not tool("icarus").usable:
        absent("iverilog")
    assert check_unit(unit, operands=1000).differences == ()


@pytest.mark.parametrize("other", [
    Graph((Node("mul", (-2, -1)), Node("add", (-3, 0))), 3),
    Graph((Node("mul", (-1, -3)), Node("add", (0, -2))), 3),
])  # fmt: skip
def test_pieces_that_compute_the_same_are_one_pattern(other: Graph) -> None:
    one = Graph((Node("mul", (-1, -2)), Node("add", (0, -3))), 3)
    assert _arrange(one, None)[0] == _arrange(other, None)[0]
    assert (
        one.fingerprint() != Graph((Node("mul", (-1, -2)), Node("sub", (0, -3))), 3).fingerprint()
    )


def _chain(*steps: tuple[str, int]) -> Graph:
    """Return a graph of instructions with immediates, each of the result of the previous one."""
    nodes = [Node(name, (k - 1,), number) for k, (name, number) in enumerate(steps)]
    return Graph((*nodes, Node("add", (len(nodes) - 1, -2))), 2)


@pytest.mark.parametrize(("one", "other"), [
    (_chain(("addi", -1000), ("sltiu", 1)), _chain(("addi", -2000), ("sltiu", 1))),
    (_chain(("slti", 1000)), _chain(("slti", 1001))),
    (_chain(("addi", 1024), ("srai", 11)), _chain(("addi", 1023), ("srai", 11))),
    (_chain(("addi", 1), ("andi", -2048)), _chain(("addi", 2), ("andi", -2048))),
    (_chain(("xori", 1), ("ori", 2047)), _chain(("addi", 3), ("ori", 2047))),
    (Graph((Node("slt", (-1, -2)), Node("add", (0, -3))), 3),
     Graph((Node("sltu", (-1, -2)), Node("add", (0, -3))), 3)),
])  # fmt: skip
def test_pieces_that_rarely_differ_are_two_patterns(one: Graph, other: Graph) -> None:
    """Few inputs show the difference of two comparisons, roundings or masks."""
    assert _arrange(one, None)[0] != _arrange(other, None)[0]


def test_operands_of_commutative_instructions_are_in_any_order() -> None:
    """Of those alone: the operands of a difference or a comparison are not exchanged."""
    found = {
        row.mnemonic for row in _COMPUTATIONS if row.rs2 and not has_immediate(row)
        and Graph((Node(row.mnemonic, (-1, -2)),), 2).identity()
        == Graph((Node(row.mnemonic, (-2, -1)),), 2).identity()
    }  # fmt: skip
    assert found == {"add", "and", "or", "xor", "mul", "mulh", "mulhu"}


def test_a_call_reads_what_the_called_function_reads() -> None:
    """Compilers pass further arguments to static functions in t2 and t3 to t6."""
    words = [encode("jal", rd=1, imm=12), encode("jal", rd=1, imm=4096), encode("jalr", rs1=1),
             encode("add", rd=10, rs1=7, rs2=28), encode("jalr", rs1=1)]  # fmt: skip
    ops = {}
    for k, word in enumerate(words):
        decoded = decode_word(word)
        assert decoded is not None
        writes = 1 << decoded.rd & ~1 if decoded.instruction.rd == "result" else 0
        reads = sum(1 << each for each in decoded.read.values()) & ~1
        ops[4 * k] = Op(Mark(0, k, False, False), decoded, reads, writes, False, _ONCE, 4 * k)
    live = _find_live(ops)
    assert all(live[0] >> register & 1 for register in (7, 28))
    assert not any(live[4] >> register & 1 for register in (7, 28))  # the convention alone


def test_the_text_of_a_unit_has_any_name_of_a_program() -> None:
    name = 'a "b" \\ {c}: #\n\udcff'
    proposal = Proposal(_chain(("addi", 1)), "R", 1, (), 0, 0, 0)
    files = unit_texts(proposal, "sum", name, load_architecture("t13"))
    for text in files.values():
        text.encode("utf-8")
    assert load_proposed("sum", files).instructions[0].row.source.startswith('pieces of a "b" \\ {')
