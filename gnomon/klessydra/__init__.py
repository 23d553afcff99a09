"""Lock-step of the simulator with a user's checkout of the Klessydra-T13 RTL."""

from gnomon.klessydra._fast import FastCore
from gnomon.klessydra._observe import GhdlCore

__all__ = ["FastCore", "GhdlCore"]
