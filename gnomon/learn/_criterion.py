"""An acceptance criterion: what was measured, between which limits it must be, whether it is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Criterion:
    """One line of a table of acceptance criteria.

    Attributes:
        name: such as ``B6``.
        what: what is measured, in words.
        value: measured.
        least: smallest value that meets it; None for no limit.
        most: largest value that meets it; None for no limit.
        weak: shown and not asserted.
        remark: why it is not met, or what is to be known about it.
    """

    name: str
    what: str
    value: float
    least: float | None = None
    most: float | None = None
    weak: bool = False
    remark: str = ""

    @property
    def met(self) -> bool:
        """Whether the value is within its limits; a NaN is not."""
        above = self.least is None or self.value >= self.least
        below = self.most is None or self.value <= self.most
        return bool(above and below and self.value == self.value)

    @property
    def limit(self) -> str:
        """The limits in words."""
        if self.least is None:
            return f"at most {self.most:g}"
        if self.most is None:
            return f"at least {self.least:g}"
        return f"{self.least:g} to {self.most:g}" if self.least < self.most else f"{self.least:g}"
