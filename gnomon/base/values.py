"""Small functions on values: to JSON, from decimal digits, and in proportion."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

MOST_DIGITS: Final = 18
"""Most digits of a number; more exceed 64 bits, and Python rejects some thousand digits."""


def to_json_data(value: Any) -> Any:
    """Return a result as JSON-compatible data: what its ``to_json`` returns, or its fields."""
    if hasattr(value, "to_json"):
        return value.to_json()
    if is_dataclass(value):
        return {each.name: to_json_data(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, Mapping):
        return {name: to_json_data(each) for name, each in value.items()}
    return [to_json_data(each) for each in value] if isinstance(value, list | tuple) else value


def json_attributes(of: object, names: str) -> dict[str, Any]:
    """Return the attributes listed in ``names`` (separated by spaces) as JSON-compatible data."""
    return {name: to_json_data(getattr(of, name)) for name in names.split()}


def parse_digits(text: str) -> int | None:
    """Return the number that 1 to 18 decimal digits stand for; None for any other text."""
    decimal = text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
    return int(text) if decimal else None


def apportion(total: int, weights: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return whole numbers that sum to ``total``, in proportion to weights.

    The largest remainders are rounded up, ties from the lowest index. If all weights are zero, the
    first number is the total.
    """
    whole = int(weights.sum())
    parts = np.zeros(len(weights), dtype=np.int64)
    if whole <= 0:
        if total:
            parts[0] = total
        return parts
    # Python's integers: counts of long runs times counts exceed 64 bits.
    exact = [total * int(weight) for weight in weights]
    parts[:] = [value // whole for value in exact]
    rest = sorted(range(len(weights)), key=lambda k: (-(exact[k] % whole), k))
    for index in rest[: total - int(parts.sum())]:
        parts[index] += 1
    return parts
