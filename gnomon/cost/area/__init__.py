"""FPGA area of a machine, with source and interval of every part."""

from gnomon.cost.area._area import Area, list_area_keys
from gnomon.cost.area._synthesis import SynthesisRow, read_synthesis_rows
from gnomon.cost.area._table import KINDS, RESOURCES, Resources

__all__ = [
    "KINDS", "RESOURCES", "Area", "Resources", "SynthesisRow", "list_area_keys",
    "read_synthesis_rows",
]  # fmt: skip
