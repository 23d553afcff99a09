"""Ask any number for its source: the chain down to the row of a table and where that is from."""

from __future__ import annotations

from gnomon.report.explain._chain import Chain, Step
from gnomon.report.explain._resolve import explain
from gnomon.report.explain._sources import Described, FileEntry, read_sources, sources_of

__all__ = ["Chain", "Described", "FileEntry", "Step", "explain", "read_sources", "sources_of"]
