"""Recordings: activity from VCD, FST and SAIF; traces of a run for viewers and power tools."""

from gnomon.observe.trace._activity import Activity
from gnomon.observe.trace._writers import TraceFiles

__all__ = ["Activity", "TraceFiles"]
