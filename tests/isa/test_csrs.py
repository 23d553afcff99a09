"""The CSR table against the figures of the RTL."""

from __future__ import annotations

from gnomon.isa import CSR_ADDRESS
from gnomon.isa._instruction import CSR_NAME, table_rows

CSRS = table_rows("csrs.csv")

# Addresses of section 2 of the measured description of the RTL.
ADDRESSES = {
    "mvsize": 0xBF0, "mvtype": 0xBF8, "mpsclfac": 0xBE0, "mstatus": 0x300, "mtvec": 0x305,
    "mepc": 0x341, "mcause": 0x342, "mip": 0x344, "mbadaddr": 0x343, "pcer": 0x7A0,
    "mcycle": 0xB00, "mcycleh": 0xB80, "minstret": 0xB02, "minstreth": 0xB82,
    "mhpmcounter3": 0xB03, "mhpmcounter6": 0xB06, "mhpmcounter7": 0xB07, "mhpmcounter8": 0xB08,
    "mhpmcounter9": 0xB09, "mhpmcounter10": 0xB0A, "mhpmevent3": 0x323, "mhpmevent6": 0x326,
    "mhpmevent7": 0x327, "mhpmevent8": 0x328, "mhpmevent9": 0x329, "mhpmevent10": 0x32A,
    "mhartid": 0xF14, "mcpuid": 0xF00, "mimpid": 0xF01, "mirq": 0xFC0, "mestatus": 0x7B8,
}  # fmt: skip


def test_addresses() -> None:
    assert CSR_ADDRESS == ADDRESSES
    assert {name: address for address, name in CSR_NAME.items()} == ADDRESSES
    assert [int(csr["address"], 16) for csr in CSRS] == sorted(ADDRESSES.values())


def test_reset_values() -> None:
    reset = {csr["name"]: int(csr["reset"], 16) if csr["reset"] else None for csr in CSRS}
    assert reset["mtvec"] == 0x94
    assert reset["mvtype"] == 8, "MVTYPE resets to 2 and reads shifted left by 2"
    assert reset["mstatus"] == 0x1800, "MIE is 0, bits 12:11 read as 11"
    assert reset["mcpuid"] == 0x100
    assert reset["mimpid"] == 0x8000
    assert {name for name, value in reset.items() if value is None} == {
        "mbadaddr", "mhartid", "mirq",
    }  # fmt: skip


def test_read_only_registers() -> None:
    assert {csr["name"] for csr in CSRS if csr["writable"] == "no"} == {
        "mbadaddr", "mcpuid", "mimpid", "mhartid", "mirq",
    }  # fmt: skip
