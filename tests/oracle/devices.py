"""Devices beside the memories: what a read shows, what a write does, a word at a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol


class OracleDevice(Protocol):
    """A device on the bus; cycles only ever grow."""

    def holds(self, address: int) -> bool:
        """Whether an address belongs to it."""
        ...

    def read(self, address: int, cycle: int) -> int:
        """The aligned word at an address."""
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

    def holds(self, address: int) -> bool:
        return 0 <= address - self.base < 8 * self.stride

    def read(self, address: int, cycle: int) -> int:
        return sum(self._register(address + k) << 8 * k for k in range(4))

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
            return 0xC1 if self.written.get("fcr", 0) % 2 else 0x01
        fixed = {"thr": 0, "lsr": 0b0110_0000, "msr": 0b1011_0000}
        return fixed[name] if name in fixed else self.written.get(name, 0)

    def _put(self, number: int, value: int) -> None:
        name = self._name(number)
        if name == "thr":
            self.console.append(value)
        self.written[name] = value & 0x0F if name in {"ier", "mcr"} else value
