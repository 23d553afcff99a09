"""Scratchpad contents, one set per accelerator, as lists of words; and the address checks."""

from __future__ import annotations

from tests.oracle.config import OracleConfig, UnmodelledError

_NOT_A_SCRATCHPAD = 4  # the hardware's code for "no scratchpad", whatever the real count


class Scratchpads:
    def __init__(self, config: OracleConfig) -> None:
        self._base, self._count = config.spm_base, config.spm_count
        self.size_bytes = config.spm_size_bytes
        words = config.spm_size_bytes // 4
        self.words = [
            [[0] * words for _ in range(config.spm_count)] for _ in range(config.accelerators)
        ]

    def locate(self, address: int) -> tuple[int, int] | None:
        """Scratchpad index and byte offset of an address, or None where the core traps."""
        index, offset = divmod(address - self._base, self.size_bytes)
        if 0 <= index < self._count:
            # With 5 to 7 scratchpads number 4 carries the code of "none".
            return None if index == _NOT_A_SCRATCHPAD and self._count < 8 else (index, offset)
        if self._count != _NOT_A_SCRATCHPAD:
            raise UnmodelledError(
                f"{address:#010x} is no scratchpad address; the check works with 4 scratchpads only"
            )
        return None
