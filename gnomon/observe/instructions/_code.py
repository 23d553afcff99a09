"""The compiled code of a program as blocks: costs, data flow, and registers that are live.

Only instructions with a mark are read, so every one is a known line of assembly. A register is live
unless it is certain that its value is not read. At a return, those registers are dead that the
calling convention (RISC-V ELF psABI) leaves to the caller, except the results a0 and a1. A call
reads the arguments of the convention and what the called function reads: compilers pass further
arguments to static functions in other registers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from gnomon.arch import Architecture
from gnomon.isa import REGISTER_OF_NAME, Decoded, decode_word
from gnomon.observe.instructions._graph import is_computation
from gnomon.program import Mark, Program
from gnomon.sim import Run

_ENDS: Final = ("branch", "jump", "system", "csr", "fence")
_LINK: Final = REGISTER_OF_NAME["ra"]


def _registers(*names: str) -> int:
    return sum(1 << REGISTER_OF_NAME[name] for name in names)


_ALL: Final = 0xFFFF_FFFE
_ARGUMENTS: Final = _registers(*(f"a{k}" for k in range(8)), "sp", "gp", "tp")
_AT_RETURN: Final = _registers(
    "ra", "sp", "gp", "tp", "a0", "a1", *(f"s{k}" for k in range(12))
)  # fmt: skip


class PieceCosts(NamedTuple):
    """Executions and cycles of an instruction in a run, all harts together."""

    executed: int
    busiest: int  # executions by the hart that is awake most
    execute: int  # cycles in execute beyond the first
    fetch: int  # waits for the next instruction


@dataclass(frozen=True, slots=True)
class Op:
    """An instruction and its address. ``reads`` and ``writes`` are sets of registers, as bits.

    ``free``: whether it can become a part of another instruction.
    """

    mark: Mark
    decoded: Decoded
    reads: int
    writes: int
    free: bool
    costs: PieceCosts
    address: int


@dataclass(frozen=True, slots=True)
class BasicBlock:
    """Instructions that are executed one after another, and the live registers after them.

    ``sources``: of each register operand, the number of the instruction in the block that writes
    it, or None. ``users``: by instruction, those that read its result, as bits. ``last``: those
    whose result is live after the block, as bits.
    """

    ops: tuple[Op, ...]
    sources: tuple[tuple[int | None, ...], ...] = field(repr=False)
    users: tuple[int, ...] = field(repr=False)
    last: int = field(repr=False)


def operand_registers(decoded: Decoded) -> tuple[int, ...]:
    """Return the register operands of a computation, in the order of its meaning."""
    row = decoded.instruction
    found = ((row.rs1, decoded.rs1), (row.rs2, decoded.rs2))
    return tuple(register for role, register in found if role is not None)


def find_basic_blocks(
    program: Program, marks: Mapping[int, Mark], run: Run, architecture: Architecture
) -> Iterator[BasicBlock]:
    """Yield the executed blocks of the marked code.

    Args:
        program: the program of the run.
        marks: its instructions by address, as :func:`gnomon.program.find_marks` returns them.
        run: for executions and cycles.
        architecture: the machine of the run.
    """
    costs = _Costs(run)
    ops = {
        address: _read_op(program, marks, address, costs.at(address), architecture)
        for address in marks
    }
    known = {address: op for address, op in ops.items() if op is not None}
    starts = {address for address, op in known.items() if op.mark.labelled}
    for address, op in known.items():
        if op.decoded.instruction.format in ("B", "J"):
            starts.add(address + op.decoded.imm)
    live = _find_live(known)
    body: list[int] = []
    for address, op in known.items():
        follows = body and body[-1] + known[body[-1]].decoded.size_bytes == address
        if body and (address in starts or not follows):
            yield from _make_block(body, known, live)
            body = []
        body.append(address)
        if op.decoded.instruction.timing_class in _ENDS:
            yield from _make_block(body, known, live)
            body = []
    if body:
        yield from _make_block(body, known, live)


class _Costs:
    """Costs of pieces by address."""

    def __init__(self, run: Run) -> None:
        profile = run.profile
        parts = profile.parts
        awake = profile.cycles.sum(axis=1) - parts["parked"].sum(axis=1)
        self._profile = profile
        self._columns = (
            profile.issues.sum(axis=0), profile.issues[int(awake.argmax())],
            parts["execute"].sum(axis=0),
            sum(parts[name].sum(axis=0) for name in ("wait.fetch", "wait.icache") if name in parts),
        )  # fmt: skip

    def at(self, address: int) -> PieceCosts:
        place = self._profile.place(address)
        if not 0 <= place < self._profile.issues.shape[1]:
            return PieceCosts(0, 0, 0, 0)
        return PieceCosts(*(int(column[place]) for column in self._columns))


def _read_op(
    program: Program,
    marks: Mapping[int, Mark],
    address: int,
    costs: PieceCosts,
    architecture: Architecture,
) -> Op | None:
    decoded = decode_word(
        program.instruction_at(address), compressed=program.compressed,
        units=architecture.unit_rows,
    )  # fmt: skip
    if decoded is None:
        return None
    row, mark = decoded.instruction, marks[address]
    reads = sum(1 << register for register in {*decoded.read.values()}) & _ALL
    writes = (1 << decoded.rd if row.rd in ("result", "accumulator") else 0) & _ALL
    alone = address + decoded.size_bytes in marks  # a line may be several instructions
    free = is_computation(row) and bool(writes) and alone and not mark.fixed
    return Op(mark, decoded, reads, writes, free, costs, address)


def _find_live(ops: Mapping[int, Op]) -> dict[int, int]:
    """Return the registers that are live after each instruction, by address."""
    before: dict[int, int] = {}
    after: dict[int, int] = {}
    order = sorted(ops, reverse=True)
    changed = True
    while changed:
        changed = False
        for address in order:
            op = ops[address]
            out = _join_live(op, address, ops, before)
            new = (out & ~op.writes) | op.reads
            after[address] = out
            if before.get(address) != new:
                before[address] = new
                changed = True
    return after


def _join_live(op: Op, address: int, ops: Mapping[int, Op], before: Mapping[int, int]) -> int:
    def at(place: int) -> int:
        return before.get(place, 0) if place in ops else _ALL

    row, decoded = op.decoded.instruction, op.decoded
    following = at(address + decoded.size_bytes)
    if row.format == "B":
        return following | at(address + decoded.imm)
    if row.timing_class == "system":
        return _ALL
    if row.timing_class != "jump":
        return following
    if decoded.rd == _LINK:
        target = address + decoded.imm
        if row.format == "J" and target in ops:
            following |= at(target)
        return following | _ARGUMENTS
    if row.format == "J" and decoded.rd == 0:
        return at(address + decoded.imm)
    if decoded.rd == 0 and decoded.rs1 == _LINK and decoded.imm == 0:
        return _AT_RETURN
    return _ALL


def _make_block(
    addresses: Sequence[int], ops: Mapping[int, Op], live: Mapping[int, int]
) -> Iterator[BasicBlock]:
    body = tuple(ops[address] for address in addresses)
    if not any(op.costs.executed for op in body):
        return
    writer: dict[int, int] = {}
    sources = []
    users = [0] * len(body)
    for number, op in enumerate(body):
        for register, by in writer.items():
            if op.reads >> register & 1:
                users[by] |= 1 << number
        own = operand_registers(op.decoded) if op.free else ()
        sources.append(tuple(writer.get(register) for register in own))
        if op.writes:
            writer[op.decoded.rd] = number
    after = live[addresses[-1]]
    last = sum(1 << by for register, by in writer.items() if after >> register & 1)
    yield BasicBlock(body, tuple(sources), tuple(users), last)
