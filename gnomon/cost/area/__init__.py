"""Price: what a machine takes on an FPGA, with the source and interval of every part."""

from __future__ import annotations

from gnomon.cost.area._area import Area, AreaPart, area, half_blocks
from gnomon.cost.area._figure import KINDS, RESOURCES, Figure, Kind, Resource, Resources
from gnomon.cost.area._synthesis import SynthesisRow, read_synthesis_rows
from gnomon.cost.area._table import AreaTable, area_table_names, read_area_table

__all__ = [
    "KINDS",
    "RESOURCES",
    "Area",
    "AreaPart",
    "AreaTable",
    "Figure",
    "Kind",
    "Resource",
    "Resources",
    "SynthesisRow",
    "area",
    "area_table_names",
    "half_blocks",
    "read_area_table",
    "read_synthesis_rows",
]
