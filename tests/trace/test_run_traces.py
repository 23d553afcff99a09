"""Traces of a run: read back by readers of their own, and held against the run."""

from __future__ import annotations

import csv
import gzip
import itertools
import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import GnomonError
from gnomon.observe.trace import LOG_COLUMNS, parse_window, read_activity
from gnomon.observe.trace._kanata import write_kanata
from gnomon.observe.trace._model import run_activity, write_vcd
from gnomon.observe.trace._perfetto import write_perfetto
from gnomon.observe.trace._timeline import build_timeline
from gnomon.observe.trace._writers import write_log
from gnomon.program import Program, load_elf
from gnomon.sim import Region, Run, TraceWindow, simulate
from tests.trace.konata import read_konata

PROGRAMS = Path(__file__).parents[1] / "reference" / "t13x" / "programs"
MACHINES = {
    "p_conv_h1_s4": ("t13-simd4", []),
    "p_matmul_h3_s1": ("t13-simd1", ["vcu.sharing=multithreaded"]),
    "p_dotps_h3_s4_rep": ("t13-simd4", ["vcu.sharing=replicated"]),
    "p_irq0": ("t13-simd4", []),
    "p00": ("t13-simd4", ["core.superscalar=false"]),
}
Traced = tuple[Run, Architecture, Program]


def load(name: str) -> tuple[Program, Architecture]:
    machine, overrides = MACHINES[name]
    return load_elf(PROGRAMS / f"{name}.elf"), load_architecture(machine, overrides)


@pytest.fixture(scope="module", params=list(MACHINES))
def traced(request: pytest.FixtureRequest) -> Traced:
    program, architecture = load(request.param)
    return simulate(program, architecture, trace=True), architecture, program


def test_timeline_has_every_cycle(traced: Traced) -> None:
    """Slots, stays and waits of the instructions are those of the run's own accounts."""
    run, architecture, program = traced
    line = build_timeline(run, architecture, program)
    assert line.slots.sum() == sum(hart.issued for hart in run.harts)
    # The last instruction may stay, or wait after execute, beyond the end of the run.
    ends = line.end + (sum(line.waits.values()) if line.serial else 0)
    beyond = max(0, int(ends.max()) - run.wall_cycles)
    for hart in range(len(run.harts)):
        mine = line.hart == hart
        for cause in ("wait.lsu", "wait.vcu"):
            booked = line.waits[cause][mine].sum()
            assert 0 <= booked - run.counters.get(f"hart{hart}.{cause}", 0) <= beyond
        awake = mine & ~line.sleeps
        stay = (line.end - line.issue)[awake].sum() + (line.slots - 1)[awake].sum()
        causes = ("issue.", "execute.", "retry.", "trap")
        expected = sum(
            cycles
            for name, cycles in run.counters.items()
            if name.startswith(tuple(f"hart{hart}.{cause}" for cause in causes))
        )
        assert 0 <= stay - expected <= beyond


def test_kanata(traced: Traced, tmp_path: Path) -> None:
    run, architecture, program = traced
    line = build_timeline(run, architecture, program)
    path = tmp_path / "run.kanata.log.gz"
    written = write_kanata(run, architecture, program, path)
    text = gzip.decompress(path.read_bytes()).decode()
    assert text.count("\n") >= written > len(line) * 5
    first, ops = read_konata(text)
    assert first == 0
    assert len(ops) == len(line)
    assert run.spans is not None
    for k, op in enumerate(ops):
        assert op.thread == line.hart[k]
        assert op.label == f"{int(line.pc[k]):08x}: {line.texts[k].disassembly}"
        execute = [s for s in op.stages if s[0] == "0" and (s[1].startswith("EX") or s[1] == "ZZ")]
        begins = int(line.first[k] if line.sleeps[k] else line.issue[k])
        assert [(s[2], s[3]) for s in execute] == [(begins, int(line.end[k]))]
        for name in ("wait.lsu", "wait.vcu"):
            lengths = [s[3] - s[2] for s in op.stages if s[1] == name.replace(".", "-")]
            assert sum(lengths) == line.waits[name][k]
        retry = [(s[2], s[3]) for s in op.stages if s[1] == "RT"]
        tried = line.first[k] < line.issue[k] and not line.sleeps[k]
        assert retry == ([(line.first[k], line.issue[k])] if tried else [])
        work = [(s[1], s[2], s[3]) for s in op.stages if s[0] == "2"]
        if line.span[k] >= 0:
            span = run.spans[line.span[k]]
            name = "LX" if span["unit"] < 0 else "VX"
            assert work == [(name, span["start"], min(span["last"], run.wall_cycles) + 1)]
        else:
            assert work == []
        assert op.flushed == line.traps[k]
        # In the pipeline of the T13 an instruction is in one stage of lane 0 at a time.
        lane = sorted(s[2:] for s in op.stages if s[0] == "0")
        assert all(a[1] == b[0] for a, b in itertools.pairwise(lane))
        assert all("X" not in s[1] for s in op.stages if s[1] in {"F", "D", "RT", "ZZ"})
    if "wait.lsu" in str(run.counters) and not line.serial:
        assert any(op.producers for op in ops)


def test_kanata_stages_of_the_pipeline(traced: Traced, tmp_path: Path) -> None:
    """One instruction in F, in D and in execute at a time, on a T13 that is superscalar."""
    run, architecture, program = traced
    if not architecture.core.superscalar:
        return
    path = tmp_path / "run.kanata.log"
    write_kanata(run, architecture, program, path)
    held = Counter(
        (stage[:2] if stage[:1] in ("F", "D") else "EX", cycle)
        for op in read_konata(path.read_text())[1]
        for lane, stage, begin, end in op.stages
        if lane == "0" and stage not in ("ZZ", "RT")
        for cycle in range(begin, end)
    )
    assert max(held.values()) == 1


def check_nesting(events: list[dict[str, object]]) -> None:
    """Slices of a track never overlap: the trace processor would drop or bend them."""
    ends: dict[tuple[object, object], float] = {}
    for event in events:
        if event["ph"] == "X":
            track = event["pid"], event["tid"]
            assert event["ts"] >= ends.get(track, 0), event
            assert event["dur"] > 0
            ends[track] = event["ts"] + event["dur"]


def test_perfetto(traced: Traced, tmp_path: Path) -> None:
    run, architecture, program = traced
    line = build_timeline(run, architecture, program)
    path = tmp_path / "run.json"
    assert write_perfetto(run, architecture, program, path) == -1
    data = json.loads(path.read_text())
    events = data["traceEvents"]
    check_nesting(events)
    names = {
        (e["pid"], e["tid"]): e["args"]["name"] for e in events if e.get("name") == "thread_name"
    }
    on: Counter[str] = Counter()
    cycles: Counter[str] = Counter()
    for event in events:
        if event["ph"] == "X":
            track = names[event["pid"], event["tid"]]
            on[track] += 1
            cycles[track] += event["dur"]
    end = run.wall_cycles
    clipped = np.minimum(line.end, end)
    for hart in range(len(run.harts)):
        mine = line.hart == hart
        starts = np.where(line.sleeps, line.first, line.issue)
        seen = mine & (line.end < end) if line.serial else mine  # the run may end before its wait
        waits = sum(np.count_nonzero(line.waits[name][seen]) for name in line.waits)
        tries = np.count_nonzero((line.first < line.issue)[mine] & ~line.sleeps[mine])
        assert on[f"hart {hart}"] == np.count_nonzero(mine & (clipped > starts)) + waits + tries
    assert run.spans is not None
    for unit in range(1 if line.shared_vector_unit else len(run.harts)):
        mine = run.spans[run.spans["unit"] == unit]
        busy = (np.minimum(mine["last"] + 1, end) - mine["start"]).sum()
        assert on[f"accelerator {unit}"] == len(mine)
        assert cycles[f"accelerator {unit}"] == busy
    transfers = int((run.spans["unit"] == -1).sum())
    assert sum(n for name, n in on.items() if name.endswith("transfers")) == transfers
    flows = Counter(e["ph"] for e in events)
    assert flows["s"] == flows["f"] == len(run.spans)


def test_perfetto_is_cut_with_a_word(tmp_path: Path) -> None:
    program, architecture = load("p_conv_h1_s4")
    run = simulate(program, architecture, trace=True)
    path = tmp_path / "run.json"
    cut = write_perfetto(run, architecture, program, path, max_events=500)
    data = json.loads(path.read_text())
    events = [e for e in data["traceEvents"] if e["ph"] != "M"]
    assert 0 < cut < run.wall_cycles
    assert 400 < len(events) <= 500
    assert all(e["ts"] < cut for e in events)
    assert str(cut) in data["otherData"]["cut"]


def test_vcd_has_the_activity_of_the_run(traced: Traced, tmp_path: Path) -> None:
    run, architecture, _ = traced
    path = tmp_path / "run.vcd"
    write_vcd(run, architecture, path)
    read, model = read_activity(path), run_activity(run, architecture)
    assert read.duration == model.duration

    def figures(activity: object) -> dict[str, tuple[int, ...]]:
        return {
            f"{signal.instance}/{signal.label}": (
                activity.signal_toggles(signal), *activity.signal_times(signal),
            )
            for signal in activity.signals
        }  # fmt: skip

    seen, expected = figures(read), figures(model)
    clock = next(name for name in seen if name.endswith("/clk"))
    # The model counts the first edge, which a recording begins with.
    assert seen.pop(clock)[0] == expected.pop(clock)[0] - 1
    assert seen == expected


def test_log(traced: Traced, tmp_path: Path) -> None:
    run, architecture, program = traced
    line = build_timeline(run, architecture, program)
    path = tmp_path / "run.csv"
    assert write_log(run, architecture, program, path) == len(line)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == LOG_COLUMNS
    assert [int(row["issue_cycle"]) for row in rows] == line.issue.tolist()
    assert [int(row["pc"], 16) for row in rows] == line.pc.tolist()
    assert [row["disassembly"] for row in rows] == [text.disassembly for text in line.texts]
    assert sum(int(row["slots"]) for row in rows) == sum(hart.issued for hart in run.harts)


def plain(run: Run) -> tuple[object, ...]:
    return run.counters, run.exit_code, run.memory_crc32, run.printed, run.harts, run.vector_work


@pytest.mark.parametrize("name", list(MACHINES))
def test_windows_change_nothing(name: str) -> None:
    """A window holds what a trace of the whole run has there, and the run is the same."""
    program, architecture = load(name)
    alone = simulate(program, architecture)
    whole = simulate(program, architecture, trace=True)
    assert whole.trace is not None
    assert plain(whole) == plain(alone)
    end = alone.wall_cycles
    cycles = whole.trace["cycle"].astype(np.int64)
    for first, last in ((end // 3, 2 * end // 3), (0, 100), (end - 50, None)):
        part = simulate(program, architecture, trace=True, window=TraceWindow(first, last))
        assert plain(part) == plain(alone)
        assert part.trace_windows == ((first, end if last is None else last),)
        inside = (cycles >= first) & (cycles < (end if last is None else last))
        before = int(np.searchsorted(cycles, first)) - 1
        inside[max(before, 0)] |= before >= 0  # what is in execute when the window begins
        assert part.trace is not None
        assert np.array_equal(part.trace, whole.trace[inside])


def test_window_of_a_function(tmp_path: Path) -> None:
    program, architecture = load("p_irq0")
    whole = simulate(program, architecture, trace=True)
    assert whole.trace is not None
    function = next(
        s for s in program.symbols
        if s.kind != "object" and np.count_nonzero(whole.trace["pc"] == s.address) > 3
    )  # fmt: skip
    for entry in (1, 2, None):
        window = TraceWindow(region=Region("x", function.address, function.address), entry=entry)
        run = simulate(program, architecture, trace=True, window=window)
        assert plain(run) == plain(simulate(program, architecture))
        assert "(window)" not in run.regions
        assert run.trace is not None
        rows = run.trace
        assert int(rows["pc"][0]) == function.address
        inside = np.isin(whole.trace["cycle"], rows["cycle"])
        assert np.array_equal(whole.trace[inside], rows)
        assert (len(run.trace_windows) == 1) == (entry is not None)


def test_recording_ends_at_its_limit() -> None:
    program, architecture = load("p_conv_h1_s4")
    run = simulate(program, architecture, trace=True, window=TraceWindow(max_slots=100))
    assert run.trace_cut
    assert plain(run) == plain(simulate(program, architecture))
    assert run.trace is not None
    assert 100 <= len(run.trace) < sum(hart.issued for hart in run.harts)


def test_window_texts() -> None:
    program, _ = load("p_irq0")
    name = next(s for s in program.symbols if s.kind in {"function", "none"}).name
    assert parse_window("10:20", program) == TraceWindow(10, 20)
    assert parse_window(":20", program) == TraceWindow(0, 20)
    assert parse_window("1_000:", program) == TraceWindow(1000)
    address = program.symbol(name).address
    assert parse_window(name, program).region == Region("window", address)
    assert parse_window(f"{name}@3", program).entry == 3
    assert parse_window(f"{name}@all", program).entry is None
    assert parse_window("0x80:0x90@2", program).region == Region("window", 0x80, 0x90)
    for text, message in (
        ("20:10", "--trace-window 20:10: a window from cycle 20 to 10 holds no cycle; cycles"),
        (f"{name}@0", f"--trace-window {name}@0: @ needs a number from 1, or all"),
        (":", "--trace-window :: not a window; a window is FIRST:END in cycles"),
        ("no_such", "--trace-window no_such: p_irq0: no symbol 'no_such'"),
    ):  # fmt: skip
        with pytest.raises(GnomonError) as caught:
            parse_window(text, program)
        assert str(caught.value).startswith(message)


def test_nothing_recorded_is_said(tmp_path: Path) -> None:
    program, architecture = load("p_conv_h1_s4")
    run = simulate(program, architecture, trace=True, window=TraceWindow(10**9))
    for write in (write_kanata, write_perfetto, write_log):
        with pytest.raises(GnomonError, match="nothing was recorded"):
            write(run, architecture, program, tmp_path / "x")
    assert list(tmp_path.iterdir()) == []
