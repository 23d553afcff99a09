"""A figure with its interval and unit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure and its bounds: ``low <= value <= high``, in ``unit`` (empty: a number)."""

    value: float
    low: float
    high: float
    unit: str = ""

    def __add__(self, other: Interval) -> Interval:
        """Add values and bounds: errors of the summands may not cancel.

        Raises:
            ValueError: if the units differ.
        """
        if self.unit != other.unit:
            raise ValueError(f"{self.unit or 'a number'} and {other.unit or 'a number'} do not add")
        return Interval(
            self.value + other.value, self.low + other.low, self.high + other.high, self.unit
        )

    def __mul__(self, factor: float) -> Interval:
        """Multiply value and bounds by ``factor``, which is 0 or more."""
        return self.scaled(factor, self.unit)

    def scaled(self, factor: float, unit: str) -> Interval:
        """Convert to another unit; ``factor`` is the size of this unit in the other one."""
        return Interval(self.value * factor, self.low * factor, self.high * factor, unit)

    def spread(self, low: float, high: float) -> Interval:
        """Return the same value with bounds ``low`` and ``high`` times the value."""
        return Interval(self.value, self.value * low, self.value * high, self.unit)

    def less(self, taken: float) -> Interval:
        """Subtract ``taken``, which is counted elsewhere; no result is below 0."""
        value, low, high = (max(0.0, end - taken) for end in (self.value, self.low, self.high))
        return Interval(value, low, high, self.unit)

    def to_json(self) -> dict[str, float]:
        """Return value and bounds; the unit is in the name of the field."""
        return {"value": self.value, "low": self.low, "high": self.high}


def student_quantile(probability: float, degrees_of_freedom: int) -> float:
    """Return the quantile of Student's distribution: 1.96 for 0.975 and many degrees of freedom."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees_of_freedom, probability))
