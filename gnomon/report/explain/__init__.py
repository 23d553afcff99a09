"""Ask any number for its source: the chain down to the row of a table and where that is from."""

from gnomon.report.explain._resolve import explain_quantity
from gnomon.report.explain._sources import read_sidecar

__all__ = ["explain_quantity", "read_sidecar"]
