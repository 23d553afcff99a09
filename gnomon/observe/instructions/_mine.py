"""Pieces of code that one instruction could replace, ranked by the cycles that it saves.

A piece is connected, has at most six instructions, three inputs and one result. All other results
of its instructions are used in it alone, so it is convex. Its instruction replaces the
last one of the piece or, if an input is overwritten before, an earlier one, if no instruction
between them uses the register of the result. Pieces that give equal
results are one pattern, however they are written (:meth:`Graph.identity`).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, permutations
from typing import Final, Literal, NamedTuple

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.observe.instructions._code import BasicBlock, Op, find_basic_blocks, operand_registers
from gnomon.observe.instructions._graph import Graph, Node, has_immediate
from gnomon.program import Program, find_marks
from gnomon.sim import Run

Form = Literal["R", "accumulator", "R4"]
"""Source of a third input: none, the old value of rd, or a register of format R4."""

MOST_NODES: Final = 6
MOST_INPUTS: Final = 3
MOST_PROPOSALS: Final = 5
_LEAST_SHARE = 0.01  # of the wall cycles
_NEGLIGIBLE = 1e-4  # of the wall cycles: a block that takes less is not searched
_MOST_PIECES = 2000  # with one last instruction
_THIRD = MOST_INPUTS - 1


class Site(NamedTuple):
    """A piece of code: the lines that vanish, the line that its instruction precedes.

    ``registers``: rd, then those of the inputs in the order of the ports. ``address``: of its last
    instruction.
    """

    source: int
    lines: tuple[int, ...]
    place: int
    registers: tuple[int, ...]
    address: int


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed instruction.

    ``graph``: its computation, with inputs in the order of the ports a, b, c. ``cycles``: of the
    unit; with those of the port of the core, the most that one of the replaced instructions takes.
    The savings are predictions.
    """

    graph: Graph
    form: Form
    cycles: int
    sites: tuple[Site, ...]
    executions: int
    saves_hart_cycles: int
    saves_wall_cycles: int

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs in instruction words."""
        third = "rd" if self.form == "accumulator" else "rs3"
        return ("rs1", "rs2", third)[: self.graph.inputs]

    @property
    def text(self) -> str:
        """The computation as calls of mnemonics."""
        return f"rd = {self.graph.text(self.names)}"


class _Piece(NamedTuple):
    """A piece: its block and nodes (bits), its graph, and the registers of rd and the inputs.

    ``place``: number of the instruction that it precedes; ``root``: of its last one.
    """

    block: int
    nodes: int
    graph: Graph
    registers: tuple[int, ...]
    place: int
    root: int


class _Use(NamedTuple):
    """A piece as one use of a pattern, with the port of each input and the savings."""

    piece: _Piece
    ports: tuple[int, ...]
    wall: int
    hart: int


def propose_instructions(
    run: Run, program: Program, marked: Program, architecture: Architecture
) -> tuple[Proposal, ...]:
    """Return instructions that each save at least a hundredth of the run, the best one first.

    Each piece of code belongs to one proposal, so their savings add up.

    Args:
        run: a run of the program.
        program: the program.
        marked: the same program, built with :data:`gnomon.program.MARKS`.
        architecture: the machine of the run.

    Raises:
        GnomonError: if the marked program has other code.
    """
    code = [[each for each in some.segments if each.executable] for some in (program, marked)]
    if code[0] != code[1]:
        raise GnomonError(
            f"{program.name}: the assembly text of the compiler gives other instructions"
        )
    limit = _NEGLIGIBLE * run.wall_cycles
    blocks = [
        block for block in find_basic_blocks(marked, find_marks(marked), run, architecture)
        if len(block.ops) * max(op.costs.executed for op in block.ops) > limit
    ]  # fmt: skip
    prices = _Prices(architecture, (op for block in blocks for op in block.ops))
    pieces = [piece for k, block in enumerate(blocks) for piece in _find_pieces(k, block)]
    patterns = _merge(pieces, _list_forms(architecture))
    least = _LEAST_SHARE * run.wall_cycles
    return tuple(_select(patterns, blocks, prices, least))


def _list_forms(architecture: Architecture) -> tuple[Form, ...]:
    if architecture.core.unit_port == "pcpi":  # it has no third operand
        return ("R",)
    if architecture.core.model != "t13":
        return ("R", "accumulator")
    return ("R", "accumulator", "R4")


class _Prices:
    """Cycles that a use saves, from the cycles of its instructions in the run."""

    def __init__(self, architecture: Architecture, ops: Iterable[Op]) -> None:
        # A T13 gives each hart one slot per rotation, whether it is used or not.
        self._rotation = architecture.core.harts if architecture.core.model == "t13" else 1
        latency = architecture.core.latency
        self._port = 0 if latency is None else latency.unit_port
        self._longest: dict[str, int] = {}
        for op in ops:
            executed, further = op.costs.executed, op.costs.execute
            if op.free and executed:
                name = op.decoded.instruction.mnemonic
                cycles = 1 - (-further // executed)
                self._longest[name] = max(self._longest.get(name, 1), cycles)

    def cycles_of(self, graph: Graph) -> int:
        """Return the cycles of a unit: the most that a node takes in the run, without the port."""
        longest = max(self._longest.get(node.mnemonic, 1) for node in graph.nodes)
        return max(1, longest - self._port)

    def savings(self, ops: Sequence[Op], cycles: int) -> tuple[int, int]:
        """Return the wall cycles and the hart cycles that one use saves.

        Args:
            ops: of the piece; the last one is replaced, the others vanish.
            cycles: of the unit.
        """
        *inner, last = (op.costs for op in ops)
        further = sum(each.execute for each in (*inner, last))
        further -= (cycles + self._port - 1) * last.executed
        further += sum(each.fetch for each in inner)
        slots = sum(each.busiest for each in inner)
        issues = sum(each.executed for each in inner)
        return self._rotation * slots + further, issues + further


def _bits(nodes: int) -> Iterator[int]:
    while nodes:
        lowest = nodes & -nodes
        yield lowest.bit_length() - 1
        nodes ^= lowest


def _find_pieces(number: int, block: BasicBlock) -> Iterator[_Piece]:
    """Yield the pieces of a block."""
    free = sum(1 << k for k, op in enumerate(block.ops) if op.free)
    inner = sum(1 << k for k in _bits(free & ~block.last) if not block.users[k] & ~free)
    for root, op in enumerate(block.ops):
        if not op.free or not op.costs.executed:
            continue
        below = sum(1 << k for k in _bits(inner & (1 << root) - 1)
                    if not block.users[k] >> root + 1)  # fmt: skip
        for nodes in islice(_grow(block, root, below), _MOST_PIECES):
            piece = _make_piece(number, block, nodes, root)
            if piece is not None:
                yield piece


def _grow(block: BasicBlock, root: int, inner: int) -> Iterator[int]:
    """Yield sets of nodes that feed the root, from the root towards the inputs.

    Args:
        block: the block.
        root: the last instruction.
        inner: instructions that can be in a set with it.
    """
    seen = {1 << root}
    waiting = [1 << root]
    while waiting:
        nodes = waiting.pop()
        if nodes.bit_count() > 1:
            yield nodes
        if nodes.bit_count() == MOST_NODES:
            continue
        sources = (each for node in _bits(nodes) for each in block.sources[node])
        for source in {each for each in sources if each is not None}:
            more = nodes | 1 << source
            if inner >> source & 1 and more not in seen:
                seen.add(more)
                waiting.append(more)


def _make_piece(number: int, block: BasicBlock, nodes: int, root: int) -> _Piece | None:
    inputs: dict[tuple[int | None, int], int] = {}  # writer and register of each, by number
    places: dict[int, int] = {}
    found: list[Node] = []
    for node in _bits(nodes):
        if node != root and block.users[node] & ~nodes:
            return None
        decoded = block.ops[node].decoded
        operands: list[int | None] = []
        registers = operand_registers(decoded)
        for register, source in zip(registers, block.sources[node], strict=True):
            if source is not None and nodes >> source & 1:
                operands.append(places[source])
            elif not register:
                operands.append(None)
            else:
                operands.append(-1 - inputs.setdefault((source, register), len(inputs)))
        if len(inputs) > MOST_INPUTS:
            return None
        places[node] = len(found)
        row = decoded.instruction
        found.append(
            Node(row.mnemonic, tuple(operands), decoded.imm if has_immediate(row) else None)
        )
    rd = block.ops[root].decoded.rd
    place = _find_place(block, nodes, root, rd, inputs)
    if not inputs or place is None:
        return None
    registers = (rd, *(register for _, register in inputs))
    return _Piece(number, nodes, Graph(tuple(found), len(inputs)), registers, place, root)


def _find_place(
    block: BasicBlock, nodes: int, root: int, rd: int, inputs: Iterable[tuple[int | None, int]]
) -> int | None:
    """Return the last place where all inputs are in their registers; None: there is none."""
    others = [k for k in range(root) if not nodes >> k & 1]
    first, place = 0, root
    for writer, register in inputs:
        begin = 0 if writer is None else writer + 1
        first = max(first, begin)
        place = next((k for k in others if begin <= k < place
                      and block.ops[k].writes >> register & 1), place)  # fmt: skip
    if place < first:
        return None
    used = (block.ops[k].reads | block.ops[k].writes for k in others if k >= place)
    return None if any(each >> rd & 1 for each in used) else place


_Pattern = tuple[Form, int, bytes]


def _merge(
    pieces: Iterable[_Piece], forms: Sequence[Form]
) -> dict[_Pattern, list[tuple[_Piece, tuple[int, ...]]]]:
    """Return the pieces of each pattern, each with the ports of its inputs."""
    patterns: dict[_Pattern, list[tuple[_Piece, tuple[int, ...]]]] = {}
    for piece in pieces:
        for form in forms:
            fixed: int | None = None
            if (form == "R") != (piece.graph.inputs < MOST_INPUTS):
                continue
            if form == "accumulator":
                rd, *inputs = piece.registers
                if rd not in inputs:
                    continue
                fixed = inputs.index(rd)
            identity, ports = _arrange(piece.graph, fixed)
            pattern = form, piece.graph.inputs, identity
            patterns.setdefault(pattern, []).append((piece, ports))
    return patterns


@cache
def _arrange(graph: Graph, third: int | None) -> tuple[bytes, tuple[int, ...]]:
    """Return the least identity over all orders of the inputs, and that order.

    Args:
        graph: the computation.
        third: the input that must be at the last port; None: any.
    """
    orders = permutations(range(graph.inputs))
    found = (
        (graph.arranged(ports).identity(), ports)
        for ports in orders
        if third is None or ports[third] == _THIRD
    )
    return min(found)


def _select(
    patterns: Mapping[_Pattern, Sequence[tuple[_Piece, tuple[int, ...]]]],
    blocks: Sequence[BasicBlock],
    prices: _Prices,
    least: float,
) -> Iterator[Proposal]:
    """Yield the best patterns; each takes its pieces from those that follow."""
    uses: list[list[_Use]] = []
    forms: list[Form] = []
    graphs: list[Graph] = []
    for (form, _, _), found in patterns.items():
        graph = min((piece.graph.arranged(ports) for piece, ports in found), key=_rank)
        cycles = prices.cycles_of(graph)
        rows = []
        for piece, ports in found:
            ops = [blocks[piece.block].ops[k] for k in _bits(piece.nodes)]
            rows.append(_Use(piece, ports, *prices.savings(ops, cycles)))
        uses.append(sorted((row for row in rows if row.wall > 0), key=lambda row: -row.wall))
        forms.append(form)
        graphs.append(graph)
    taken = [0] * len(blocks)
    # An upper limit for each pattern: pieces that others have taken only lower it.
    order = {"R": 0, "accumulator": 1, "R4": 2}
    waiting = [
        (-sum(row.wall for row in rows), order[forms[k]], _rank(graphs[k]), k)
        for k, rows in enumerate(uses)
    ]
    heapq.heapify(waiting)
    count = 0
    while waiting and count < MOST_PROPOSALS and -waiting[0][0] >= least:
        _, form_rank, rank, k = heapq.heappop(waiting)
        free = _choose_disjoint(uses[k], taken)
        gain = sum(row.wall for row in free)
        if waiting and (-gain, form_rank, rank, k) > waiting[0]:
            if gain >= least:
                heapq.heappush(waiting, (-gain, form_rank, rank, k))
            continue
        if gain < least:
            continue
        count += 1
        for row in free:
            taken[row.piece.block] |= row.piece.nodes
        yield _make_proposal(graphs[k], forms[k], prices.cycles_of(graphs[k]), free, blocks)


def _rank(graph: Graph) -> tuple[int, str]:
    return len(graph.nodes), graph.text(("rs1", "rs2", "rs3"))


def _choose_disjoint(rows: Sequence[_Use], taken: Sequence[int]) -> list[_Use]:
    """Return uses that share no instruction with taken ones, and can be combined."""
    own: dict[int, list[_Piece]] = {}
    found = []
    for row in rows:
        piece = row.piece
        near = own.setdefault(piece.block, [])
        if piece.nodes & taken[piece.block] or any(
            piece.nodes & other.nodes or _overwrites(piece, other) or _overwrites(other, piece)
            for other in near
        ):
            continue
        near.append(piece)
        found.append(row)
    return found


def _overwrites(one: _Piece, other: _Piece) -> bool:
    """Return whether an earlier instruction overwrites an input of another one."""
    return one.registers[0] in other.registers[1:] and one.place <= other.place <= one.root


def _make_proposal(
    graph: Graph, form: Form, cycles: int, rows: Sequence[_Use], blocks: Sequence[BasicBlock]
) -> Proposal:
    sites = []
    executions = 0
    for row in rows:
        block, piece = blocks[row.piece.block], row.piece
        marks = [block.ops[k].mark for k in _bits(piece.nodes)]
        place = block.ops[piece.place].mark
        rd, *inputs = row.piece.registers
        at_port = [0] * len(inputs)
        for register, port in zip(inputs, row.ports, strict=True):
            at_port[port] = register
        lines = tuple(each.line for each in marks)
        root = block.ops[piece.root]
        sites.append(Site(place.source, lines, place.line, (rd, *at_port), root.address))
        executions += root.costs.executed
    return Proposal(
        graph, form, cycles, tuple(sorted(sites)), executions,
        sum(row.hart for row in rows), sum(row.wall for row in rows),
    )  # fmt: skip
