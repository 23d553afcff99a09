"""Calls, returns and the stack pointer of a run, recorded during it: cycles by call path.

The loop records the instructions that may leave their function or lower the stack pointer, with the
cycles of the hart so far. ``calls.c`` converts these rows to a tree of calls. A frame always
belongs to the function of the pc: a jump, a branch or a fall-through into another function replaces
it, so cycles by frame sum exactly to the cycles by function.
"""

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.program import NO_FUNCTION, Program
from gnomon.sim import _ops as op
from gnomon.sim._accounting import sum_causes
from gnomon.sim._machine import Machine
from gnomon.sim._run import CallNode, CallTree, StackUse
from gnomon.sim._structs import CALL_NODE, CALL_TREE, CALLER

Array = npt.NDArray[np.int64]
Records = npt.NDArray[np.void]

MAX_DEPTH = 1 << 12
"""Most frames recorded of a hart; deeper calls replace the last one, and the run counts them."""

_STACK_POINTER = 2
_NONE = -1
_FIRST_ROOM = 1 << 12  # nodes


class CallTreeRecorder:
    """Recorder of the calls of one run."""

    def __init__(self, program: Program, architecture: Architecture) -> None:
        memory = architecture.memory.instruction
        instruction_base, instruction_bytes = int(memory.base), int(memory.size)
        self._ibase, self._step = instruction_base, architecture.core.alignment_bytes
        self._functions = np.zeros(instruction_bytes // self._step, dtype=np.int64)
        numbers = {NO_FUNCTION: 0}
        for segment in program.segments:
            first = max(0, segment.address - instruction_base)
            end = min(segment.end - instruction_base, instruction_bytes)
            for index in range(first // self._step, -(-max(end, 0) // self._step)):
                name = program.function_name(instruction_base + self._step * index)
                self._functions[index] = numbers.setdefault(name, len(numbers))
        self._names = list(numbers)

    def choose(self, indices: Array, decoded: Records) -> npt.NDArray[np.bool_]:
        """Return which words may leave their function or lower the stack pointer."""
        entries = decoded[indices]
        o, rd, imm = entries["op"], entries["rd"], entries["imm"].astype(np.int64)
        here = self._functions[indices]

        def elsewhere(targets: Array) -> npt.NDArray[np.bool_]:
            inside = (targets >= 0) & (targets < len(self._functions))
            there = self._functions[np.where(inside, targets, 0)]
            return np.asarray(np.where(inside, there != here, here != 0), dtype=np.bool_)

        jal, jalr = o == op.JAL, o == op.JALR
        branch = np.isin(o, op.BRANCHES)
        links = jal & ((rd == 1) | (rd == 5))
        leaves = (jal | branch) & elsewhere(indices + imm // self._step)
        lengths = 1 if self._step == 4 else entries["at"].astype(np.int64) // self._step
        runs_on = ~(jal | jalr) & elsewhere(indices + lengths)
        store_or_branch = branch | np.isin(o, op.numbers_of("store"))
        lowers = (rd == _STACK_POINTER) & ~store_or_branch & ((o != op.ADDI) | (imm < 0))
        result: npt.NDArray[np.bool_] = links | jalr | leaves | runs_on | lowers
        return result

    def start(self, machine: Machine) -> None:
        """Start to follow the program of a machine at reset."""
        harts = machine.harts
        self._record = CALL_TREE.make()
        self._nodes = np.zeros(_FIRST_ROOM, dtype=CALL_NODE.dtype)
        self._callers = np.zeros(harts, dtype=CALLER.dtype)
        self._callers["depth"] = 1
        for name in ("base", "low", "low_node"):
            self._callers[name] = _NONE
        self._frames = np.zeros((harts, MAX_DEPTH), dtype=np.int64)
        self._returns = np.zeros((harts, MAX_DEPTH), dtype=np.int64)
        # The first `harts` nodes are roots without a function, the next ones run at reset.
        roots, starts = self._nodes[:harts], self._nodes[harts : 2 * harts]
        first = np.arange(harts, 2 * harts)
        for nodes in (roots, starts):
            for name in ("parent", "function", "site", "child", "next"):
                nodes[name] = _NONE
        roots["child"] = first
        starts["parent"] = np.arange(harts)
        starts["calls"] = 1
        for h in range(harts):
            place = machine.word_index(int(machine.hs["pc"][h]))
            inside = place < len(self._functions)
            starts["function"][h] = self._functions[place] if inside else 0
        self._frames[:, 0] = first
        self._record["count"], self._record["max_depth"] = 2 * harts, MAX_DEPTH
        CALL_TREE.point(self._record, {
            "nodes": self._nodes, "callers": self._callers, "frames": self._frames,
            "returns": self._returns, "functions": self._functions,
        })  # fmt: skip
        machine.watch_words(np.arange(*machine.text))

    def take(self, machine: Machine) -> None:
        rows = int(machine.st["call_rows"])
        if not rows:
            return
        if int(self._record["count"]) + 2 * rows > len(self._nodes):
            more = np.zeros(len(self._nodes) + 2 * rows, dtype=CALL_NODE.dtype)
            self._nodes = np.concatenate([self._nodes, more])
            CALL_TREE.point(self._record, {"nodes": self._nodes})
        machine.function("engine_follow_calls")(machine.pointer, self._record.ctypes.data)

    def result(self, machine: Machine) -> CallTree:
        harts = machine.harts
        callers, table = self._callers, self._nodes[: int(self._record["count"])]
        totals = sum_causes(machine).sum(axis=1)
        for h in range(harts):
            rest = harts * int(totals[h]) - int(callers["up_to"][h])
            # A run may end inside the instruction that entered the top frame: the cycles to
            # remove then belong to the frame of this instruction.
            top = self._frames[h, callers["depth"][h] - 1] if rest >= 0 else callers["booked"][h]
            table["cycles"][top] += rest
        hart_of = list(range(harts))
        nodes = []
        for parent, number, site, _, _, calls, units in table[harts:].tolist():
            hart_of.append(hart_of[parent])
            cycles, rest = divmod(units, harts)
            assert rest == 0, "cycles of a call path are whole"
            caller = None if parent < harts else parent - harts
            entered = None if site < 0 else self._ibase + self._step * site
            nodes.append(CallNode(caller, hart_of[-1], self._names[number], entered, calls, cycles))
        peaks = (callers["base"] - callers["low"]).tolist()
        stacks = tuple(
            StackUse(
                h,
                peaks[h],
                nodes[int(callers["low_node"][h]) - harts].function,
                bool(callers["switched"][h]),
            )
            for h in range(harts)
            if callers["base"][h] >= 0
        )
        return CallTree(tuple(nodes), stacks, int(callers["deep"].sum()))
