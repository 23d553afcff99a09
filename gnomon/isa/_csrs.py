"""The control and status registers of the machine, and the names assembly text may use."""

from dataclasses import dataclass

_SOURCE = "Klessydra T13x RTL c2c62163"


@dataclass(frozen=True, slots=True)
class Csr:
    """One register. ``reset`` is what it reads after reset, None if that is not one fixed value.

    A write to a register that is not ``writable`` traps (illegal instruction). All registers are
    per hart. An address outside the table reads 0 and ignores writes, without a trap.
    """

    name: str
    address: int
    reset: int | None
    writable: bool
    description: str
    source: str = _SOURCE


_COUNTERS = (
    (3, 2, "cycles a data access waited for its grant"),
    (6, 5, "loads on the data bus"),
    (7, 6, "stores on the data bus"),
    (8, 7, "jumps"),
    (9, 8, "branches"),
    (10, 9, "taken branches"),
)

CSRS: tuple[Csr, ...] = (
    Csr("mstatus", 0x300, 0x1800, writable=True,
        description="MIE (3) and MPIE (7) can be written; bits 12:11 read as 11"),
    Csr("mtvec", 0x305, 0x94, writable=True,
        description="address of the trap handler, direct mode only, used as written"),
    *(
        Csr(f"mhpmevent{counter}", 0x320 + counter, 0, writable=True,
            description=f"bit {bit}: copy of the PCER bit that enables mhpmcounter{counter}")
        for counter, bit, _ in _COUNTERS
    ),
    Csr("mepc", 0x341, 0, writable=True, description="pc of the trapped instruction"),
    Csr("mcause", 0x342, 0, writable=True,
        description="trap cause; bits 31, 8 and 4:0 can be written"),
    Csr("mbadaddr", 0x343, None, writable=False,
        description="data address wires one cycle after a misaligned trap, not its own address; "
        "undefined before the first one"),
    Csr("mip", 0x344, 0, writable=True,
        description="MSIP (3) can be written; 7 and 11 come from pins, hart 0 only"),
    Csr("pcer", 0x7A0, 0, writable=True,
        description="counter enables: mcycle (0), minstret (1), "
        + ", ".join(f"mhpmcounter{counter} ({bit})" for counter, bit, _ in _COUNTERS)),
    Csr("mestatus", 0x7B8, 0x1800, writable=True, description="copy of mstatus taken at a trap"),
    Csr("mcycle", 0xB00, 0, writable=True, description="cycles, low word; stands still until "
        "PCER bit 0 is set"),
    Csr("minstret", 0xB02, 0, writable=True, description="issued instructions, low word; stands "
        "still until PCER bit 1 is set"),
    *(
        Csr(f"mhpmcounter{counter}", 0xB00 + counter, 0, writable=True,
            description=f"{what}; stands still until PCER bit {bit} is set")
        for counter, bit, what in _COUNTERS
    ),
    Csr("mcycleh", 0xB80, 0, writable=True, description="cycles, high word"),
    Csr("minstreth", 0xB82, 0, writable=True, description="issued instructions, high word"),
    Csr("mpsclfac", 0xBE0, 0, writable=True,
        description="right shift of every product of kdotpps, 5 bits"),
    Csr("mvsize", 0xBF0, 0, writable=True,
        description="vector length in bytes, log2(scratchpad bytes) + 1 bits"),
    Csr("mvtype", 0xBF8, 8, writable=True,
        description="element width: write 0, 1, 2 for 8, 16, 32 bits; reads 4 times that"),
    Csr("mcpuid", 0xF00, 0x100, writable=False, description="RV32I"),
    Csr("mimpid", 0xF01, 0x8000, writable=False, description="implementation"),
    Csr("mhartid", 0xF14, None, writable=False, description="hart (3:0), cluster above"),
    Csr("mirq", 0xFC0, None, writable=False, description="number of the external interrupt, "
        "bits 6:2, straight from the pins"),
)  # fmt: skip

CSR_ADDRESS: dict[str, int] = {csr.name: csr.address for csr in CSRS}
CSR_NAME: dict[int, str] = {csr.address: csr.name for csr in CSRS}
