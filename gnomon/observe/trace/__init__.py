"""Recordings: activity from VCD, FST and SAIF, and traces of runs for viewers and power tools."""

from gnomon.observe.trace._activity import NetActivity
from gnomon.observe.trace._log import LOG_COLUMNS
from gnomon.observe.trace._read import read_activity
from gnomon.observe.trace._saif_write import write_saif
from gnomon.observe.trace._writers import TraceFiles, parse_window

__all__ = [
    "LOG_COLUMNS", "NetActivity", "TraceFiles", "parse_window", "read_activity", "write_saif",
]  # fmt: skip
