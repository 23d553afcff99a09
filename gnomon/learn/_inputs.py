"""Checks of a learner's inputs: contexts, arms, rewards, arms on offer, tables of them."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnomon.base.errors import GnomonError
from gnomon.learn.kernels import Floats

Arms: TypeAlias = NDArray[np.int64]

LARGEST_CONTEXT = 1e6
"""Largest magnitude of a context value, so that adding 1.0 to its square still changes the sum."""

LARGEST_REWARD = 1e100
"""Largest magnitude of a reward: sums of 10^100 rewards times contexts stay finite."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Number of arms N, length d of a context, length f of an arm's features (0: none)."""

    arms: int
    dimensions: int
    features: int = 0


def check_contexts(context: ArrayLike, sizes: Sizes, limit: float) -> Floats:
    """Return a context as one row for each arm, (arms, d), read-only.

    Args:
        context: one vector (d) for all arms, or one row for each arm (arms, d).
        sizes: of the learner.
        limit: largest magnitude of a value.

    Raises:
        GnomonError: if a shape is wrong, or a value is not finite or too large.
    """
    arms, dimensions = sizes.arms, sizes.dimensions
    try:
        values = np.asarray(context, np.float64, "C")
    except (TypeError, ValueError):
        raise GnomonError(f"a context must be {dimensions} numbers, not {short(context)}") from None
    shape = values.shape
    if shape != (dimensions,) and shape != (arms, dimensions):  # noqa: PLR1714 - a set takes time
        raise GnomonError(
            f"a context must have the shape ({dimensions},), or ({arms}, {dimensions}) with"
            f" one row for each arm, not {values.shape}"
        )
    # A small sum of squares implies small values, and takes a third of the time to compute.
    small = (flat := values.ravel()).dot(flat) <= limit * limit
    if not small and not (fits := np.abs(values) <= limit).all():
        where = tuple(int(i) for i in np.argwhere(~fits)[0])
        raise GnomonError(
            f"a context must have finite values of at most {limit:g} in magnitude;"
            f" at index {', '.join(map(str, where))} it is {float(values[where])!r}"
        )
    if values.ndim == 2:
        rows: Floats = values.view()
    else:  # same as ``broadcast_to`` in a tenth of the time, which matters in small steps
        rows = np.ndarray((arms, dimensions), np.float64, values, 0, (0, values.itemsize))
    rows.flags.writeable = False
    return rows


def check_arm(arm: int, sizes: Sizes) -> int:
    """Return the number of an arm.

    Raises:
        GnomonError: if the arm does not exist.
    """
    if isinstance(arm, bool) or not isinstance(arm, int | np.integer):
        raise GnomonError(f"the arm must be a whole number, not {arm!r}")
    if not 0 <= arm < sizes.arms:
        raise GnomonError(f"the arm must be 0 to {sizes.arms - 1}, not {arm}")
    return int(arm)


def check_reward(reward: float) -> float:
    """Return a reward.

    Raises:
        GnomonError: if the reward is not finite, or too large.
    """
    try:
        value = float(reward)
    except (TypeError, ValueError):
        raise GnomonError(f"the reward must be a number, not {reward!r}") from None
    if not abs(value) <= LARGEST_REWARD:  # also true for NaN
        raise GnomonError(
            f"the reward must be a finite number of at most {LARGEST_REWARD:g} in magnitude,"
            f" not {value!r}"
        )
    return value


def check_offer(arms: ArrayLike, sizes: Sizes) -> Arms:
    """Return the arms on offer in a round, ascending.

    Raises:
        GnomonError: if they are not whole numbers, or an arm does not exist or occurs twice.
    """
    values = np.asarray(arms)
    if values.ndim != 1 or not len(values) or values.dtype.kind not in "iu":
        raise GnomonError(f"arms on offer must be whole numbers, not {short(arms)}")
    ordered = np.sort(values).astype(np.int64)
    if ordered[0] < 0 or ordered[-1] >= sizes.arms:
        wrong = ordered[0] if ordered[0] < 0 else ordered[-1]
        raise GnomonError(f"an arm on offer must be 0 to {sizes.arms - 1}, not {wrong}")
    if (ordered[1:] == ordered[:-1]).any():
        raise GnomonError(f"an arm is on offer twice in {short(arms)}")
    return ordered


def table_of(name: str, values: ArrayLike, columns: int, limit: float) -> Floats:
    """Return a table of ``columns`` columns, after a check that all values are within the limit."""
    try:
        table = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise GnomonError(f"{name} must be numbers, not {short(values)}") from None
    if table.ndim != 2 or table.shape[1] != columns:
        raise GnomonError(f"{name} must have the shape (steps, {columns}), not {table.shape}")
    fits = np.abs(table) <= limit  # also false for NaN
    if not fits.all():
        step, column = (int(place) for place in np.argwhere(~fits)[0])
        raise GnomonError(
            f"{name} must be finite numbers of at most {limit:g} in magnitude; in step {step}, at"
            f" index {column}, it is {float(table[step, column])!r}"
        )
    return table


def short(value: object) -> str:
    """Return the repr of a value, or the beginning of it."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
