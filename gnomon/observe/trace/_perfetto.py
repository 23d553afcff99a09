"""Chrome trace JSON for the Perfetto UI and its trace processor.

One cycle is one microsecond, so times are whole numbers. Slices of a track never overlap. Tracks:
each hart, load-store unit, multiplier, divider, each accelerator of the vector unit, and two per
scratchpad, for the vector unit and for transfers. A flow leads from an instruction to the work that
it starts.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.base.files import writing
from gnomon.isa import decode_word
from gnomon.observe.trace._timeline import Array, Timeline, build_timeline
from gnomon.program import Program
from gnomon.sim import Run

MAX_EVENTS = 1_000_000
"""Largest number of events written, which browser viewers can handle."""

HARTS, UNITS, VECTOR, SCRATCHPADS = range(4)
"""Processes of the file, in the order shown."""

_PROCESSES = ("harts", "execute units", "vector unit", "scratchpads")
_LSU, _MULTIPLIER, _DIVIDER, _UNITS = range(4)
_UNIT_NAMES = ("load-store unit", "multiplier", "divider", "user-defined units")
_UNIT_OF_CLASS = {
    "load": _LSU, "store": _LSU, "amo": _LSU,
    "mul": _MULTIPLIER, "mulh": _MULTIPLIER, "div": _DIVIDER, "unit": _UNITS,
}  # fmt: skip
_Number = TypeVar("_Number", int, "npt.NDArray[np.int64]")

_BLOCK = 50_000
_THREADS = 1000  # at most, of a process


class _Slices:
    """Slices of a file: rows of start, end, track and number of the text, and the texts."""

    def __init__(self) -> None:
        self.parts: list[Array] = [np.zeros((4, 0), dtype=np.int64)]
        self.texts: dict[str, int] = {}

    def add(self, start: Array, end: Array, track: Array, texts: list[str]) -> None:
        """Add slices; a track is ``process << 32 | thread``."""
        known = self.texts
        called = np.array([known.setdefault(text, len(known)) for text in texts], dtype=np.int64)
        self.parts.append(np.stack((start, end, track, called)))


def write_perfetto(
    run: Run,
    architecture: Architecture,
    program: Program,
    path: Path,
    *,
    max_events: int = MAX_EVENTS,
) -> int:
    """Write the file of a traced run; return the cycle at which it was cut, or -1.

    Raises:
        GnomonError: if ``max_events`` is below 1, or the run was not traced.
    """
    if max_events < 1:
        raise GnomonError(f"a trace needs at least 1 event, not {max_events}")
    line = build_timeline(run, architecture, program)
    slices = _Slices()
    _add_harts(line, slices)
    _add_units(line, slices)
    _add_background(line, architecture, slices)
    start, end, track, called = np.concatenate(slices.parts, axis=1)
    end = np.minimum(end, line.end_cycle)
    start = np.maximum(start, line.first_cycle)
    chosen = np.flatnonzero(start < end)
    chosen = chosen[np.lexsort((track[chosen], -end[chosen], start[chosen]))]
    flows = np.flatnonzero(line.span >= 0)
    flow_cycles = line.issue[flows]
    cut = -1
    times = np.sort(np.concatenate([start[chosen], flow_cycles, flow_cycles]))
    if len(times) > max_events:
        cut = int(times[max_events])
        chosen = chosen[start[chosen] < cut]
        flows = flows[flow_cycles < cut]
    with writing(path) as file:
        file.write(b'{"displayTimeUnit": "ns",\n')
        file.write(
            f'"otherData": {json.dumps(_describe_trace(line, architecture, cut))},\n'.encode()
        )
        file.write(b'"traceEvents": [\n' + _format_metadata(line, architecture).encode())
        for first in range(0, len(chosen), _BLOCK):
            block = chosen[first : first + _BLOCK]
            ends = _format_tails(
                list(slices.texts), called[block], end[block] - start[block], track[block]
            )
            file.write("".join(
                f',\n{{"ph":"X","ts":{ts},{tail}'
                for ts, tail in zip(start[block].tolist(), ends, strict=True)
            ).encode())  # fmt: skip
        file.write("".join(_format_flows(line, flows)).encode())
        file.write(b"\n]}\n")
    return cut


def _format_tails(texts: list[str], called: Array, duration: Array, track: Array) -> Iterator[str]:
    """Return the JSON of slices after their start time; equal ones are formatted once."""
    tracks, on = np.unique(track, return_inverse=True)
    durations, long = np.unique(duration, return_inverse=True)
    keys = (called * len(tracks) + on) * len(durations) + long
    _, examples, kind = np.unique(keys, return_index=True, return_inverse=True)
    columns = (called[examples], duration[examples],
               *_ids(track[examples] >> 32, track[examples] & 0xFFFF_FFFF))  # fmt: skip
    found = [
        f'"dur":{dur},"pid":{pid},"tid":{tid},{texts[k]}}}'
        for k, dur, pid, tid in zip(*(c.tolist() for c in columns), strict=True)
    ]
    return (found[k] for k in kind.tolist())


def _describe_trace(line: Timeline, architecture: Architecture, cut: int) -> dict[str, object]:
    about: dict[str, object] = {
        "program": line.run.program,
        "machine": architecture.name,
        "clock_hz": int(architecture.clock),
        "time": "1 us is 1 cycle",
        "first_cycle": line.first_cycle,
        "end_cycle": line.end_cycle if cut < 0 else cut,
    }
    if cut >= 0:
        about["cut"] = f"what starts in cycle {cut} or later is left out: too many events"
    return about


def _ids(process: _Number, thread: _Number) -> tuple[_Number, _Number]:
    """Return the numbers of a process and a thread in the file, readable in decimal.

    Thread numbers are unique over all processes and never 0: the trace processor identifies a
    thread by its number alone and takes 0 as the idle thread of a system.
    """
    return process + 1, (process + 1) * _THREADS + thread


def _number_track(process: int, thread: Array | int) -> Array:
    return np.asarray((process << 32) + np.asarray(thread, dtype=np.int64))


def _format_metadata(line: Timeline, architecture: Architecture) -> str:
    """Return the metadata: names of processes and threads, in the order shown."""
    threads = [(HARTS, h, f"hart {h}") for h in range(len(line.run.harts))]
    threads += [
        (UNITS, number, name)
        for number, name in enumerate(_UNIT_NAMES)
        if number != _UNITS or architecture.units
    ]
    vcu = architecture.vcu
    if vcu is not None:
        count = vcu.scratchpads.count
        units = 1 if line.shared_vector_unit else len(line.run.harts)
        for unit in range(units):
            threads.append((VECTOR, unit, f"accelerator {unit}"))
            for pad in range(count):
                where = f"scratchpad {pad}" if units == 1 else f"hart {unit} scratchpad {pad}"
                for user, name in enumerate(("vector unit", "transfers")):
                    thread = 2 * (unit * count + pad) + user
                    threads.append((SCRATCHPADS, thread, f"{where}, {name}"))
    texts: list[str] = []
    for process in dict.fromkeys(process for process, _, _ in threads):
        texts += _format_one_metadata(
            "process", f'"pid":{_ids(process, 0)[0]}', _PROCESSES[process], process
        )
    for process, thread, name in threads:
        pid, tid = _ids(process, thread)
        texts += _format_one_metadata("thread", f'"pid":{pid},"tid":{tid}', name, thread)
    return ",\n".join(texts)


def _format_one_metadata(what: str, place: str, name: str, index: int) -> tuple[str, str]:
    head = f'{{"ph":"M","name":"{what}'
    return (
        f'{head}_name",{place},"args":{json.dumps({"name": name})}}}',
        f'{head}_sort_index",{place},"args":{{"sort_index":{index}}}}}',
    )


def _add_harts(line: Timeline, slices: _Slices) -> None:
    examples, kind = line.kinds
    alike = [_format_instruction(line, k) for k in examples.tolist()]
    texts = [alike[k] for k in kind.tolist()]
    for k in np.flatnonzero(line.traps | line.sleeps).tolist():
        texts[k] = _format_instruction(line, k)
    slices.add(line.enters, line.end, _number_track(HARTS, line.hart), texts)

    def waits(name: str, held: Array, start: Array, end: Array) -> None:
        called = [f'"name":"{name}","cat":"wait"'] * len(held)
        slices.add(start[held], end[held], _number_track(HARTS, line.hart[held]), called)

    for name, start, end in line.wait_spans():
        waits(name, np.flatnonzero(start < end), start, end)
    waits("wait.fetch", np.flatnonzero(line.fetch), line.end, line.end + line.fetch)
    waits("retry.vcu", line.again, line.first, line.issue)


def _format_instruction(line: Timeline, k: int) -> str:
    text = line.texts[k]
    name = "asleep" if line.sleeps[k] else text.mnemonic
    if line.traps[k]:
        name = f"trap at {name}"
    args = {"pc": f"0x{int(line.pc[k]):08x}", "code": text.disassembly, "function": text.function}
    return f'"name":"{name}","cat":"{text.timing_class}","args":{json.dumps(args)}'


def _add_units(line: Timeline, slices: _Slices) -> None:
    """Add a slice for each instruction that occupies a unit while it is in execute."""
    examples, kind = line.kinds
    classes = [line.texts[k].timing_class for k in examples.tolist()]
    unit = np.array([_UNIT_OF_CLASS.get(each, -1) for each in classes], dtype=np.int64)[kind]
    users = np.flatnonzero((unit >= 0) & ~line.traps)
    texts = [f'"name":"{line.texts[k].mnemonic}"' for k in users.tolist()]
    slices.add(line.issue[users], line.end[users], _number_track(UNITS, unit[users]), texts)


def _add_background(line: Timeline, architecture: Architecture, slices: _Slices) -> None:
    """Add slices of transfers and vector work, and of the scratchpads that they use."""
    run, vcu = line.run, architecture.vcu
    if vcu is None:
        return
    assert run.spans is not None
    assert run.span_operands is not None
    started = np.flatnonzero(line.span >= 0)
    spans, operands = run.spans[line.span[started]], run.span_operands[line.span[started]]
    columns = (started, line.hart[started], spans["unit"], spans["start"],
               spans["last"], operands["size_bytes"])  # fmt: skip
    used = _find_scratchpads(line, architecture, started, operands)
    count = int(vcu.scratchpads.count)
    rows: list[tuple[int, int, int]] = []
    texts = []
    for pads, (k, hart, unit, start, last, size_bytes) in zip(
        used, zip(*(column.tolist() for column in columns), strict=True), strict=True
    ):
        name = line.texts[k].mnemonic
        process, thread = (UNITS, _LSU) if unit < 0 else (VECTOR, unit)
        tracks = [process << 32 | thread]
        homes = [0] if line.shared_vector_unit else [hart]
        if name == "kbcastld" and not line.shared_vector_unit:
            homes = list(range(len(run.harts)))
        threads = [2 * (home * count + pad) + (unit < 0) for home in homes for pad in pads]
        tracks += [SCRATCHPADS << 32 | thread for thread in threads]
        rows += [(start, last + 1, track) for track in tracks]
        texts += [f'"name":"{name}","args":{{"bytes":{size_bytes},"hart":{hart}}}'] * len(tracks)
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    slices.add(table[:, 0], table[:, 1], table[:, 2], texts)


def _find_scratchpads(
    line: Timeline, architecture: Architecture, started: Array, operands: npt.NDArray[np.void]
) -> list[list[int]]:
    """Return the numbers of the scratchpads among the operands of each instruction."""
    assert architecture.vcu is not None
    pads = architecture.vcu.scratchpads
    words, which = np.unique(line.word[started], return_inverse=True)
    found: list[set[int]] = [set() for _ in range(len(started))]
    for name in ("rd", "rs1", "rs2"):
        named = np.array([_is_scratchpad(word, name) for word in words.tolist()], dtype=bool)
        number = (operands[name].astype(np.int64) - int(pads.base)) // int(pads.size)
        inside = (number >= 0) & (number < int(pads.count))
        chosen = np.flatnonzero(inside & named[which])
        for place, pad in zip(chosen.tolist(), number[chosen].tolist(), strict=True):
            found[place].add(pad)
    return [sorted(each) for each in found]


def _is_scratchpad(word: int, field_name: str) -> bool:
    decoded = decode_word(word, compressed=True)
    role = getattr(decoded.instruction, field_name) if decoded is not None else None
    return str(role).startswith("spm_")


def _format_flows(line: Timeline, flows: Array) -> Iterator[str]:
    assert line.run.spans is not None
    units = line.run.spans["unit"].astype(np.int64)[line.span[flows]]
    columns = (flows, line.issue[flows], line.hart[flows], units)
    for k, ts, hart, unit in zip(*(column.tolist() for column in columns), strict=True):
        common = f'"name":"starts","cat":"flow","id":{k},"ts":{ts}'
        pid, tid = _ids(HARTS, hart)
        yield f',\n{{"ph":"s",{common},"pid":{pid},"tid":{tid}}}'
        pid, tid = _ids(UNITS, _LSU) if unit < 0 else _ids(VECTOR, unit)
        yield f',\n{{"ph":"f","bp":"e",{common},"pid":{pid},"tid":{tid}}}'
