"""The data bus of the reference platform: RAMs, exit word, printing, the erring address range."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from tests.oracle.config import OracleConfig, OracleError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.oracle.devices import OracleDevice

EXIT, PRINT, CYCLE, CONSOLE = 0x1A10_FFF0, 0x1A10_FFF4, 0x1A10_FFF8, 0x1A10_FFFC
SWI_FIRST, SWI_LAST = 0x0000_FF00, 0x0000_FFFF
ERROR_FIRST, ERROR_LAST = 0xDEAD_0000, 0xDEAD_FFFF


def is_swi(address: int) -> bool:
    """Whether an address is one of the software-interrupt registers."""
    return SWI_FIRST <= address <= SWI_LAST


def is_bus_error(address: int) -> bool:
    """Whether the bus answers an access with an error."""
    return ERROR_FIRST <= address <= ERROR_LAST


class Memory:
    """Whole words on a bus; a write carries byte enables as a bit mask."""

    def __init__(self, config: OracleConfig, segments: Iterable[tuple[int, bytes]]) -> None:
        self._ibase, self._dbase = config.imem_base, config.dmem_base
        self._config = config
        self._regions = {each.name: bytearray(each.size_bytes) for each in config.regions}
        self._imem = bytearray(0 if config.regions else config.imem_size_bytes)
        self._dmem = bytearray(0 if config.regions else config.dmem_size_bytes)
        self._patches: list[tuple[int, int, int]] = []  # cycle, address, what was there
        self.requested: Callable[[str, int], None] = lambda kind, cycle: None
        self.put: Callable[[str, int], None] = lambda bus, value: None
        self.devices: list[OracleDevice] = []
        self.printed: list[int] = []
        self.console = bytearray()
        self.exit_code: int | None = None
        self.exit_cycle: int | None = None
        for address, data in segments:
            memory, offset = self._place(address)
            if memory is None or offset + len(data) > len(memory):
                raise OracleError(f"segment {address:#x}+{len(data)} does not fit a memory")
            memory[offset : offset + len(data)] = data

    def _place(self, address: int) -> tuple[bytearray | None, int]:
        region = self._config.region_of(address)
        if region is not None:
            return self._regions[region.name], address - region.base
        if self._ibase <= address < self._ibase + len(self._imem):
            return self._imem, address - self._ibase
        if self._dbase <= address < self._dbase + len(self._dmem):
            return self._dmem, address - self._dbase
        return None, 0

    def peek(self, pc: int) -> int | None:
        """The word at a pc, or None beyond the memory."""
        memory, offset = self._imem, (pc & ~3) - self._ibase
        if self._regions:
            place, offset = self._place(pc & ~3)
            memory = place or memory
        if not 0 <= offset < len(memory):
            return None
        return int.from_bytes(memory[offset : offset + 4], "little")

    def fetch(self, pc: int, cycle: int | None = None) -> int:
        """The word at a pc; one that is written in that cycle or later is still the old one.

        Without a cycle, all that was written is there.
        """
        word = self.peek(pc)
        if word is None:
            raise OracleError(f"fetch at {pc:#010x} is outside the instruction memory")
        kept = [] if cycle is None else [each for each in self._patches if each[0] >= cycle]
        self._patches = kept
        for _, patched, old in kept:
            if patched == pc & ~3:
                return old
        return word

    def read_word(self, address: int, cycle: int, enables: int = 15) -> int:
        """Read the word that holds an address; unmapped words are 0."""
        self.requested("load", cycle)
        self.put("address", address)
        word = self._word(address & ~3, cycle, enables)
        self.put("load_data", word)
        return word

    def _word(self, address: int, cycle: int, enables: int) -> int:
        if address == CYCLE:
            return cycle
        for device in self.devices:
            if device.holds(address):
                return device.read(address, cycle, enables)
        memory, offset = self._place(address)
        if memory is None:
            return 0
        return int.from_bytes(memory[offset : offset + 4], "little")

    def write_word(self, address: int, value: int, enables: int, cycle: int) -> None:
        """Write the enabled bytes of a word. ``value`` is already on its byte lanes."""
        self.requested("store", cycle)
        self.put("address", address)
        self.put("store_data", value)
        if self.exit_cycle is not None and cycle > self.exit_cycle:
            return
        address &= ~3
        for device in self.devices:
            if device.holds(address):
                device.write(address, value, enables, cycle)
                return
        if address == EXIT:
            if self.exit_cycle is None:
                self.exit_code, self.exit_cycle = value, cycle
            return
        if address == PRINT:
            self.printed.append(value)
            return
        if address == CONSOLE:
            if enables & 1:
                self.console.append(value & 0xFF)
            return
        memory, offset = self._place(address)
        if memory is None or is_swi(address):
            return
        region = self._config.region_of(address)
        if region is not None and region.kind != "ram":
            raise OracleError(f"store at {address:#010x}, in the {region.kind} {region.name}")
        if memory is self._imem or region is not None:
            old = int.from_bytes(memory[offset : offset + 4], "little")
            self._patches.append((cycle, address, old))
        for byte in range(4):
            if enables >> byte & 1:
                memory[offset + byte] = value >> 8 * byte & 0xFF

    def data_crc32(self) -> int:
        return zlib.crc32(self.data())

    def data(self) -> bytes:
        return b"".join(self._regions.values()) if self._regions else bytes(self._dmem)
