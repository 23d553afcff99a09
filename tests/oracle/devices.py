"""Devices beside the memories: what a read shows, what a write does, a word at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol


class OracleDevice(Protocol):
    """A device on the bus; cycles only ever grow."""

    def holds(self, address: int) -> bool:
        """Whether an address belongs to it."""
        ...

    def read(self, address: int, cycle: int, enables: int) -> int:
        """The aligned word at an address, of which some bytes are wanted."""
        ...

    def write(self, address: int, value: int, enables: int, cycle: int) -> None:
        """Write the enabled bytes of an aligned word."""
        ...


@dataclass
class Uart:
    """An ns16550 that never receives; its bytes go to ``console``."""

    base: int
    stride: int
    console: bytearray
    written: dict[str, int] = field(default_factory=dict)
    emptied: bool = False  # and no read of the interrupt register has shown it

    @property
    def requests(self) -> bool:
        """Whether it requests an interrupt."""
        return self.emptied and bool(self.written.get("ier", 0) & 2)

    def holds(self, address: int) -> bool:
        return 0 <= address - self.base < 8 * self.stride

    def read(self, address: int, cycle: int, enables: int) -> int:
        word = sum(self._register(address + k) << 8 * k for k in range(4))
        wanted = {address + k - self.base for k in range(4) if enables >> k & 1}
        if 2 * self.stride in wanted and self.requests:
            self.emptied = False
        return word

    def write(self, address: int, value: int, enables: int, cycle: int) -> None:
        for k in range(4):
            if enables >> k & 1 and (address + k - self.base) % self.stride == 0:
                self._put((address + k - self.base) // self.stride, value >> 8 * k & 0xFF)

    def _name(self, number: int) -> str:
        names = ["thr", "ier", "fcr", "lcr", "mcr", "lsr", "msr", "scr"]
        if number < 2 and self.written.get("lcr", 0) >> 7:
            return ["dll", "dlm"][number]
        return names[number]

    def _register(self, address: int) -> int:
        number, rest = divmod(address - self.base, self.stride)
        if rest:
            return 0
        name = self._name(number)
        if name == "fcr":
            fifos = 0xC0 if self.written.get("fcr", 0) % 2 else 0
            return fifos + (2 if self.requests else 1)
        fixed = {"thr": 0, "lsr": 0b0110_0000, "msr": 0b1011_0000}
        return fixed[name] if name in fixed else self.written.get(name, 0)

    def _put(self, number: int, value: int) -> None:
        name = self._name(number)
        if name == "thr":
            self.console.append(value)
        if name == "thr" or (name == "ier" and value & 2):
            self.emptied = True
        self.written[name] = value & 0x0F if name in {"ier", "mcr"} else value


_ALL = 2**64 - 1


@dataclass
class Clint:
    """A clint, clock by clock: a register has what was written in the cycle before."""

    base: int
    every: int
    cycle: int = 0
    registers: dict[str, int] = field(
        default_factory=lambda: {"msip": 0, "mtimecmp": _ALL, "mtime": 0}
    )
    mtip: bool = False
    written: dict[str, int] = field(default_factory=dict)  # in this cycle

    def holds(self, address: int) -> bool:
        return 0 <= address - self.base < 0xC000

    def _advance(self, cycle: int) -> None:
        while self.cycle < cycle:
            self.mtip = self.registers["mtime"] >= self.registers["mtimecmp"]
            self.cycle += 1
            self.registers["mtime"] = (
                self.registers["mtime"] + (self.cycle % self.every == 0) & _ALL
            )
            self.registers |= self.written
            self.written = {}

    def pending(self, cycle: int) -> int:
        """What mip shows in a cycle."""
        self._advance(cycle)
        return self.registers["msip"] << 3 | self.mtip << 7

    def cannot_pend(self, enabled: int) -> bool:
        """Whether none of these interrupts will ever be pending, if nothing is written."""
        far = self.registers["mtimecmp"] - self.registers["mtime"] > 1 << 40
        timer = bool(enabled & 1 << 7) and (self.mtip or not far)
        return not timer and not (enabled & 1 << 3 and self.registers["msip"])

    def _name(self, address: int) -> tuple[str, int]:
        """The register at a word, and the bit where the word begins in it."""
        offset = address - self.base
        places = {0: ("msip", 0), 0x4000: ("mtimecmp", 0), 0x4004: ("mtimecmp", 32)}
        places |= {0xBFF8: ("mtime", 0), 0xBFFC: ("mtime", 32)}
        return places.get(offset, ("", 0))

    def read(self, address: int, cycle: int, enables: int) -> int:
        self._advance(cycle)
        name, bit = self._name(address)
        return self.registers[name] >> bit & 0xFFFF_FFFF if name else 0

    def write(self, address: int, value: int, enables: int, cycle: int) -> None:
        self._advance(cycle)
        name, bit = self._name(address)
        if not name or (name == "msip" and not enables & 1):
            return
        mask = sum(0xFF << 8 * k for k in range(4) if enables >> k & 1)
        if name == "msip":
            mask = 1
        old = self.written.get(name, self.registers[name])
        self.written[name] = old & ~(mask << bit) | (value & mask) << bit
