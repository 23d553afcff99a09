"""Which addresses belong to what, and the check that no two things share one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gnomon.arch._model import ProblemAt
from gnomon.base.units import format_size

if TYPE_CHECKING:
    from collections.abc import Iterable

ADDRESS_LIMIT = 2**32


class Span(NamedTuple):
    """Addresses ``base`` up to, not including, ``end``."""

    name: str
    base: int
    end: int

    def __str__(self) -> str:
        return f"{self.name} (0x{self.base:08X}..0x{self.end - 1:08X})"


# Fixed by the program protocol of the reference runs: exit, print and cycle registers sit at
# 0x1A10FFF0..0x1A10FFFB, in the peripheral page; accesses to 0xDEADxxxx answer with a bus error.
RESERVED = (
    Span("the I/O page", 0x1A10_F000, 0x1A11_0000),
    Span("the bus-error window", 0xDEAD_0000, 0xDEAE_0000),
)


def check_apart(span: Span, others: Iterable[Span], subkey: str) -> None:
    """Refuse a span that leaves the 32-bit address space or meets another.

    Raises:
        ProblemAt: at ``subkey``, with the names and addresses of everything it overlaps.
    """
    if span.end > ADDRESS_LIMIT:
        size_bytes = span.end - span.base
        raise ProblemAt(subkey, f"0x{span.base:X} + {format_size(size_bytes)} ends beyond 4 GiB")
    met = [str(other) for other in others if span.base < other.end and other.base < span.end]
    if met:
        raise ProblemAt(subkey, f"{span} overlaps {' and '.join(met)}")
