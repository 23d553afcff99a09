"""Recordings: activity from VCD, FST and SAIF; traces of a run for viewers and power tools."""

from gnomon.observe.trace._activity import Activity
from gnomon.observe.trace._read import read_activity
from gnomon.observe.trace._saif_write import write_saif
from gnomon.observe.trace._writers import TraceFiles

__all__ = ["Activity", "TraceFiles", "read_activity", "write_saif"]
