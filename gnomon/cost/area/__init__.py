"""Price: what a machine takes on an FPGA, with the source and interval of every part."""

from __future__ import annotations

from gnomon.cost.area._area import Area, area
from gnomon.cost.area._figure import KINDS, RESOURCES, Resources
from gnomon.cost.area._synthesis import SynthesisRow, read_synthesis_rows
from gnomon.cost.area._table import AreaTable

__all__ = [
    "KINDS",
    "RESOURCES",
    "Area",
    "AreaTable",
    "Resources",
    "SynthesisRow",
    "area",
    "read_synthesis_rows",
]
