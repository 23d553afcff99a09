"""Recordings: activity from VCD, FST and SAIF; traces of a run for viewers and power tools."""

from __future__ import annotations

from gnomon.observe.trace._activity import (
    STATES,
    Activity,
    ClockSeen,
    InstanceActivity,
    Signal,
    by_instance,
    parse_moment,
)
from gnomon.observe.trace._kanata import write_kanata
from gnomon.observe.trace._model import run_activity, write_vcd
from gnomon.observe.trace._nets import check_clock, measured_clock_hz
from gnomon.observe.trace._perfetto import write_perfetto
from gnomon.observe.trace._read import read_activity
from gnomon.observe.trace._saif_write import saif_text, write_saif
from gnomon.observe.trace._text import (
    By,
    activity_csv,
    activity_json,
    activity_rows,
    print_activity,
)
from gnomon.observe.trace._timeline import Timeline, timeline
from gnomon.observe.trace._vcd import Window
from gnomon.observe.trace._writers import (
    LOG_COLUMNS,
    TRACE_WRITERS,
    parse_trace_requests,
    parse_window,
    write_log,
    write_traces,
)

__all__ = [
    "LOG_COLUMNS", "STATES", "TRACE_WRITERS", "Activity", "By", "ClockSeen", "InstanceActivity",
    "Signal", "Timeline", "Window", "activity_csv", "activity_json",
    "activity_rows", "by_instance", "check_clock", "measured_clock_hz", "parse_moment",
    "parse_trace_requests", "parse_window", "print_activity", "read_activity", "run_activity",
    "saif_text", "timeline", "write_kanata", "write_log", "write_perfetto", "write_saif",
    "write_traces", "write_vcd",
]  # fmt: skip
