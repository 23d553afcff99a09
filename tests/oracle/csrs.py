"""Control and status registers: one set per hart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.oracle.config import OracleConfig

if TYPE_CHECKING:
    from tests.oracle.counters import Counters

EXTRA_CYCLES = 2
MSTATUS, MTVEC, MEPC, MCAUSE, MBADADDR, MIP = 0x300, 0x305, 0x341, 0x342, 0x343, 0x344
PCER, MESTATUS = 0x7A0, 0x7B8
MVSIZE, MVTYPE, MPSCLFAC = 0xBF0, 0xBF8, 0xBE0
MCYCLE, MCYCLEH, MINSTRET, MINSTRETH = 0xB00, 0xB80, 0xB02, 0xB82
MHARTID = 0xF14
READ_ONLY = {MHARTID: 0, 0xF00: 0x100, 0xF01: 0x8000, 0xFC0: 0, MBADADDR: 0}
EVENT_COUNTERS = {0xB00 + n: n for n in (3, *range(6, 11))}
EVENT_BITS = {0x323: 1 << 2, **{0x320 + n: 1 << n - 1 for n in range(6, 11)}}

MSIP = 1 << 3
_MCAUSE_WRITABLE = 1 << 31 | 1 << 8 | 0x1F
_MASK = 0xFFFF_FFFF


@dataclass(slots=True)
class HartCsrs:
    mie: int = 0
    mpie: int = 0
    mtvec: int = 0x94
    mepc: int = 0
    mcause: int = 0
    mbadaddr: int = 0
    mestatus_0: int = 0  # written
    mestatus_saved: int = 0x1800  # by a trap
    events: int = 0
    msip: int = 0
    mvsize_bytes: int = 0
    mvtype: int = 2
    mpsclfac: int = 0
    last_read: int = 0  # the register between CSR unit and execute stage

    @property
    def mestatus(self) -> int:
        return self.mestatus_saved | self.mestatus_0

    @property
    def mstatus(self) -> int:
        return 0x1800 | self.mie << 3 | self.mpie << 7


class AccessDenied(Exception):  # noqa: N818 - an outcome of the access, not a failure of the oracle
    """A read-only register was to be written."""


class CsrFile:
    def __init__(self, config: OracleConfig, counters: Counters) -> None:
        self.hart = [HartCsrs() for _ in range(config.harts)]
        self.counters = counters
        self._mvsize_mask = 2 * config.spm_size_bytes - 1
        self._has_vcu = config.vcu

    def access(
        self, hart: int, address: int, action: str, operand: int, *, writes: bool, cycle: int
    ) -> int:
        """Do one CSR instruction and return what it reads.

        ``writes`` is False for set and clear with x0 or a zero immediate.
        """
        if address in READ_ONLY and writes:
            raise AccessDenied
        old, base = self._read(hart, address, cycle)
        if writes and address in EVENT_BITS:
            self._write_event(hart, EVENT_BITS[address], action, operand, cycle)
        elif writes:
            new = {"rw": operand, "rs": base | operand, "rc": base & ~operand}[action]
            self._write(hart, address, new & _MASK, cycle)
        self.hart[hart].last_read = old
        return old

    def _read(self, hart: int, address: int, cycle: int) -> tuple[int, int]:
        """What the instruction reads, and the value that set and clear start from."""
        regs, counters = self.hart[hart], self.counters
        if address == MINSTRET:
            stored = counters.stored_minstret(hart)
            return (stored - 1) & _MASK, stored & _MASK
        if address == MINSTRETH:
            low, high = counters.stored_minstret(hart) & _MASK, counters.stored_minstret(hart) >> 32
            return (high - 1 if high and not low else high), high
        if address == MVTYPE and self._has_vcu:
            return regs.mvtype << 2, regs.mvtype
        if address == MCYCLE:
            value = counters.mcycle(hart, cycle) & _MASK
        elif address == MCYCLEH:
            value = counters.mcycle(hart, cycle) >> 32
        elif address in EVENT_COUNTERS:
            counters.events.count(cycle, counters.pcer)
            value = counters.events.counters[hart][EVENT_COUNTERS[address]] & _MASK
        else:
            value = self._plain(hart, address)
        return value, value

    def _plain(self, hart: int, address: int) -> int:
        regs = self.hart[hart]
        values = {
            MSTATUS: regs.mstatus,
            MTVEC: regs.mtvec,
            MEPC: regs.mepc,
            MCAUSE: regs.mcause,
            MBADADDR: regs.mbadaddr,
            MIP: regs.msip << 3,
            PCER: self.counters.pcer[hart],
            MESTATUS: regs.mestatus,
            MHARTID: hart,
        }
        values |= {event: regs.events & bit for event, bit in EVENT_BITS.items()}
        if self._has_vcu:
            values |= {MVSIZE: regs.mvsize_bytes, MPSCLFAC: regs.mpsclfac}
        else:  # nothing answers, and the hart's last answer still stands there
            values |= dict.fromkeys((MVSIZE, MVTYPE, MPSCLFAC), regs.last_read)
        return values.get(address, READ_ONLY.get(address, 0))

    def _write_event(self, hart: int, bit: int, action: str, operand: int, cycle: int) -> None:
        """An event stands beside its bit of PCER, which is written and set with it."""
        regs, pcer = self.hart[hart], self.counters.pcer[hart]
        given = operand & bit
        if action == "rc":
            regs.events &= ~given
        elif action == "rs":
            regs.events |= given
            self.counters.write_pcer(hart, pcer | given, cycle)
        else:
            regs.events = regs.events & ~bit | given
            self.counters.write_pcer(hart, pcer & ~bit | given, cycle)

    def _write(self, hart: int, address: int, value: int, cycle: int) -> None:
        regs, counters = self.hart[hart], self.counters
        if address == MSTATUS:
            regs.mie, regs.mpie = value >> 3 & 1, value >> 7 & 1
        elif address == MTVEC:
            regs.mtvec = value
        elif address == MEPC:
            regs.mepc = value
        elif address == MCAUSE:
            regs.mcause = regs.mcause & ~_MCAUSE_WRITABLE | value & _MCAUSE_WRITABLE
        elif address == MIP:
            regs.msip = value >> 3 & 1
        elif address == PCER:
            counters.write_pcer(hart, value, cycle)
            regs.events = value
        elif address == MESTATUS:
            regs.mestatus_0 = value & 1
        elif address in EVENT_COUNTERS:
            number = EVENT_COUNTERS[address]
            counters.events.write(hart, number, value, cycle, counters.pcer)
        elif address == MVSIZE:
            regs.mvsize_bytes = value & self._mvsize_mask
        elif address == MVTYPE:
            regs.mvtype = value & 3
        elif address == MPSCLFAC:
            regs.mpsclfac = value & 31
        elif address in {MCYCLE, MCYCLEH}:
            old = counters.mcycle(hart, cycle)
            counters.write_mcycle(hart, _half(old, value, high=address == MCYCLEH), cycle)
        elif address in {MINSTRET, MINSTRETH}:
            old = counters.stored_minstret(hart)
            counters.write_minstret(hart, _half(old, value, high=address == MINSTRETH))


def _half(old: int, value: int, *, high: bool) -> int:
    return old & _MASK | value << 32 if high else old & ~_MASK | value
