"""Our own T13-compatible machine in SystemVerilog: its parameters, and as a core of lock-step."""

from gnomon.rtl.machine._simulation import MachineCore

__all__ = ["MachineCore"]
