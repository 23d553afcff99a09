"""A statement about an experiment that can fail: what was found, what it must be."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Statement:
    """One acceptance criterion of a learner's experiment.

    Attributes:
        name: short, such as ``A1``.
        quantity: what is measured, in words.
        found: what this run gives.
        limit: what it must be.
        met: whether it is; None for a weak statement, which is shown and not asserted.
        before: what a prototype gave, on other random numbers; empty if it had none.
        remark: why it is not met, or what limits it.
    """

    name: str
    quantity: str
    found: str
    limit: str
    met: bool | None
    before: str = ""
    remark: str = ""


def span(values: list[float], form: str = ".3f") -> str:
    """The smallest and the largest of some numbers."""
    low, high = (format(value, form) for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def within(values: list[float], low: float, high: float) -> bool:
    """Whether all numbers lie in an interval."""
    return all(low <= value <= high for value in values)
