"""Settings of learners: the settings that a class takes, and checks of their values."""

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gnomon.base.errors import GnomonError
from gnomon.learn.kernels import Floats


@cache
def settings_of(kind: type[Any]) -> dict[str, bool]:
    """Return the settings that a class takes, and whether each is required.

    ``**settings`` stands for the settings of the parent class.
    """
    names: dict[str, bool] = {}
    for of in kind.__mro__:
        if "__init__" not in vars(of):
            continue
        create: Callable[..., None] = vars(of)["__init__"]
        parameters = inspect.signature(create).parameters.values()
        keyword = [each for each in parameters if each.kind is each.KEYWORD_ONLY]
        names = {each.name: each.default is each.empty for each in keyword} | names
        if not any(each.kind is each.VAR_KEYWORD for each in parameters):
            break
    return names


def rows_of_arms(
    name: str,
    values: ArrayLike,
    shape: str,
    *,
    arms: int | None = None,
    limit: float | None = None,
    column: bool = False,
) -> Floats:
    """Check a setting that holds a row of numbers for each arm.

    Args:
        name: name of the setting.
        values: the given value, which is copied.
        shape: text of the shape for messages, such as ``(arms, features)``.
        arms: required number of rows; None for any number.
        limit: largest magnitude; None for any finite number.
        column: whether one number per arm is accepted, as a column.

    Raises:
        GnomonError: if the value is not such a table, or a number is out of range.
    """
    try:
        rows = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise GnomonError(f"{name} must be one row of numbers for each arm") from None
    if rows.ndim == 1 and column:
        rows = rows[:, None]
    if rows.ndim != 2 or 0 in rows.shape or arms not in {None, len(rows)}:
        raise GnomonError(f"{name} must have the shape {shape}, not {rows.shape}")
    if not (np.isfinite(rows) if limit is None else np.abs(rows) <= limit).all():
        most = "" if limit is None else f" of at most {limit:g} in magnitude"
        raise GnomonError(f"{name} must be finite numbers{most}")
    return rows


def positive(name: str, value: float, *, zero: bool = False) -> float:
    """Return a setting that is a finite number above 0 (or from 0, with ``zero``).

    Raises:
        GnomonError: if the value is not such a number.
    """
    least = "from 0" if zero else "above 0"
    number = isinstance(value, int | float) and np.isfinite(value)
    if not number or value < 0 or (value == 0 and not zero):
        raise GnomonError(f"{name} must be a finite number {least}, not {value!r}")
    return float(value)


def share(name: str, value: float) -> float:
    """Return a setting that is a probability.

    Raises:
        GnomonError: if the value is not a number from 0 to 1.
    """
    if not isinstance(value, int | float) or not 0 <= value <= 1:
        raise GnomonError(f"{name} must be a number from 0 to 1, not {value!r}")
    return float(value)


def whole(name: str, value: int, *, least: int = 1) -> int:
    """Return a setting that is a count.

    Raises:
        GnomonError: if the value is not a whole number from ``least``.
    """
    if type(value) is not int or value < least:
        raise GnomonError(f"{name} must be a whole number from {least}, not {value!r}")
    return value
