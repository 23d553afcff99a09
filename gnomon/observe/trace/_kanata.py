"""Kanata 0004, the log format of the Konata pipeline viewer.

Thread = hart. Lane 0: ``F`` and ``D`` (T13 only), ``RT`` while a busy vector unit rejects the
instruction, then execute: ``EX``, ``EX.lsu``, ``EX.mul``, ``EX.div``. Lane 1: the cause of a wait.
Lane 2: ``VX`` vector unit, ``LX`` transfer, both in the background. Only execute stages have a
capital X in their names, because the viewer draws arrows between such stages. An arrow leads from
the instruction that occupies a unit or register to the one that waits for it. A sleep is one
``ZZ``.

Events of a cycle may be generated long before it, so they are sorted block by block.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from gnomon.arch import Architecture
from gnomon.base.files import writing
from gnomon.isa import decode_word
from gnomon.observe.trace._timeline import Array, Timeline, build_timeline
from gnomon.program import Program
from gnomon.sim import Run

_BLOCK = 50_000  # instructions sorted at a time
_LOOK_BACK = 64  # instructions searched for the producer of a register
_NEVER = 1 << 60
_END, _RETIRE, _BEGIN, _STAGE, _ARROW = range(5)
"""Order of events in one cycle."""

_EXECUTE = {
    "load": "EX.lsu", "store": "EX.lsu", "amo": "EX.lsu", "kmem": "EX.lsu",
    "mul": "EX.mul", "mulh": "EX.mul", "div": "EX.div", "unit": "EX.unit",
}  # fmt: skip


def write_kanata(run: Run, architecture: Architecture, program: Program, path: Path) -> int:
    """Write the log of a traced run; return its number of lines."""
    log = _Log(build_timeline(run, architecture, program))
    lines = 0
    with writing(path) as file:
        for text in log.texts():
            lines += text.count("\n")
            file.write(text.encode())
    return lines


class _Log:
    """The log of a timeline. Lines of a cycle may be generated long before it.

    Values per instruction:
        begin, decoded: cycle of its first line, and of its decode.
        background: first cycle after the work that it starts in a unit; 0 = none.
        retired, rank: cycle of its retirement, and its rank in retirement order.
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
        # An instruction advances when the next stage is free.
        decoded = fetched = line.first - (0 if line.serial else line.waited)
        if line.t13:
            decoded = np.where(line.before >= 0, line.before, decoded - 1)
            fetched = np.where(line.before_that >= 0, line.before_that, decoded - 1)
        self._begin = np.maximum(fetched, line.first_cycle)
        self._decoded = np.maximum(decoded, line.first_cycle)
        # A hanging vector unit is busy up to the end of the log.
        last = np.append(self._spans["last"].astype(np.int64), -1)[line.span]
        self._background = np.minimum(last + 1, line.end_cycle + 1)
        after = line.waited if line.serial else 0
        self._retired = np.maximum(line.end + after, self._background)
        self._rank = np.empty(len(line), dtype=np.int64)
        self._rank[np.lexsort((np.arange(len(line)), self._retired))] = np.arange(len(line))

    def texts(self) -> Iterator[str]:
        """Yield the log, block by block."""
        line = self._line
        now = line.first_cycle
        yield f"Kanata\t0004\nC=\t{now}\n"
        for start in range(0, max(len(line), 1), _BLOCK):
            block = np.arange(start, min(start + _BLOCK, len(line)))
            self._add_block(block)
            # Later blocks begin in this cycle, so lines after it stay buffered.
            last = len(line) <= start + _BLOCK
            bound = _NEVER if last else int(self._begin[start + _BLOCK])
            out: list[str] = []
            for cycle, text in self._pop_until(bound):
                if cycle > now:
                    out.append(f"C\t{cycle - now}\n")
                    now = cycle
                out.append(text)
            yield "".join(out)

    def _add(
        self, cycles: Array, order: int, ids: Array, form: str, *columns: Iterable[object]
    ) -> None:
        """Buffer lines of one form, whose fields are the instruction number, then the columns."""
        self._cycles.append(cycles)
        self._order.append(np.full(len(ids), order, dtype=np.int64))
        self._ids.append(ids)
        self._texts += [form % row for row in zip(ids.tolist(), *columns, strict=True)]

    def _pop_until(self, bound: int) -> Iterator[tuple[int, str]]:
        """Remove the buffered lines before cycle ``bound`` and yield them in order."""
        cycles, order, ids = map(np.concatenate, (self._cycles, self._order, self._ids))
        sorting = np.lexsort((ids, order, cycles))
        split = int(np.searchsorted(cycles[sorting], bound))
        texts, rest = self._texts, sorting[split:]
        self._cycles, self._order, self._ids = [cycles[rest]], [order[rest]], [ids[rest]]
        self._texts = [texts[k] for k in rest.tolist()]
        now = sorting[:split]
        yield from zip(cycles[now].tolist(), (texts[k] for k in now.tolist()), strict=True)

    def _add_block(self, block: Array) -> None:
        """Buffer all lines of a block of consecutive instructions."""
        line, begin, decoded = self._line, self._begin, self._decoded
        texts = [line.texts[k] for k in block.tolist()]
        self._add(
            begin[block], _BEGIN, block,
            "I\t%d\t%d\t%d\nL\t%d\t0\t%08x: %s\nL\t%d\t1\t%s, issued in cycle %d%s\n",
            block.tolist(), line.hart[block].tolist(),
            block.tolist(), line.pc[block].tolist(), (each.disassembly for each in texts),
            block.tolist(), (each.function for each in texts), line.issue[block].tolist(),
            (f", {slots} slots" if slots > 1 else "" for slots in line.slots[block].tolist()),
        )  # fmt: skip
        if line.t13:
            fetches = block[begin[block] < decoded[block]]
            self._add(begin[fetches], _STAGE, fetches, "S\t%d\t0\tF\n")
            decodes = block[decoded[block] < line.first[block]]
            self._add(decoded[decodes], _STAGE, decodes, "S\t%d\t0\tD\n")
        again = line.again[np.isin(line.again, block)]
        self._add(line.first[again], _STAGE, again, "S\t%d\t0\tRT\n")
        stage = np.array([_EXECUTE.get(each.timing_class, "EX") for each in texts], dtype=object)
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
        """Buffer lane 1, and the arrows from the instructions that caused the waits."""
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
            producers = np.array([_find_writer(line, k) for k in held.tolist()], dtype=np.int64)
        else:
            producers = _find_users(line, held, lsu=cause == "wait.lsu")
        known = producers >= 0
        consumers = held[known]
        self._add(
            line.issue[consumers], _ARROW, consumers, "W\t%d\t%d\t0\n", producers[known].tolist()
        )


def _find_users(line: Timeline, held: Array, *, lsu: bool) -> Array:
    """Return the last user before each of the LSU or of its hart's vector unit; -1: none."""
    found = np.full(len(held), -1, dtype=np.int64)
    assert line.run.spans is not None
    unit = np.append(line.run.spans["unit"].astype(np.int64), -1)[line.span]
    all_harts = np.ones(len(held), dtype=bool)
    if lsu:
        groups = [(line.is_of_class("kmem", "store", "amo"), all_harts)]
    elif line.shared_vector_unit:
        groups = [(unit == 0, all_harts)]
    else:
        groups = [(unit == h, line.hart[held] == h) for h in range(len(line.run.harts))]
    for uses, group in groups:
        users = np.flatnonzero(uses)
        ordered = users[np.argsort(line.issue[users], kind="stable")]
        place = np.searchsorted(line.issue[ordered], line.issue[held[group]]) - 1
        if len(ordered):
            found[group] = np.where(place >= 0, ordered[np.maximum(place, 0)], -1)
    return found


def _find_writer(line: Timeline, k: int) -> int:
    """Return the last instruction of the hart that wrote an operand of ``k``; -1: none."""
    units = line.run.architecture.unit_rows
    decoded = decode_word(int(line.word[k]), compressed=True, units=units)
    if decoded is None:
        return -1
    read = {decoded.rs1, decoded.rs2} - {0}
    if decoded.instruction.extension == "unit":
        read = {*decoded.read.values()} - {0}
    for other in range(k - 1, max(-1, k - 1 - _LOOK_BACK), -1):
        same = line.hart[other] == line.hart[k]
        word = int(line.word[other])
        writer = decode_word(word, compressed=True, units=units) if same else None
        if writer is not None and writer.rd in read:
            return other
    return -1
