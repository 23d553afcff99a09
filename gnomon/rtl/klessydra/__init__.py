"""Lock-step of the simulator with a user's own checkout of the Klessydra-T13 RTL."""

from gnomon.rtl.klessydra._fast import fast_core
from gnomon.rtl.klessydra._ghdl import Build, find_ghdl
from gnomon.rtl.klessydra._observe import GhdlCore
from gnomon.rtl.klessydra._record import Conditions

__all__ = ["Build", "Conditions", "GhdlCore", "fast_core", "find_ghdl"]
