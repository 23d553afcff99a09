"""Recordings: activity from VCD, FST and SAIF; traces of a run for viewers and power tools."""

from gnomon.observe.trace._read import read_activity
from gnomon.observe.trace._saif_write import write_saif
from gnomon.observe.trace._selection import Selection
from gnomon.observe.trace._text import print_activity
from gnomon.observe.trace._writers import LOG_COLUMNS, TraceFiles, parse_window

__all__ = [
    "LOG_COLUMNS", "Selection", "TraceFiles", "parse_window", "print_activity", "read_activity",
    "write_saif",
]  # fmt: skip
