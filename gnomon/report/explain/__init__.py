"""Provenance of any number: the chain from the number to a row of a table and its source."""

from gnomon.report.explain._resolve import explain_quantity
from gnomon.report.explain._sources import read_sidecar

__all__ = ["explain_quantity", "read_sidecar"]
