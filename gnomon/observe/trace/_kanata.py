"""Kanata 0004, the log of the Konata pipeline viewer.

Thread = hart. Lane 0: ``F`` and ``D``, which are the T13's, ``RT`` while a vector instruction is
turned away by a busy unit, then execute: ``EX``, ``EX.lsu``, ``EX.mul``, ``EX.div``. Lane 1: what
it waits for. Lane 2: ``VX`` vector unit, ``LX`` transfer, which go on in the background. Only
execution has a capital X in its name: the viewer draws arrows between such stages. Arrows are from
what kept a unit or a register busy to what waited for it. A sleeping hart is one ``ZZ``.

Events of a cycle may be known long before it, so they are sorted block by block.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.isa import decode
from gnomon.observe.trace._timeline import timeline

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from gnomon.arch import Architecture
    from gnomon.observe.trace._timeline import Array, Timeline
    from gnomon.program import Program
    from gnomon.sim import Run

from gnomon.base.files import writing

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
    """Write the log of a traced run; returns the number of its lines.

    Raises:
        GnomonError: the run was not traced, or the file cannot be written.
    """
    line = timeline(run, architecture, program)
    lines = 0
    with writing(path) as file:
        for text in _texts(line):
            lines += text.count("\n")
            file.write(text.encode())
    return lines


@dataclass(frozen=True, slots=True)
class _Schedule:
    """Cycles of each instruction: first mention, decode, end of the work it leaves to a unit,
    retirement; its place among those.
    """

    begin: Array
    decoded: Array
    background: Array
    retired: Array
    rank: Array


def _schedule(line: Timeline) -> _Schedule:
    decoded, fetched = _front_end(line)
    background = _background_end(line)
    behind = line.waited if line.serial else 0
    retired = np.maximum(line.end + behind, background)
    rank = np.empty(len(line), dtype=np.int64)
    rank[np.lexsort((np.arange(len(line)), retired))] = np.arange(len(line))
    first = line.first_cycle
    return _Schedule(
        np.maximum(fetched, first), np.maximum(decoded, first), background, retired, rank
    )


class _Events:
    """Lines to be written in a cycle, which may be known long before it."""

    def __init__(self) -> None:
        self.cycles: list[Array] = []
        self.order: list[Array] = []
        self.ids: list[Array] = []
        self.texts: list[str] = []

    def add(
        self, cycles: Array, order: int, ids: Array, form: str, *columns: Iterable[object]
    ) -> None:
        """Lines of one form; its fields are the number of an instruction, then the columns."""
        self.cycles.append(cycles)
        self.order.append(np.full(len(ids), order, dtype=np.int64))
        self.ids.append(ids)
        self.texts += [form % row for row in zip(ids.tolist(), *columns, strict=True)]

    def until(self, bound: int) -> Iterator[tuple[int, str]]:
        """Take out the lines before a cycle, in order."""
        cycles, order, ids = (np.concatenate(each) for each in (self.cycles, self.order, self.ids))
        sorting = np.lexsort((ids, order, cycles))
        split = int(np.searchsorted(cycles[sorting], bound))
        texts, rest = self.texts, sorting[split:]
        self.cycles, self.order, self.ids = [cycles[rest]], [order[rest]], [ids[rest]]
        self.texts = [texts[k] for k in rest.tolist()]
        now = sorting[:split]
        yield from zip(cycles[now].tolist(), (texts[k] for k in now.tolist()), strict=True)


def _texts(line: Timeline) -> Iterator[str]:
    yield f"Kanata\t0004\nC=\t{line.first_cycle}\n"
    plan = _schedule(line)
    now = line.first_cycle
    events = _Events()
    for start in range(0, max(len(line), 1), _BLOCK):
        block = np.arange(start, min(start + _BLOCK, len(line)))
        _stages(line, events, block, plan)
        # Later blocks begin here; what comes after it waits for them.
        last = len(line) <= start + _BLOCK
        bound = _NEVER if last else int(plan.begin[start + _BLOCK])
        out: list[str] = []
        for cycle, text in events.until(bound):
            if cycle > now:
                out.append(f"C\t{cycle - now}\n")
                now = cycle
            out.append(text)
        yield "".join(out)


def _front_end(line: Timeline) -> tuple[Array, Array]:
    """First cycle of decode and of fetch: each stage takes over when the next one is free."""
    held = line.first - (0 if line.serial else line.waited)
    if not line.t13:
        return held, held
    decoded = np.where(line.before >= 0, line.before, held - 1)
    fetched = np.where(line.before_that >= 0, line.before_that, decoded - 1)
    return decoded, fetched


def _background_end(line: Timeline) -> Array:
    """First cycle after the work that an instruction leaves to a unit; 0 = none."""
    assert line.run.spans is not None
    last = np.append(line.run.spans["last"].astype(np.int64), -1)[line.span]
    # A vector unit that hangs is busy for ever; the log ends.
    return np.asarray(np.minimum(last + 1, line.end_cycle + 1), dtype=np.int64)


def _stages(line: Timeline, events: _Events, block: Array, plan: _Schedule) -> None:
    begin, decoded = plan.begin, plan.decoded
    told = [line.texts[k] for k in block.tolist()]
    events.add(
        begin[block], _BEGIN, block,
        "I\t%d\t%d\t%d\nL\t%d\t0\t%08x: %s\nL\t%d\t1\t%s, issued in cycle %d%s\n",
        block.tolist(), line.hart[block].tolist(),
        block.tolist(), line.pc[block].tolist(), (each.disassembly for each in told),
        block.tolist(), (each.function for each in told), line.issue[block].tolist(),
        (f", {slots} slots" if slots > 1 else "" for slots in line.slots[block].tolist()),
    )  # fmt: skip
    if line.t13:
        fetches = block[begin[block] < decoded[block]]
        events.add(begin[fetches], _STAGE, fetches, "S\t%d\t0\tF\n")
        decodes = block[decoded[block] < line.first[block]]
        events.add(decoded[decodes], _STAGE, decodes, "S\t%d\t0\tD\n")
    again = (
        line.again[(line.again >= block[0]) & (line.again <= block[-1])] if len(block) else block
    )
    events.add(line.first[again], _STAGE, again, "S\t%d\t0\tRT\n")
    names = np.array(["ZZ", *dict.fromkeys(_EXECUTE.values()), "EX"])
    place = {name: number for number, name in enumerate(names.tolist())}
    stage = names[[place[_EXECUTE.get(each.timing_class, "EX")] for each in told]]
    stage[line.sleeps[block]] = "ZZ"
    enters = np.maximum(line.enters[block], line.first_cycle)
    events.add(enters, _STAGE, block, "S\t%d\t0\t%s\n", stage.tolist())
    _background(line, events, block, plan)
    _waiting(line, events, block)
    _arrows(line, events, again, "wait.vcu")
    longer = plan.retired[block] > line.end[block]
    events.add(
        line.end[block[longer]], _END, block[longer], "E\t%d\t0\t%s\n", stage[longer].tolist()
    )
    events.add(
        plan.retired[block], _RETIRE, block, "R\t%d\t%d\t%d\n",
        plan.rank[block].tolist(), line.traps[block].tolist(),
    )  # fmt: skip


def _background(line: Timeline, events: _Events, block: Array, plan: _Schedule) -> None:
    run = line.run
    assert run.spans is not None
    assert run.span_operands is not None
    started = block[line.span[block] >= 0]
    units = run.spans["unit"][line.span[started]]
    names = np.where(units < 0, "LX", "VX")
    events.add(
        line.issue[started], _STAGE, started, "S\t%d\t2\t%s\nL\t%d\t1\t\\n%s: %d bytes\n",
        names.tolist(), started.tolist(),
        ("transfer" if unit < 0 else f"vector unit {unit}" for unit in units.tolist()),
        run.span_operands["size_bytes"][line.span[started]].tolist(),
    )  # fmt: skip
    early = plan.background[started] < plan.retired[started]
    ends = started[early]
    events.add(plan.background[ends], _END, ends, "E\t%d\t2\t%s\n", names[early].tolist())


def _waiting(line: Timeline, events: _Events, block: Array) -> None:
    """Lane 1, and the arrows from what was waited for."""
    for name, start, end in line.wait_spans():
        held = block[start[block] < end[block]]
        label = name.replace(".", "-")
        begins = np.maximum(start[held], line.first_cycle)
        events.add(begins, _STAGE, held, f"S\t%d\t1\t{label}\n")
        events.add(end[held], _END, held, f"E\t%d\t1\t{label}\n")
        if not line.serial:
            _arrows(line, events, held, name)


def _arrows(line: Timeline, events: _Events, held: Array, cause: str) -> None:
    if cause == "wait.operand":
        producers = np.array([_writer(line, k) for k in held.tolist()], dtype=np.int64)
    else:
        producers = _users(line, held, lsu=cause == "wait.lsu")
    known = producers >= 0
    consumers = held[known]
    events.add(
        line.issue[consumers], _ARROW, consumers, "W\t%d\t%d\t0\n", producers[known].tolist()
    )


def _users(line: Timeline, held: Array, *, lsu: bool) -> Array:
    """The last instruction before each that used the LSU, or its hart's vector unit; -1 = none."""
    found = np.full(len(held), -1, dtype=np.int64)
    assert line.run.spans is not None
    if lsu:
        users = [np.flatnonzero(line.classes("kmem", "store", "amo"))]
        groups = [np.arange(len(held))]
    else:
        unit = np.append(line.run.spans["unit"].astype(np.int64), -1)[line.span]
        shared = line.shared_vector_unit
        users = [np.flatnonzero(unit == u) for u in range(1 if shared else len(line.run.harts))]
        groups = [
            np.arange(len(held)) if shared else np.flatnonzero(line.hart[held] == u)
            for u in range(len(users))
        ]
    for candidates, group in zip(users, groups, strict=True):
        ordered = candidates[np.argsort(line.issue[candidates], kind="stable")]
        place = np.searchsorted(line.issue[ordered], line.issue[held[group]]) - 1
        if len(ordered):
            found[group] = np.where(place >= 0, ordered[np.maximum(place, 0)], -1)
    return found


def _writer(line: Timeline, k: int) -> int:
    """The last instruction of the hart that wrote a register which this one reads; -1 = none."""
    decoded = decode(int(line.word[k]))
    if decoded is None:
        return -1
    read = {decoded.rs1, decoded.rs2} - {0}
    for other in range(k - 1, max(-1, k - 1 - _LOOK_BACK), -1):
        writer = decode(int(line.word[other])) if line.hart[other] == line.hart[k] else None
        if writer is not None and writer.rd in read:
            return other
    return -1
