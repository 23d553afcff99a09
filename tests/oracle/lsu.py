"""The load/store unit: loads, stores, amoswap and the scratchpad transfers.

One access at a time for all harts. Each method does its accesses, notes until when the unit is
busy, and returns the extra cycles of the instruction in the execute stage; traps are raised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.oracle import traps
from tests.oracle.config import BusyInterval, OracleConfig, UnmodelledError
from tests.oracle.decode import Decoded, sign_extend
from tests.oracle.memory import Memory, is_bus_error

if TYPE_CHECKING:
    from tests.oracle.buses import Buses
    from tests.oracle.scratchpads import Scratchpads
    from tests.oracle.vcu_timing import VcuTiming

_LONG_AGO = -(10**9)
_ACCESS_BYTES = {"lb": 1, "lbu": 1, "lh": 2, "lhu": 2, "lw": 4, "sb": 1, "sh": 2, "sw": 4}
LOAD_EXTRA_CYCLES = 1
AMOSWAP_EXTRA_CYCLES, AMOSWAP_X0_EXTRA_CYCLES = 3, 1
KMEMLD, KMEMSTR, KBCASTLD = 0, 1, 2


class Lsu:
    def __init__(
        self,
        config: OracleConfig,
        memory: Memory,
        spms: Scratchpads,
        vcu: VcuTiming,
        buses: Buses,
    ) -> None:
        self._buses = buses
        self._config, self._memory, self._spms, self._vcu = config, memory, spms, vcu
        self.last_busy = _LONG_AGO
        self.intervals: list[BusyInterval] = []
        # amoswap writes with the byte enables of the last load or store, of any hart.
        self._last_access_bytes = 0  # and before the first, no byte
        self._last_transfer_word = 0
        self.bus_requests = 0  # of transfers

    def load(self, d: Decoded, address: int, issue: int) -> int:
        """Return the value a load writes to its register."""
        size = self._last_access_bytes = _ACCESS_BYTES[d.name]
        if address % size:
            raise traps.Trap(traps.LOAD_MISALIGNED)
        waits = self._config.waits_at(address)
        word = self._memory.read_word(address, issue + waits)
        if is_bus_error(address):
            raise traps.Trap(traps.LOAD_ERROR, waits)
        value = word >> 8 * (address % 4) & ((1 << 8 * size) - 1)
        return value if d.name.endswith("u") else sign_extend(value, 8 * size) & 0xFFFF_FFFF

    def store(self, d: Decoded, address: int, value: int, issue: int) -> None:
        size = self._last_access_bytes = _ACCESS_BYTES[d.name]
        if address % size:
            raise traps.Trap(traps.STORE_MISALIGNED)
        lane = address % 4
        shifted = value << 8 * lane & 0xFFFF_FFFF
        waits = self._config.waits_at(address)
        granted = issue + waits
        self._memory.write_word(address, shifted, ((1 << size) - 1) << lane, granted)
        if is_bus_error(address):
            raise traps.Trap(traps.STORE_ERROR, waits)
        self.last_busy = max(self.last_busy, granted)

    def amoswap(self, d: Decoded, address: int, value: int, issue: int) -> int:
        """Swap, and return the old word. Every AMO does this, whatever its funct5."""
        if address % 4:
            raise traps.Trap(traps.LOAD_MISALIGNED if d.rd else traps.STORE_MISALIGNED)
        enables = (1 << self._last_access_bytes) - 1
        waits = self._config.waits_at(address)
        if d.rd == 0:
            self._memory.write_word(address, value, enables, issue + waits)
            if is_bus_error(address):
                raise traps.Trap(traps.STORE_ERROR, waits)
            return 0
        old = self._memory.read_word(address, issue + waits)
        if is_bus_error(address):
            raise traps.Trap(traps.LOAD_ERROR, waits)
        self._memory.write_word(address, value, enables, issue + 2 + 2 * waits)
        return old

    def transfer(self, d: Decoded, hart: int, operands: tuple[int, int, int], issue: int) -> None:
        """Do a kmemld, kmemstr or kbcastld. Operands are the values of rd, rs1 and rs2."""
        rd, rs1, rs2 = operands
        if d.funct7 not in {KMEMLD, KMEMSTR, KBCASTLD}:
            raise traps.Trap(traps.ILLEGAL)
        size_bytes = rs2 & (2 * self._spms.size_bytes - 1)
        if size_bytes == 0:
            return
        is_store = d.funct7 == KMEMSTR
        place = self._spms.locate(rs1 if is_store else rd)
        address = rd if is_store else rs1
        if place is None:
            raise traps.Trap(traps.VECTOR_NOT_SPM)
        if address % 4:
            raise traps.Trap(traps.STORE_MISALIGNED if is_store else traps.LOAD_MISALIGNED)
        size = self._spms.size_bytes
        if place[1] + (size_bytes - 1) % size >= size:  # a longer one goes round
            raise traps.Trap(traps.VECTOR_OVERRUN)
        own = self._config.accelerator(hart)
        targets = range(self._config.accelerators) if d.funct7 == KBCASTLD else [own]
        words = -(-size_bytes // 4)
        spm, index = place[0], place[1] // 4
        speed = waits, wide, burst = self._config.transfers_at(address)
        if self._config.transfers_at(address + 4 * (words - 1)) != speed:
            raise UnmodelledError("a transfer from a region to one of another speed")
        accesses = -(-words // wide)
        granted = self._granted(issue, accesses + 1, waits, burst, is_store=is_store)
        if is_store:
            self.last_busy = granted[accesses - 1] + 1
            self.bus_requests += accesses
            for k in range(words):
                word = self._spms.words[own][spm][(index + k) % (size // 4)]
                cycle = granted[k // wide]
                self._memory.write_word(address + 4 * k, word, 0xF, cycle)
                place = (own, spm, (index + k) % (size // 4))
                self._buses.pad("scratchpad_read", place, word, self._config.simd)
        else:
            self.last_busy = granted[accesses]
            self._refuse_other_running_vcu(targets, own, issue)
            self.bus_requests += accesses + 1
            loaded = self._read_words(address, size_bytes, granted, wide)
            for accelerator in targets:
                for k, word in enumerate(loaded):
                    row = (index + k) % (size // 4)
                    self._spms.words[accelerator][spm][row] = word
                    self._buses.pad(
                        "scratchpad_write", (accelerator, spm, row), word, self._config.simd
                    )
        for accelerator in targets:
            self._vcu.transfer_last[accelerator][spm] = self.last_busy
        self.intervals.append(BusyInterval(0, issue, self.last_busy))

    @staticmethod
    def _granted(issue: int, accesses: int, waits: int, burst: int, *, is_store: bool) -> list[int]:
        """When the memory grants each access: a store reads a word between two of them."""
        cycles, cycle = [], issue + 1
        for k in range(accesses):
            cycle += waits if k % burst == 0 else 0
            cycles.append(cycle)
            cycle += 2 if is_store else 1
        return cycles

    def _read_words(
        self, address: int, size_bytes: int, granted: list[int], wide: int
    ) -> list[int]:
        """Read the words of a kmemld. The bus is asked for one more, which is dropped."""
        words = -(-size_bytes // 4)
        loaded = [self._memory.read_word(address + 4 * k, granted[k // wide]) for k in range(words)]
        self._memory.requested("load", granted[-1])
        partial = size_bytes % 4
        if partial:
            below = (1 << 8 * partial) - 1
            previous = loaded[-2] if words > 1 else self._last_transfer_word
            loaded[-1] = loaded[-1] & below | previous & ~below & 0xFFFF_FFFF
        self._last_transfer_word = loaded[-1]
        return loaded

    def _refuse_other_running_vcu(self, targets: range | list[int], own: int, issue: int) -> None:
        for accelerator in targets:
            if accelerator != own and self._vcu.last_busy[accelerator] > issue:
                raise UnmodelledError("kbcastld while the accelerator of another hart runs")
