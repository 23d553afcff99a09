"""An acceptance criterion: what was measured, between which limits it must be, whether it is."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Criterion:
    """One line of a table of acceptance criteria.

    It limits a number, or each of several (``of_all``), or compares quantities (``compared``).

    Attributes:
        name: such as ``B6``.
        what: what is measured, in words.
        value: measured; of several, the one that is furthest out; NaN of a comparison.
        least: smallest value that meets it; None for no limit.
        most: largest value that meets it; None for no limit.
        weak: shown and not asserted.
        remark: why it is not met, or what is to be known about it.
        before: what a prototype gave, on other random numbers; empty if it had none.
        values: all that were measured, where there are several.
        form: of a number in words.
        comparison: in place of value and limits: what is found, what must hold between the
            quantities, and whether it does; None where nothing is asserted.
    """

    name: str
    what: str
    value: float
    least: float | None = None
    most: float | None = None
    weak: bool = False
    remark: str = ""
    before: str = ""
    values: tuple[float, ...] = ()
    form: str = ".3f"
    comparison: tuple[str, str, bool | None] | None = None

    @classmethod
    def of_all(
        cls,
        name: str,
        what: str,
        values: Iterable[float],
        *,
        least: float | None = None,
        most: float | None = None,
        before: str = "",
        form: str = ".3f",
    ) -> Self:
        """Each of the values must be within the limits."""

        def out(value: float) -> float:
            below = float("-inf") if least is None else least - value
            above = float("-inf") if most is None else value - most
            return float("inf") if isnan(value) else max(below, above)

        found = tuple(values)
        worst = max(found, key=out)
        return cls(name, what, worst, least, most, before=before, values=found, form=form)

    @classmethod
    def compared(
        cls,
        name: str,
        what: str,
        comparison: tuple[str, str, bool | None],
        *,
        before: str = "",
        remark: str = "",
    ) -> Self:
        """Quantities held against each other; weak where nothing is asserted of them."""
        weak = comparison[2] is None
        return cls(name, what, float("nan"), weak=weak, remark=remark, before=before,
                   comparison=comparison)  # fmt: skip

    @property
    def met(self) -> bool | None:
        """Whether the value is within its limits; a NaN is not. None where nothing is asserted."""
        if self.comparison is not None:
            return self.comparison[2]
        above = self.least is None or self.value >= self.least
        below = self.most is None or self.value <= self.most
        return bool(above and below and not isnan(self.value))

    @property
    def found(self) -> str:
        """What was measured, in words; of several values the smallest and the largest."""
        if self.comparison is not None:
            return self.comparison[0]
        values = self.values or (self.value,)
        low, high = (format(value, self.form) for value in (min(values), max(values)))
        return low if low == high else f"{low} to {high}"

    @property
    def limit(self) -> str:
        """The limits in words."""
        if self.comparison is not None:
            return self.comparison[1]
        if self.least is None:
            return f"at most {self.most:g}"
        if self.most is None:
            return f"at least {self.least:g}"
        return f"{self.least:g} to {self.most:g}" if self.least < self.most else f"{self.least:g}"


def span(values: Iterable[float], form: str = ".3f") -> str:
    """The smallest and the largest of some numbers, in words."""
    return Criterion.of_all("", "", values, form=form).found
