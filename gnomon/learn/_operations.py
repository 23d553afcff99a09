"""Counts of arithmetic operations, the unit of kernel counts."""

from __future__ import annotations

from dataclasses import astuple, dataclass


@dataclass(frozen=True, slots=True)
class Operations:
    """Counts of arithmetic operations.

    Attributes:
        mac: multiplications whose product is added to a sum; the first one is added to zero.
        multiply: multiplications without an addition.
        add: additions and subtractions without a multiplication.
        divide: divisions.
        sqrt: square roots.
        compare: comparisons.
        move: elements copied to another place.
        exp: exponentials.
        random: random numbers sampled.
        log: logarithms.
    """

    mac: int = 0
    multiply: int = 0
    add: int = 0
    divide: int = 0
    sqrt: int = 0
    compare: int = 0
    move: int = 0
    exp: int = 0
    random: int = 0
    log: int = 0

    def __add__(self, other: Operations) -> Operations:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Operations(*(a + b for a, b in pairs))

    def __mul__(self, count: int) -> Operations:
        return Operations(*(value * count for value in astuple(self)))

    @property
    def multiplications(self) -> int:
        """All multiplications; on the T13 each is one ``mulh``."""
        return self.mac + self.multiply

    @property
    def arithmetic(self) -> int:
        """All but moves and random numbers, a multiplication with its addition as one."""
        single = self.add + self.divide + self.sqrt + self.compare + self.exp + self.log
        return self.mac + self.multiply + single
