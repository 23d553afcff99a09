"""A figure with the interval that it is in, and its unit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure and what it may be: ``low <= value <= high``, in ``unit`` (empty: a number)."""

    value: float
    low: float
    high: float
    unit: str = ""

    def __add__(self, other: Interval) -> Interval:
        """Ends add up: nothing says that errors of parts cancel.

        Raises:
            ValueError: the units differ.
        """
        if self.unit != other.unit:
            raise ValueError(f"{self.unit or 'a number'} and {other.unit or 'a number'} do not add")
        return Interval(
            self.value + other.value, self.low + other.low, self.high + other.high, self.unit
        )

    def __mul__(self, factor: float) -> Interval:
        """As many of them, all off in the same direction; ``factor`` is 0 or more."""
        return self.scaled(factor, self.unit)

    def scaled(self, factor: float, unit: str) -> Interval:
        """In another unit: ``factor`` of it in one of this one."""
        return Interval(self.value * factor, self.low * factor, self.high * factor, unit)

    def spread(self, low: float, high: float) -> Interval:
        """The same value with ends at ``low`` and ``high`` times it."""
        return Interval(self.value, self.value * low, self.value * high, self.unit)

    def less(self, taken: float) -> Interval:
        """Without what is counted elsewhere; never below nothing."""
        value, low, high = (max(0.0, end - taken) for end in (self.value, self.low, self.high))
        return Interval(value, low, high, self.unit)

    def to_json(self) -> dict[str, float]:
        """Value and ends; the unit is in the name of the field."""
        return {"value": self.value, "low": self.low, "high": self.high}


def student_quantile(probability: float, degrees_of_freedom: int) -> float:
    """Return the quantile of Student's distribution: 1.96 for 0.975 and many degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees_of_freedom, probability))
