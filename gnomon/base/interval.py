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


_T_975 = (
    12.706204736174694, 4.302652729749462, 3.1824463052837078, 2.7764451051977934,
    2.5705818356363146, 2.4469118511449786, 2.364624251592784, 2.306004135204166,
    2.262157162798205, 2.228138851986274, 2.200985160091639, 2.1788128296672284,
    2.1603686564627913, 2.144786687917804, 2.131449545559776, 2.1199052992212546,
    2.1098155778333156, 2.1009220402410382, 2.0930240544083087, 2.085963447265864,
    2.0796138447276795, 2.0738730679040254, 2.0686576104190486, 2.0638985616280245,
    2.0595385527532972, 2.0555294386428735, 2.0518305164802846, 2.0484071417952454,
    2.045229642132703, 2.0422724563012378, 2.039513446396408, 2.0369333434601016,
    2.0345152974493383, 2.0322445093177186, 2.030107928250343, 2.0280940009804502,
    2.0261924630291093, 2.0243941639119694, 2.022690920036761, 2.021075390306273,
)  # fmt: skip
"""What SciPy says for 0.975 and 1, 2, ... degrees: importing it takes longer than a short run."""


def student_quantile(probability: float, degrees_of_freedom: int) -> float:
    """The quantile of Student's distribution; 1.96 for 0.975 and many degrees of freedom."""
    if probability == 0.975 and 1 <= degrees_of_freedom <= len(_T_975):
        return _T_975[degrees_of_freedom - 1]
    from scipy.special import stdtrit

    return float(stdtrit(degrees_of_freedom, probability))
