"""Profile: cycles, energy and stalls of a run by function, source line, instruction, call path."""

from gnomon.observe.profile._formats import ProfileFiles
from gnomon.observe.profile._profile import RunProfile

__all__ = ["ProfileFiles", "RunProfile"]
