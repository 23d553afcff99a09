"""Addresses of the control and status registers that the simulator implements."""

from __future__ import annotations

from typing import Final

from gnomon.isa import CSR_ADDRESS

MSTATUS: Final = CSR_ADDRESS["mstatus"]
MTVEC: Final = CSR_ADDRESS["mtvec"]
MEPC: Final = CSR_ADDRESS["mepc"]
MCAUSE: Final = CSR_ADDRESS["mcause"]
MBADADDR: Final = CSR_ADDRESS["mbadaddr"]  # mtval on an ISA-clean core
MIP: Final = CSR_ADDRESS["mip"]
PCER: Final = CSR_ADDRESS["pcer"]
MESTATUS: Final = CSR_ADDRESS["mestatus"]
MCYCLE: Final = CSR_ADDRESS["mcycle"]
MCYCLEH: Final = CSR_ADDRESS["mcycleh"]
MINSTRET: Final = CSR_ADDRESS["minstret"]
MINSTRETH: Final = CSR_ADDRESS["minstreth"]
MPSCLFAC: Final = CSR_ADDRESS["mpsclfac"]
MVSIZE: Final = CSR_ADDRESS["mvsize"]
MVTYPE: Final = CSR_ADDRESS["mvtype"]
MCPUID: Final = CSR_ADDRESS["mcpuid"]
MIMPID: Final = CSR_ADDRESS["mimpid"]
MHARTID: Final = CSR_ADDRESS["mhartid"]
MIRQ: Final = CSR_ADDRESS["mirq"]

# Of an ISA-clean core only: RISC-V privileged specification, machine mode.
MISA: Final = 0x301
MIE: Final = 0x304
MSTATUSH: Final = 0x310
MSCRATCH: Final = 0x340
CYCLE: Final = 0xC00
INSTRET: Final = 0xC02
CYCLEH: Final = 0xC80
INSTRETH: Final = 0xC82
MVENDORID: Final = 0xF11
MARCHID: Final = 0xF12
