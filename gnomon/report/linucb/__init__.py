"""The report of the experiment ``linucb``: page, tables and figures."""

from __future__ import annotations

from gnomon.report.canvas import COLOURS, render
from gnomon.report.linucb._claims import Claim, claims
from gnomon.report.linucb._write import write_linucb

__all__ = ["COLOURS", "Claim", "claims", "render", "write_linucb"]
