"""A user's own divider: cycles by how long the operands are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from gnomon.arch.dividers._laws import LENGTHS

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    import numpy as np
    from numpy.typing import NDArray

    Lookup: TypeAlias = Sequence[int] | NDArray[np.int64]

TableIndex = Literal["quotient-bits", "dividend-bits", "divisor-bits", "both"]
"""What a table goes by. Bits of the quotient = max(0, dividend bits - divisor bits + 1).

That is the largest number of quotient bits for these operands, at most 32; of a division by zero
it is 32. ``both``: one row per dividend length, one column per divisor length, row after row.
"""

TABLE_ENTRIES: dict[TableIndex, int] = {
    "quotient-bits": LENGTHS,
    "dividend-bits": LENGTHS,
    "divisor-bits": LENGTHS,
    "both": LENGTHS * LENGTHS,
}
"""How many cycles each kind of table lists: lengths 0 to 32."""

MOST_TABLE_CYCLES = 4096  # ours: far above any divider


def table_lookup(by: TableIndex, cycles: Sequence[int]) -> tuple[int, ...]:
    """Spread a user's table over all pairs of lengths, as ``engine_cycles`` reads it.

    ``cycles`` has ``TABLE_ENTRIES[by]`` entries.
    """
    assert len(cycles) == TABLE_ENTRIES[by]
    if by == "both":
        return tuple(cycles)
    spread = []
    for dividend_bits in range(LENGTHS):
        for divisor_bits in range(LENGTHS):
            quotient_bits = max(0, dividend_bits - divisor_bits + 1) if divisor_bits else 32
            index = {
                "quotient-bits": min(quotient_bits, 32),
                "dividend-bits": dividend_bits,
                "divisor-bits": divisor_bits,
            }[by]
            spread.append(cycles[index])
    return tuple(spread)
