"""What the oracle simulates: one hardware configuration, and what one run gives back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.oracle.vector_isa import VectorOp

Sharing = Literal["shared", "replicated", "multithreaded"]


@dataclass(frozen=True)
class OracleUnit:
    """An instruction of a unit: a word is one if ``word & mask == match``.

    ``third``: the source of the third operand, ``rs3``, ``rd``, ``imm`` or empty. ``compute`` and
    ``cycles`` take the hart and the three operands, 0 where there is none.
    """

    name: str
    match: int
    mask: int
    reads: tuple[str, ...]  # rs1, rs2, or both
    third: str
    compute: Callable[[int, int, int, int], int]
    cycles: Callable[[int, int, int, int], int]


@dataclass(frozen=True)
class OracleVectorUnit:
    """A vector instruction of a unit; ``third`` as in :class:`OracleUnit`, without ``rd``."""

    match: int
    mask: int
    third: str
    op: VectorOp


@dataclass(frozen=True, kw_only=True)
class OracleRegion:
    """One memory of several; the oracle refuses programs that write a read-only one."""

    name: str
    base: int
    size_bytes: int
    kind: str = "ram"  # or rom, flash
    waits: int = 0
    access_words: int = 1
    burst: int = 1

    def holds(self, address: int) -> bool:
        return self.base <= address < self.base + self.size_bytes


@dataclass(frozen=True, kw_only=True)
class OracleConfig:
    """Hardware configuration. The defaults are those of the reference runs."""

    simd: int = 1
    sharing: Sharing = "shared"
    superscalar: bool = True
    harts: int = 3
    spm_count: int = 4
    spm_size_bytes: int = 4096
    spm_base: int = 0x1000_0000
    count_all: bool = True
    vcu: bool = True
    data_waits: int = 0  # wait states of each access to the data memory
    access_words: int = 1  # of a transfer
    burst: int = 1  # accesses of a transfer with the wait states of one
    reset_pc: int = 0x80
    imem_base: int = 0x0000_0000
    imem_size_bytes: int = 0x4_0000
    dmem_base: int = 0x0010_0000
    dmem_size_bytes: int = 0x4_0000
    regions: tuple[OracleRegion, ...] = ()  # in place of both memories and their speed
    units: tuple[OracleUnit, ...] = ()
    vector_units: tuple[OracleVectorUnit, ...] = ()

    def region_of(self, address: int) -> OracleRegion | None:
        return next((each for each in self.regions if each.holds(address)), None)

    def waits_at(self, address: int) -> int:
        """Wait states of an access through the data port."""
        region = self.region_of(address)
        return region.waits if region else 0 if self.regions else self.data_waits

    def transfers_at(self, address: int) -> tuple[int, int, int]:
        """How a memory serves a transfer: wait states, words of an access, burst."""
        region = self.region_of(address)
        if region is not None:
            return region.waits, region.access_words, region.burst
        return (0, 1, 1) if self.regions else (self.data_waits, self.access_words, self.burst)

    def vector_unit(self, word: int) -> OracleVectorUnit | None:
        found = (each for each in self.vector_units if word & each.mask == each.match)
        return next(found, None)

    def accelerator(self, hart: int) -> int:
        """Index of the accelerator (and scratchpad set) that belongs to a hart."""
        return 0 if self.sharing == "shared" else hart

    @property
    def accelerators(self) -> int:
        return 1 if self.sharing == "shared" else self.harts


@dataclass(frozen=True)
class BusyInterval:
    """One stretch of busy cycles of a unit, both ends included. ``unit`` is the accelerator."""

    unit: int
    start_cycle: int
    last_cycle: int


@dataclass(frozen=True, kw_only=True)
class OracleRun:
    """What a run showed. Cycle 0 is the first cycle with an instruction request."""

    exit_code: int | None
    exit_cycle: int
    halted: bool  # False: max_cycles came before the exit store
    issued: tuple[int, ...]
    retries: tuple[int, ...]
    retired: tuple[int, ...]
    hart_cycles: tuple[int, ...]
    printed: tuple[int, ...]
    data_ram_crc32: int
    data_ram: bytes = field(repr=False)
    transfer_bus_requests: int  # of the scratchpad transfers
    trace: list[tuple[int, int, int, int]] = field(repr=False)  # cycle, hart, pc, word
    lsu_intervals: list[BusyInterval] = field(repr=False)  # transfers only
    vcu_intervals: list[BusyInterval] = field(repr=False)
    buses: dict[tuple[int, str], list[int]] = field(repr=False)  # by pc: values, toggles


class OracleError(Exception):
    """The program did something the oracle cannot go on from."""


class UnmodelledError(OracleError):
    """The rules leave the outcome open. The oracle refuses instead of guessing."""
