"""Perfetto's own reader of traces, on the traces of every machine: all slices, none dropped."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.observe.trace._perfetto import write_perfetto
from gnomon.sim import TraceWindow, simulate
from tests.report.browser import chromium
from tests.trace.perfetto_processor import trace_processor
from tests.trace.test_run_traces import MACHINES, load

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


def written(name: str, path: Path) -> list[dict[str, Any]]:
    program, architecture = load(name)
    run = simulate(program, architecture, trace=True, window=TraceWindow(0, 4000))
    write_perfetto(run, architecture, program, path)
    events: list[dict[str, Any]] = json.loads(path.read_text())["traceEvents"]
    return events


def test_every_slice_arrives(browser: Browser, tmp_path: Path) -> None:
    for name in MACHINES:
        _assert_every_slice_arrives(browser, written(name, tmp_path / "run.json"), tmp_path)


def _assert_every_slice_arrives(
    browser: Browser, events: list[dict[str, Any]], folder: Path
) -> None:
    kinds = Counter(event["ph"] for event in events)
    tracks = {
        (event["pid"], event["tid"]): event["args"]["name"]
        for event in events
        if event["ph"] == "M" and event["name"] == "thread_name"
    }
    expected = Counter(
        (tracks[event["pid"], event["tid"]], event["name"], 1000 * event["ts"], 1000 * event["dur"])
        for event in events
        if event["ph"] == "X"
    )
    with trace_processor(browser) as processor:
        processor.load(folder / "run.json")
        assert not processor.rows(
            "select name, value from stats where severity in ('error', 'data_loss') and value > 0"
        )
        found = processor.rows(
            "select thread.name as track, slice.name as name, slice.ts as ts, slice.dur as dur"
            " from slice join thread_track on slice.track_id = thread_track.id"
            " join thread using (utid)"
        )
        assert Counter((row["track"], row["name"], row["ts"], row["dur"]) for row in found) == (
            expected
        )
        assert processor.rows("select count(*) as n, max(depth) as depth from slice") == [
            {"n": kinds["X"], "depth": 0}
        ]
        assert processor.rows("select count(*) as n from flow") == [{"n": kinds["s"]}]


def test_a_slice_that_ends_late_is_noticed(browser: Browser, tmp_path: Path) -> None:
    """The comparison above can fail: overlapping slices of a track are clamped or dropped."""
    path = tmp_path / "run.json"
    written("p_irq0", path)
    data = json.loads(path.read_text())
    first = next(event for event in data["traceEvents"] if event["ph"] == "X")
    first["dur"] += 100.5
    path.write_text(json.dumps(data))
    with trace_processor(browser) as processor:
        processor.load(path)
        lost = processor.rows(
            "select name, value from stats where severity in ('error', 'data_loss') and value > 0"
        )
        (depth,) = processor.rows("select max(depth) as depth from slice")
    assert lost or depth["depth"] > 0
