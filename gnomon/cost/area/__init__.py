"""Price: what a machine takes on an FPGA, with the source and interval of every part."""

from gnomon.cost.area._area import Area
from gnomon.cost.area._synthesis import SynthesisRow
from gnomon.cost.area._table import Resources

__all__ = ["Area", "Resources", "SynthesisRow"]
