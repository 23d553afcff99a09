"""Calls, returns and the stack pointer of a run, recorded beside it: cycles by call path.

The loop records the instructions that may leave their function or move the stack down, each with
the cycles of its hart up to then. A compiled follower turns these rows into a tree of calls. A
frame is always of the function that the pc is in: a jump, a branch or running on into another
function replaces it, so cycles by frame sum to the cycles by function exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gnomon.base.compiled import State, entry_point, inner
from gnomon.sim import _layout as at
from gnomon.sim import _ops as op
from gnomon.sim._accounting import causes
from gnomon.sim._ops import JAL, JALR
from gnomon.sim._work import NO_FUNCTION

if TYPE_CHECKING:
    from gnomon.program import Program
    from gnomon.sim._machine import Machine

Array = npt.NDArray[np.int64]

MAX_DEPTH = 1 << 12
"""Frames kept of a hart; deeper calls replace the last one, and the run says how many did."""

_M32 = 0xFFFF_FFFF
_STACK_POINTER = 2
_OF_TRAP = -1  # instead of a return address
_NONE = -1

# Nodes of the tree.
N_PARENT, N_FUNCTION, N_SITE, N_CHILD, N_NEXT, N_CALLS, N_CYCLES = range(7)
_NODE_COLUMNS = 7
# What is known of a hart: frames, cycles accounted for, stack pointer at its first call, lowest
# one since, the node and the pc of that, calls beyond the depth.
F_DEPTH, F_UP_TO, F_BASE, F_LOW, F_LOW_NODE, F_DEEP = range(6)
_HART_COLUMNS = 6


@dataclass(frozen=True, slots=True)
class CallNode:
    """One call path: a function, called at ``site`` from the function of ``parent``.

    Attributes:
        parent: index of the caller's node; None for what a hart begins with.
        hart: who.
        function: its name.
        site: address of the instruction that entered it; None at reset.
        calls: how often it was entered on this path.
        cycles: in the function itself, without what it calls.
    """

    parent: int | None
    hart: int
    function: str
    site: int | None
    calls: int
    cycles: int


@dataclass(frozen=True, slots=True)
class StackUse:
    """The deepest stack of a hart, from its first call on.

    Attributes:
        hart: who.
        peak_bytes: from the stack pointer at the first call down to the lowest one.
        function: the one that moved it there.
    """

    hart: int
    peak_bytes: int
    function: str


@dataclass(frozen=True, slots=True)
class CallTree:
    """Cycles by call path; parents stand before their children.

    ``too_deep`` counts calls below ``MAX_DEPTH`` frames, which replaced the last frame.
    """

    nodes: tuple[CallNode, ...]
    stacks: tuple[StackUse, ...]
    too_deep: int


@inner
def _enter(nodes: State, count: State, parent: int, site: int, function: int) -> int:
    """The node of a function entered from ``parent``, made if it is new."""
    node = nodes[parent, N_CHILD]
    while node >= 0:
        if nodes[node, N_FUNCTION] == function and nodes[node, N_SITE] == site:
            break
        node = nodes[node, N_NEXT]
    if node < 0:
        node = count[0]
        count[0] += 1
        nodes[node, N_PARENT] = parent
        nodes[node, N_FUNCTION] = function
        nodes[node, N_SITE] = site
        nodes[node, N_CHILD] = -1
        nodes[node, N_NEXT] = nodes[parent, N_CHILD]
        nodes[parent, N_CHILD] = node
    nodes[node, N_CALLS] += 1
    return int(node)


@entry_point
def follow_calls(
    rows: State, row_count: int, harts: int, ibase: int, decoded: State, functions: State,
    nodes: State, count: State, frames: State, returns: State, known: State,
) -> None:  # fmt: skip
    """Bring tree and frames up to date with the rows; there is room for two nodes per row."""
    words = len(functions)
    for k in range(row_count):
        h = rows[k, at.R_HART]
        depth = known[h, F_DEPTH]
        top = frames[h, depth - 1]
        # In units of 1 / harts cycles: the rotation gives each hart one slot in so many.
        up_to = rows[k, at.R_SLOTS] + h + harts * rows[k, at.R_BEYOND]
        nodes[top, N_CYCLES] += up_to - known[h, F_UP_TO]
        known[h, F_UP_TO] = up_to
        index = rows[k, at.R_INDEX]
        npc = rows[k, at.R_NPC]
        entry = decoded[index]
        o = entry & 0xFF
        rd = (entry >> 8) & 63
        rs1 = (entry >> 14) & 31
        kind = rows[k, at.R_KIND]
        stack = rows[k, at.R_STACK]
        links = (o == JAL or o == JALR) and (rd == 1 or rd == 5) and kind != at.CALL_TRAP
        if links and known[h, F_BASE] < stack:
            if known[h, F_BASE] < 0:
                known[h, F_LOW] = stack
                known[h, F_LOW_NODE] = top
            known[h, F_BASE] = stack
        if known[h, F_BASE] >= 0 and stack < known[h, F_LOW]:
            known[h, F_LOW] = stack
            known[h, F_LOW_NODE] = top
        place = ((npc - ibase) & _M32) >> 2
        function = functions[place] if place < words else 0
        if links or kind == at.CALL_TRAP:
            if depth < len(frames[h]):
                frames[h, depth] = _enter(nodes, count, top, index, function)
                returns[h, depth] = _OF_TRAP if kind == at.CALL_TRAP else ibase + 4 * index + 4
                depth += 1
            else:
                known[h, F_DEEP] += 1
        elif kind == at.CALL_TRAP_RETURN or (o == JALR and (rs1 == 1 or rs1 == 5)):
            wanted = _OF_TRAP if kind == at.CALL_TRAP_RETURN else npc
            frame = depth - 1
            while frame > 0 and returns[h, frame] != wanted:
                frame -= 1
            if frame > 0:
                depth = frame
        top = frames[h, depth - 1]
        if nodes[top, N_FUNCTION] != function:
            parent = nodes[top, N_PARENT]
            frames[h, depth - 1] = _enter(nodes, count, parent, nodes[top, N_SITE], function)
        known[h, F_DEPTH] = depth


class CallRecorder:
    """Follows the calls of one run."""

    def __init__(self, program: Program, instruction_base: int, instruction_bytes: int) -> None:
        self._ibase = instruction_base
        self._names = [NO_FUNCTION]
        self._functions = np.zeros(instruction_bytes // 4, dtype=np.int64)
        numbers = {NO_FUNCTION: 0}
        for segment in program.segments:
            first = max(0, segment.address - instruction_base)
            end = min(segment.end - instruction_base, instruction_bytes)
            for index in range(first // 4, (max(end, 0) + 3) // 4):
                found = program.function_at(instruction_base + 4 * index)
                name = found.name if found else NO_FUNCTION
                if name not in numbers:
                    numbers[name] = len(self._names)
                    self._names.append(name)
                self._functions[index] = numbers[name]

    def choose(self, indices: Array, decoded: Array) -> npt.NDArray[np.bool_]:
        """Of the instruction words, those that may leave their function or lower the stack."""
        entries = decoded[indices]
        o, rd, imm = entries & 0xFF, (entries >> 8) & 63, entries >> 32
        here = self._functions[indices]

        def elsewhere(targets: Array) -> npt.NDArray[np.bool_]:
            inside = (targets >= 0) & (targets < len(self._functions))
            there = self._functions[np.where(inside, targets, 0)]
            return np.asarray(np.where(inside, there != here, here != 0), dtype=np.bool_)

        jal, jalr = o == op.JAL, o == op.JALR
        branch = (o >= op.BEQ) & (o <= op.BGEU)
        links = jal & ((rd == 1) | (rd == 5))
        leaves = (jal | branch) & elsewhere(indices + imm // 4)
        runs_on = ~(jal | jalr) & elsewhere(indices + 1)
        store_or_branch = branch | ((o >= op.SB) & (o <= op.SW))
        lowers = (rd == _STACK_POINTER) & ~store_or_branch & ((o != op.ADDI) | (imm < 0))
        result: npt.NDArray[np.bool_] = links | jalr | leaves | runs_on | lowers
        return result

    def start(self, machine: Machine) -> None:
        """Watch the program of a machine that is at reset."""
        harts = machine.harts
        self._nodes = np.full((1 << 12, _NODE_COLUMNS), _NONE, dtype=np.int64)
        self._nodes[:, [N_CALLS, N_CYCLES]] = 0
        self._count = np.array([2 * harts], dtype=np.int64)
        self._frames = np.zeros((harts, MAX_DEPTH), dtype=np.int64)
        self._returns = np.zeros((harts, MAX_DEPTH), dtype=np.int64)
        self._known = np.zeros((harts, _HART_COLUMNS), dtype=np.int64)
        self._known[:, F_DEPTH] = 1
        self._known[:, [F_BASE, F_LOW, F_LOW_NODE]] = _NONE
        for h in range(harts):
            # The first `harts` nodes are roots without a function, the next what runs at reset.
            first = harts + h
            place = machine.word_index(int(machine.hs[h, at.H_PC]))
            inside = place < len(self._functions)
            self._nodes[h, N_CHILD] = first
            self._nodes[first, N_PARENT] = h
            self._nodes[first, N_FUNCTION] = self._functions[place] if inside else 0
            self._nodes[first, N_CALLS] = 1
            self._frames[h, 0] = first
        machine.watch_words(np.arange(*machine.text))

    def take(self, machine: Machine) -> None:
        """Follow what the loop has recorded."""
        rows = int(machine.st[at.S_CALLS])
        if not rows:
            return
        while self._count[0] + 2 * rows > len(self._nodes):
            more = np.full_like(self._nodes, _NONE)
            more[:, [N_CALLS, N_CYCLES]] = 0
            self._nodes = np.concatenate([self._nodes, more])
        follow_calls(
            machine.calls, rows, machine.harts, self._ibase, machine.decoded, self._functions,
            self._nodes, self._count, self._frames, self._returns, self._known,
        )  # fmt: skip
        machine.st[at.S_CALLS] = 0

    def result(self, machine: Machine) -> CallTree:
        """The tree of a run that has ended and is settled."""
        harts = machine.harts
        totals = causes(machine).sum(axis=1)
        for h in range(harts):
            top = self._frames[h, self._known[h, F_DEPTH] - 1]
            self._nodes[top, N_CYCLES] += harts * int(totals[h]) - self._known[h, F_UP_TO]
        count = int(self._count[0])
        table = self._nodes[:count].tolist()
        hart_of = list(range(harts))
        nodes = []
        for row in table[harts:]:
            parent = row[N_PARENT]
            hart_of.append(hart_of[parent])
            cycles, rest = divmod(row[N_CYCLES], harts)
            assert rest == 0, "cycles of a call path are whole"
            nodes.append(
                CallNode(
                    parent=None if parent < harts else parent - harts,
                    hart=hart_of[-1],
                    function=self._names[row[N_FUNCTION]],
                    site=None if row[N_SITE] < 0 else self._ibase + 4 * row[N_SITE],
                    calls=row[N_CALLS],
                    cycles=cycles,
                )
            )
        stacks = tuple(
            StackUse(
                hart=h,
                peak_bytes=int(self._known[h, F_BASE] - self._known[h, F_LOW]),
                function=nodes[int(self._known[h, F_LOW_NODE]) - harts].function,
            )
            for h in range(harts)
            if self._known[h, F_BASE] >= 0
        )
        return CallTree(tuple(nodes), stacks, int(self._known[:, F_DEEP].sum()))
