"""Names of control and status registers that the RISC-V privileged specification defines.

Source: RISC-V Instruction Set Manual, Volume II, Privileged Architecture 20211203, tables 2.2 to
2.6, without those of supervisors, hypervisors and debuggers. A machine may lack them.
"""

from typing import Final

_COUNTERS = range(3, 32)  # in addition to cycles, time and retired instructions

STANDARD_CSRS: Final[dict[str, int]] = {
    "fflags": 0x001, "frm": 0x002, "fcsr": 0x003,
    "cycle": 0xC00, "time": 0xC01, "instret": 0xC02,
    "cycleh": 0xC80, "timeh": 0xC81, "instreth": 0xC82,
    "mvendorid": 0xF11, "marchid": 0xF12, "mimpid": 0xF13, "mhartid": 0xF14, "mconfigptr": 0xF15,
    "mstatus": 0x300, "misa": 0x301, "medeleg": 0x302, "mideleg": 0x303, "mie": 0x304,
    "mtvec": 0x305, "mcounteren": 0x306, "mstatush": 0x310, "menvcfg": 0x30A,
    "mcountinhibit": 0x320,
    "mscratch": 0x340, "mepc": 0x341, "mcause": 0x342, "mtval": 0x343, "mip": 0x344,
    "mcycle": 0xB00, "minstret": 0xB02, "mcycleh": 0xB80, "minstreth": 0xB82,
    **{f"mhpmevent{n}": 0x320 + n for n in _COUNTERS},
    **{f"mhpmcounter{n}": 0xB00 + n for n in _COUNTERS},
    **{f"mhpmcounter{n}h": 0xB80 + n for n in _COUNTERS},
    **{f"hpmcounter{n}": 0xC00 + n for n in _COUNTERS},
    **{f"hpmcounter{n}h": 0xC80 + n for n in _COUNTERS},
    **{f"pmpcfg{n}": 0x3A0 + n for n in range(4)},
    **{f"pmpaddr{n}": 0x3B0 + n for n in range(16)},
}  # fmt: skip
"""Address by name."""

STANDARD_CSR_NAME: Final = {address: name for name, address in STANDARD_CSRS.items()}
