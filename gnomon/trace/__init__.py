"""Recordings: switching activity from VCD, FST and SAIF files, and SAIF from a run."""

from __future__ import annotations

from gnomon.trace._activity import (
    STATES,
    Activity,
    ClockSeen,
    InstanceActivity,
    Signal,
    by_instance,
)
from gnomon.trace._clock import check_clock, measured_clock_hz
from gnomon.trace._model import run_activity
from gnomon.trace._read import read_activity
from gnomon.trace._saif_write import saif_text, write_saif
from gnomon.trace._text import activity_csv, activity_json, activity_rows, print_activity
from gnomon.trace._time import parse_moment
from gnomon.trace._vcd import Window
from gnomon.trace._writers import (
    TRACE_WRITERS,
    TraceRequest,
    TraceWriter,
    parse_trace_requests,
    write_traces,
)

__all__ = [
    "STATES",
    "TRACE_WRITERS",
    "Activity",
    "ClockSeen",
    "InstanceActivity",
    "Signal",
    "TraceRequest",
    "TraceWriter",
    "Window",
    "activity_csv",
    "activity_json",
    "activity_rows",
    "by_instance",
    "check_clock",
    "measured_clock_hz",
    "parse_moment",
    "parse_trace_requests",
    "print_activity",
    "read_activity",
    "run_activity",
    "saif_text",
    "write_saif",
    "write_traces",
]
