"""Ranges of addresses, which must not overlap."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from gnomon.base.schema import NAME_ALLOWED, NAME_PATTERN, ProblemAt
from gnomon.base.units import format_size

ADDRESS_LIMIT = 2**32


class Span(NamedTuple):
    """The addresses from ``base`` up to, but not including, ``end``."""

    name: str
    base: int
    end: int

    def __str__(self) -> str:
        return f"{self.name} (0x{self.base:08X}..0x{self.end - 1:08X})"


# Fixed by the program protocol of the reference runs: the exit, print and cycle registers are at
# 0x1A10FFF0..0x1A10FFFB, in the peripheral page; accesses to 0xDEADxxxx cause a bus error.
RESERVED = (
    Span("the I/O page", 0x1A10_F000, 0x1A11_0000),
    Span("the bus-error window", 0xDEAD_0000, 0xDEAE_0000),
)


def check_apart(span: Span, others: Iterable[Span], subkey: str, hint: str = "") -> None:
    """Reject a span that leaves the 32-bit address space or overlaps another one."""
    if span.end > ADDRESS_LIMIT:
        size_bytes = span.end - span.base
        raise ProblemAt(subkey, f"0x{span.base:X} + {format_size(size_bytes)} ends beyond 4 GiB")
    overlapping = [
        str(other) for other in others if span.base < other.end and other.base < span.end
    ]
    if overlapping:
        raise ProblemAt(subkey, f"{span} overlaps {' and '.join(overlapping)}{hint}")


Problem = tuple[tuple[str, ...], str]
"""Where a section has a wrong value, and why."""


def find_overlap(name: str, span: Span | None, others: Iterable[Span]) -> list[Problem]:
    """Return the problem of a named part of a section that overlaps something else."""
    if span is None:
        return []
    try:
        check_apart(span, others, "base")
    except ProblemAt as problem:
        return [((name, *map(str, place)), text) for place, text in problem.found]
    return []


def find_problems(spans: Mapping[str, Span | None], most: int, what: str) -> list[Problem]:
    """Return names that no key can have, and parts that overlap earlier ones.

    Args:
        spans: addresses of the parts of a section by name; None: it has none.
        most: number of parts that the section may have.
        what: kind of the parts, for messages.

    Raises:
        ValueError: if there are more parts.
    """
    if len(spans) > most:
        raise ValueError(f"must be at most {most}, not {len(spans)}")
    found: list[Problem] = []
    others = [*RESERVED]
    for name, span in spans.items():
        if not re.fullmatch(NAME_PATTERN, name) or "." in name:
            found.append(((name,), f"must be a name of a {what} ({NAME_ALLOWED}; no '.')"))
            continue
        found += find_overlap(name, span, others)
        others += [] if span is None else [span]
    return found
