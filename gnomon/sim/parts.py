"""Parts of the engine, for benches that drive it one instruction at a time.

The state consists of records with the fields of :mod:`._structs`, which may change at any version.
"""

from gnomon.sim._latencies import property_number
from gnomon.sim._reset import build_machine

__all__ = ["build_machine", "property_number"]
