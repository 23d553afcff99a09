"""Kanata 0004, the log of the Konata pipeline viewer.

Thread = hart. Lane 0: ``F`` and ``D``, which are the T13's, ``RT`` while a vector instruction is
turned away by a busy unit, then execute: ``EX``, ``EX.lsu``, ``EX.mul``, ``EX.div``. Lane 1: what
it waits for. Lane 2: ``VX`` vector unit, ``LX`` transfer, which go on in the background. Only
execution has a capital X in its name: the viewer draws arrows between such stages. Arrows are from
what kept a unit or a register busy to what waited for it. A sleeping hart is one ``ZZ``.

Events of a cycle may be known long before it, so they are sorted block by block.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from gnomon.arch import Architecture
from gnomon.base.files import writing
from gnomon.isa import decode_word
from gnomon.observe.trace._timeline import Array, Timeline, timeline
from gnomon.program import Program
from gnomon.sim import Run

_BLOCK = 50_000  # instructions sorted at a time
_LOOK_BACK = 64  # instructions in which the producer of a register is looked for
_NEVER = 1 << 60
_END, _RETIRE, _BEGIN, _STAGE, _ARROW = range(5)
"""Order of events in one cycle."""

_EXECUTE = {
    "load": "EX.lsu", "store": "EX.lsu", "amo": "EX.lsu", "kmem": "EX.lsu",
    "mul": "EX.mul", "mulh": "EX.mul", "div": "EX.div",
}  # fmt: skip


def write_kanata(run: Run, architecture: Architecture, program: Program, path: Path) -> int:
    log = _Log(timeline(run, architecture, program))
    lines = 0
    with writing(path) as file:
        for text in log.texts():
            lines += text.count("\n")
            file.write(text.encode())
    return lines


class _Log:
    """The log of a timeline. Lines to be written in a cycle may be known long before it.

    Of each instruction it has:
        begin, decoded: cycle of its first mention, and of its decode.
        background: first cycle after the work that it leaves to a unit; 0 = none.
        retired, rank: cycle of its retirement, and its place among those.
    """

    def __init__(self, line: Timeline) -> None:
        assert line.run.spans is not None
        assert line.run.span_operands is not None
        self._line = line
        self._spans, self._operands = line.run.spans, line.run.span_operands
        self._cycles: list[Array] = []
        self._order: list[Array] = []
        self._ids: list[Array] = []
        self._texts: list[str] = []
        # Each stage takes over when the next one is free.
        decoded = fetched = line.first - (0 if line.serial else line.waited)
        if line.t13:
            decoded = np.where(line.before >= 0, line.before, decoded - 1)
            fetched = np.where(line.before_that >= 0, line.before_that, decoded - 1)
        self._begin = np.maximum(fetched, line.first_cycle)
        self._decoded = np.maximum(decoded, line.first_cycle)
        # A vector unit that hangs is busy for ever; the log ends.
        last = np.append(self._spans["last"].astype(np.int64), -1)[line.span]
        self._background = np.minimum(last + 1, line.end_cycle + 1)
        behind = line.waited if line.serial else 0
        self._retired = np.maximum(line.end + behind, self._background)
        self._rank = np.empty(len(line), dtype=np.int64)
        self._rank[np.lexsort((np.arange(len(line)), self._retired))] = np.arange(len(line))

    def texts(self) -> Iterator[str]:
        """The log, block by block."""
        line = self._line
        now = line.first_cycle
        yield f"Kanata\t0004\nC=\t{now}\n"
        for start in range(0, max(len(line), 1), _BLOCK):
            block = np.arange(start, min(start + _BLOCK, len(line)))
            self._add_block(block)
            # Later blocks begin here; what comes after it waits for them.
            last = len(line) <= start + _BLOCK
            bound = _NEVER if last else int(self._begin[start + _BLOCK])
            out: list[str] = []
            for cycle, text in self._until(bound):
                if cycle > now:
                    out.append(f"C\t{cycle - now}\n")
                    now = cycle
                out.append(text)
            yield "".join(out)

    def _add(
        self, cycles: Array, order: int, ids: Array, form: str, *columns: Iterable[object]
    ) -> None:
        """Lines of one form; its fields are the number of an instruction, then the columns."""
        self._cycles.append(cycles)
        self._order.append(np.full(len(ids), order, dtype=np.int64))
        self._ids.append(ids)
        self._texts += [form % row for row in zip(ids.tolist(), *columns, strict=True)]

    def _until(self, bound: int) -> Iterator[tuple[int, str]]:
        """Take out the lines before a cycle, in order."""
        cycles, order, ids = map(np.concatenate, (self._cycles, self._order, self._ids))
        sorting = np.lexsort((ids, order, cycles))
        split = int(np.searchsorted(cycles[sorting], bound))
        texts, rest = self._texts, sorting[split:]
        self._cycles, self._order, self._ids = [cycles[rest]], [order[rest]], [ids[rest]]
        self._texts = [texts[k] for k in rest.tolist()]
        now = sorting[:split]
        yield from zip(cycles[now].tolist(), (texts[k] for k in now.tolist()), strict=True)

    def _add_block(self, block: Array) -> None:
        """All lines of some instructions that follow one another."""
        line, begin, decoded = self._line, self._begin, self._decoded
        told = [line.texts[k] for k in block.tolist()]
        self._add(
            begin[block], _BEGIN, block,
            "I\t%d\t%d\t%d\nL\t%d\t0\t%08x: %s\nL\t%d\t1\t%s, issued in cycle %d%s\n",
            block.tolist(), line.hart[block].tolist(),
            block.tolist(), line.pc[block].tolist(), (each.disassembly for each in told),
            block.tolist(), (each.function for each in told), line.issue[block].tolist(),
            (f", {slots} slots" if slots > 1 else "" for slots in line.slots[block].tolist()),
        )  # fmt: skip
        if line.t13:
            fetches = block[begin[block] < decoded[block]]
            self._add(begin[fetches], _STAGE, fetches, "S\t%d\t0\tF\n")
            decodes = block[decoded[block] < line.first[block]]
            self._add(decoded[decodes], _STAGE, decodes, "S\t%d\t0\tD\n")
        again = line.again[np.isin(line.again, block)]
        self._add(line.first[again], _STAGE, again, "S\t%d\t0\tRT\n")
        stage = np.array([_EXECUTE.get(each.timing_class, "EX") for each in told], dtype=object)
        stage[line.sleeps[block]] = "ZZ"
        enters = np.maximum(line.enters[block], line.first_cycle)
        self._add(enters, _STAGE, block, "S\t%d\t0\t%s\n", stage.tolist())
        self._add_background(block)
        self._add_waiting(block)
        self._add_arrows(again, "wait.vcu")
        longer = self._retired[block] > line.end[block]
        ends = block[longer]
        self._add(line.end[ends], _END, ends, "E\t%d\t0\t%s\n", stage[longer].tolist())
        columns = self._rank[block].tolist(), line.traps[block].tolist()
        self._add(self._retired[block], _RETIRE, block, "R\t%d\t%d\t%d\n", *columns)

    def _add_background(self, block: Array) -> None:
        line = self._line
        started = block[line.span[block] >= 0]
        spans = line.span[started]
        units = self._spans["unit"][spans]
        names = np.where(units < 0, "LX", "VX")
        self._add(
            line.issue[started], _STAGE, started, "S\t%d\t2\t%s\nL\t%d\t1\t\\n%s: %d bytes\n",
            names.tolist(), started.tolist(),
            ("transfer" if unit < 0 else f"vector unit {unit}" for unit in units.tolist()),
            self._operands["size_bytes"][spans].tolist(),
        )  # fmt: skip
        early = self._background[started] < self._retired[started]
        ends = started[early]
        self._add(self._background[ends], _END, ends, "E\t%d\t2\t%s\n", names[early].tolist())

    def _add_waiting(self, block: Array) -> None:
        """Lane 1, and the arrows from what was waited for."""
        line = self._line
        for name, start, end in line.wait_spans():
            held = block[start[block] < end[block]]
            label = name.replace(".", "-")
            begins = np.maximum(start[held], line.first_cycle)
            self._add(begins, _STAGE, held, f"S\t%d\t1\t{label}\n")
            self._add(end[held], _END, held, f"E\t%d\t1\t{label}\n")
            if not line.serial:
                self._add_arrows(held, name)

    def _add_arrows(self, held: Array, cause: str) -> None:
        line = self._line
        if cause == "wait.operand":
            producers = np.array([_writer(line, k) for k in held.tolist()], dtype=np.int64)
        else:
            producers = _users(line, held, lsu=cause == "wait.lsu")
        known = producers >= 0
        consumers = held[known]
        self._add(
            line.issue[consumers], _ARROW, consumers, "W\t%d\t%d\t0\n", producers[known].tolist()
        )


def _users(line: Timeline, held: Array, *, lsu: bool) -> Array:
    """The last instruction before each that used the LSU, or its hart's vector unit; -1 = none."""
    found = np.full(len(held), -1, dtype=np.int64)
    assert line.run.spans is not None
    unit = np.append(line.run.spans["unit"].astype(np.int64), -1)[line.span]
    everyone = np.ones(len(held), dtype=bool)
    if lsu:
        groups = [(line.classes("kmem", "store", "amo"), everyone)]
    elif line.shared_vector_unit:
        groups = [(unit == 0, everyone)]
    else:
        groups = [(unit == h, line.hart[held] == h) for h in range(len(line.run.harts))]
    for uses, group in groups:
        users = np.flatnonzero(uses)
        ordered = users[np.argsort(line.issue[users], kind="stable")]
        place = np.searchsorted(line.issue[ordered], line.issue[held[group]]) - 1
        if len(ordered):
            found[group] = np.where(place >= 0, ordered[np.maximum(place, 0)], -1)
    return found


def _writer(line: Timeline, k: int) -> int:
    """The last instruction of the hart that wrote a register which this one reads; -1 = none."""
    decoded = decode_word(int(line.word[k]), compressed=True)
    if decoded is None:
        return -1
    read = {decoded.rs1, decoded.rs2} - {0}
    for other in range(k - 1, max(-1, k - 1 - _LOOK_BACK), -1):
        same = line.hart[other] == line.hart[k]
        writer = decode_word(int(line.word[other]), compressed=True) if same else None
        if writer is not None and writer.rd in read:
            return other
    return -1
