"""gnomon's T13-compatible machine in SystemVerilog: its parameters, and a core for lock-step."""

from gnomon.rtl.machine._simulation import MachineCore

__all__ = ["MachineCore"]
