"""Ask any number for its source: the chain down to the row of a table and where that is from."""

from gnomon.report.explain._resolve import explain
from gnomon.report.explain._sources import read_sources

__all__ = ["explain", "read_sources"]
