"""What a learner is given, checked: contexts, arms, rewards; and the arms on offer in a round."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gnomon.base.errors import GnomonError
from gnomon.learn.kernels import Floats, argmax, uniform

Arms: TypeAlias = NDArray[np.int64]
Value = TypeVar("Value")

LARGEST_CONTEXT = 1e6
"""Largest magnitude of a context value: its square must leave 1.0 visible next to it."""

LARGEST_REWARD = 1e100
"""Largest magnitude of a reward: sums of 10^100 rewards times contexts stay finite."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Number of arms N, length d of a context, length f of an arm's features (0: none)."""

    arms: int
    dimensions: int
    features: int = 0


class Inputs:
    """What a learner of some sizes is given, checked, and how it takes an arm on offer."""

    sizes: Sizes
    generator: np.random.Generator | None
    _on_offer: Arms | None  # None: all

    def checked(self, context: ArrayLike, arm: int, reward: float) -> tuple[Floats, int, float]:
        """What ``update`` takes, as it learns it: contexts of (arms, d).

        Raises:
            GnomonError: the arm does not exist, or a value is not finite or too large.
        """
        contexts = self._contexts(context)
        if isinstance(arm, bool) or not isinstance(arm, int | np.integer):
            raise GnomonError(f"the arm must be a whole number, not {arm!r}")
        if not 0 <= arm < self.sizes.arms:
            raise GnomonError(f"the arm must be 0 to {self.sizes.arms - 1}, not {arm}")
        try:
            value = float(reward)
        except (TypeError, ValueError):
            raise GnomonError(f"the reward must be a number, not {reward!r}") from None
        if not abs(value) <= LARGEST_REWARD:  # a NaN is not, either
            raise GnomonError(
                f"the reward must be a finite number of at most {LARGEST_REWARD:g} in magnitude,"
                f" not {value!r}"
            )
        return contexts, int(arm), value

    def _contexts(self, context: ArrayLike) -> Floats:
        arms, dimensions = self.sizes.arms, self.sizes.dimensions
        try:
            values = np.asarray(context, np.float64, "C")
        except (TypeError, ValueError):
            raise GnomonError(
                f"a context must be {dimensions} numbers, not {short(context)}"
            ) from None
        shape = values.shape
        if shape != (dimensions,) and shape != (arms, dimensions):  # noqa: PLR1714 - a set takes time
            raise GnomonError(
                f"a context must have the shape ({dimensions},), or ({arms}, {dimensions}) with"
                f" one row for each arm, not {values.shape}"
            )
        limit = self.largest_context
        # A sum of squares that is small enough is one of small numbers, in a third of the time.
        small = (flat := values.ravel()).dot(flat) <= limit * limit
        if not small and not (fits := np.abs(values) <= limit).all():
            where = tuple(int(i) for i in np.argwhere(~fits)[0])
            raise GnomonError(
                f"a context must have finite values of at most {limit:g} in magnitude;"
                f" at index {', '.join(map(str, where))} it is {float(values[where])!r}"
            )
        if values.ndim == 2:
            rows: Floats = values.view()
        else:  # as ``broadcast_to`` does in ten times the time, much of that of a small step
            rows = np.ndarray((arms, dimensions), np.float64, values, 0, (0, values.itemsize))
        rows.flags.writeable = False
        return rows

    def _arms(self, arms: ArrayLike) -> Arms:
        """Arms on offer, ascending."""
        values = np.asarray(arms)
        if values.ndim != 1 or not len(values) or values.dtype.kind not in "iu":
            raise GnomonError(f"arms on offer must be whole numbers, not {short(arms)}")
        ordered = np.sort(values).astype(np.int64)
        if ordered[0] < 0 or ordered[-1] >= self.sizes.arms:
            wrong = ordered[0] if ordered[0] < 0 else ordered[-1]
            raise GnomonError(f"an arm on offer must be 0 to {self.sizes.arms - 1}, not {wrong}")
        if (ordered[1:] == ordered[:-1]).any():
            raise GnomonError(f"an arm is on offer twice in {short(arms)}")
        return ordered

    @property
    def largest_context(self) -> float:
        """Largest magnitude of a context value that is taken."""
        return LARGEST_CONTEXT

    def _offering(self, arms: Arms | None, use: Callable[[], Value]) -> Value:
        self._on_offer = arms
        try:
            return use()
        finally:
            self._on_offer = None

    def _surely(self, arm: int) -> Floats:
        """All probability on one arm."""
        chances: Floats = np.zeros(self.sizes.arms)
        chances[arm] = 1.0
        return chances

    def _evenly(self) -> Floats:
        """Any arm on offer, each as likely."""
        chances: Floats = np.zeros(self.sizes.arms)
        chances[slice(None) if self._on_offer is None else self._on_offer] = 1.0 / self._offers()
        return chances

    def _random(self, count: int = 1) -> Floats:
        """Numbers from 0 up to 1 from the generator."""
        assert self.generator is not None
        return uniform(self.generator, count)

    def _offered(self, values: Floats) -> Floats:
        """Of one value for each arm, those of the arms on offer."""
        return values if self._on_offer is None else values[self._on_offer]

    def _offered_arm(self, index: int) -> int:
        """The arm with this index among those on offer."""
        return index if self._on_offer is None else int(self._on_offer[index])

    def _offers(self) -> int:
        """How many arms are on offer."""
        return self.sizes.arms if self._on_offer is None else len(self._on_offer)

    def _best(self, scores: Floats) -> int:
        """The arm with the highest score; of equal scores, the lowest arm."""
        return self._offered_arm(argmax(self._offered(scores)))

    def _random_arm(self) -> int:
        """Any arm, each as likely."""
        return self._offered_arm(int(self._random()[0] * self._offers()))

    def _arm_in_turn(self, turn: int) -> int:
        """One arm after the other."""
        return self._offered_arm(turn % self._offers())


def table_of(name: str, values: ArrayLike, columns: int, limit: float) -> Floats:
    """A table of so many columns, all of its values finite and within the limit."""
    try:
        table = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise GnomonError(f"{name} must be numbers, not {short(values)}") from None
    if table.ndim != 2 or table.shape[1] != columns:
        raise GnomonError(f"{name} must have the shape (steps, {columns}), not {table.shape}")
    fits = np.abs(table) <= limit  # a NaN does not, either
    if not fits.all():
        step, column = (int(place) for place in np.argwhere(~fits)[0])
        raise GnomonError(
            f"{name} must be finite numbers of at most {limit:g} in magnitude; in step {step}, at"
            f" index {column}, it is {float(table[step, column])!r}"
        )
    return table


def short(value: object) -> str:
    """Its repr, or the beginning of it."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
