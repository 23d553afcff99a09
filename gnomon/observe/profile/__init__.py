"""Profiles: cycles, energy and stalls by function, source line, instruction and call path."""

from gnomon.observe.profile._formats import ProfileFiles
from gnomon.observe.profile._library import COPIES, count_library_cycles
from gnomon.observe.profile._profile import RunProfile

__all__ = ["COPIES", "ProfileFiles", "RunProfile", "count_library_cycles"]
