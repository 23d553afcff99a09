"""Recordings: activity from VCD, FST and SAIF; traces of a run for viewers and power tools."""

from __future__ import annotations

from gnomon.observe.trace._activity import parse_moment
from gnomon.observe.trace._nets import check_clock
from gnomon.observe.trace._read import read_activity
from gnomon.observe.trace._saif_write import write_saif
from gnomon.observe.trace._text import By, activity_csv, activity_json, print_activity
from gnomon.observe.trace._vcd import Window
from gnomon.observe.trace._writers import (
    LOG_COLUMNS,
    parse_trace_requests,
    parse_window,
    write_traces,
)

__all__ = [
    "LOG_COLUMNS", "By", "Window", "activity_csv", "activity_json", "check_clock",
    "parse_moment", "parse_trace_requests", "parse_window", "print_activity", "read_activity",
    "write_saif", "write_traces",
]  # fmt: skip
