"""Our own T13-compatible machine in SystemVerilog: its parameters, simulation, lock-step."""

from gnomon.rtl.machine._lockstep import run_both
from gnomon.rtl.machine._parameters import machine_parameters
from gnomon.rtl.machine._simulation import MachineCore

__all__ = ["MachineCore", "machine_parameters", "run_both"]
