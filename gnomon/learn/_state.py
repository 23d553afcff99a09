"""State of a learner between two steps: settings, arrays, generator, and the arms on offer."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.learn._inputs import Arms, Sizes, short
from gnomon.learn.kernels import Floats, argmax, uniform
from gnomon.learn.settings import settings_of, whole

Value = TypeVar("Value")


class LearnerState:
    """Settings and state of a learner, and the choice among the arms on offer.

    Attributes:
        name: name of the algorithm, as on the command line.
        keeps: names of the arrays that learning changes, each an attribute.
        leaves: names of state arrays that a selection leaves for its own reward; filled with ones
            for a reward without a selection.
        sizes: N, d and f.
        generator: generator of random numbers; None for learners that draw none.
        steps: number of updates so far.
        clamped_variances: number of variances that rounding left below 0 and that were set to 0.
    """

    name: ClassVar[str]
    keeps: ClassVar[tuple[str, ...]] = ()
    leaves: ClassVar[tuple[str, ...]] = ()
    sizes: Sizes
    generator: np.random.Generator | None
    _on_offer: Arms | None  # None: all
    steps: int
    clamped_variances: int

    def __init__(self, sizes: Sizes, *, seed: int | None = None) -> None:
        if sizes.arms < 1:
            raise GnomonError(f"the number of arms must be at least 1, not {sizes.arms}")
        if sizes.dimensions < 1:
            raise GnomonError(
                f"the number of dimensions must be at least 1, not {sizes.dimensions}"
            )
        self.sizes = sizes
        self.seed = seed
        self.steps = 0
        self.clamped_variances = 0
        draws = None if seed is None else whole("seed", seed, least=0)
        self.generator = None if draws is None else np.random.default_rng(draws)
        self._on_offer = None
        self._decisions = self._lost = 0
        self._open: set[int] = set()
        self._unanswered = 0
        self._selected: tuple[Floats, int] | None = None
        self._exploiting = False

    @classmethod
    def from_sizes(cls, sizes: Sizes, **settings: Any) -> Self:
        """Return an empty learner of these sizes; arm features are sampled, actions evenly spaced.

        Raises:
            GnomonError: if the class needs another setting, or a setting is out of range.
        """
        kind: Any = cls
        names = settings_of(kind)
        given: dict[str, Any] = {"dimensions": sizes.dimensions}
        if "arms" in names:
            given["arms"] = sizes.arms
        if names.get("arm_features"):
            shape = (sizes.arms, sizes.features)
            given["arm_features"] = np.random.default_rng(7).uniform(-1, 1, size=shape)
        if "actions" in names:
            given |= {"actions": 3.0 * np.arange(sizes.arms), "bandwidth": 2.0}
        given |= settings
        missing = [name for name, needed in names.items() if needed and name not in given]
        if missing:
            raise GnomonError(f"{cls.__name__}: {', '.join(missing)} must have a value by default")
        create: Callable[..., Self] = cls
        return create(**given)

    @property
    def settings(self) -> dict[str, Any]:
        """Keyword arguments that create an empty learner like this one; JSON-compatible.

        They are the arguments of ``__init__``, each an attribute of its name; None is omitted.
        """
        values = {name: getattr(self.sizes, name, None) for name in ("arms", "dimensions")}
        found: dict[str, Any] = {}
        kind: Any = type(self)
        for name in settings_of(kind):
            value = values[name] if name in values else getattr(self, name)
            if value is not None:
                found[name] = value.tolist() if isinstance(value, np.ndarray) else value
        return found

    @property
    def state(self) -> dict[str, Floats]:
        """Arrays that learning changes, by name; not copies."""
        return {name: getattr(self, name) for name in self.keeps}

    @property
    def state_shapes(self) -> dict[str, tuple[int | str, ...]]:
        """Shape of each array of the state; a letter is a length that learning changes.

        Equal letters are equal lengths.
        """
        return {name: array.shape for name, array in self.state.items()}

    def _restore(self, arrays: dict[str, Floats]) -> None:
        """Copy a state of these shapes into the arrays."""
        for name, array in self.state.items():
            array[...] = arrays[name]

    def _renumbered(
        self, state: dict[str, Floats], kept: Sequence[int | None]
    ) -> dict[str, Floats]:
        """Return the state for other arms, for states that hold arm numbers."""
        del kept
        return state

    def forget_selections(self) -> None:
        """Discard open selections; the next reward belongs to an arm that another policy played."""
        for name in self.leaves:
            getattr(self, name)[...] = 1.0
        self._unanswered, self._selected = 0, None

    @property
    def state_size_bytes(self) -> int:
        """Size of the state arrays in float64, in bytes."""
        return sum(array.nbytes for array in self.state.values())

    @property
    def waiting(self) -> dict[str, Any]:
        """Decisions without a reward, in a form to be saved; JSON-compatible."""
        return {"decisions": self._decisions, "open": sorted(self._open), "lost": self._lost}

    @waiting.setter
    def waiting(self, value: dict[str, Any]) -> None:
        self._decisions, self._lost = int(value["decisions"]), int(value["lost"])
        self._open = {int(number) for number in value["open"]}

    def clone(self) -> Self:
        """Return an independent copy with the same state."""
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        words = (f"{name}={short(value)}" for name, value in self.settings.items())
        return f"{type(self).__name__}({', '.join(words)})"

    def _offering(self, arms: Arms | None, use: Callable[[], Value]) -> Value:
        self._on_offer = arms
        try:
            return use()
        finally:
            self._on_offer = None

    def _surely(self, arm: int) -> Floats:
        """Return probability 1 for one arm and 0 for the others."""
        chances: Floats = np.zeros(self.sizes.arms)
        chances[arm] = 1.0
        return chances

    def _evenly(self) -> Floats:
        """Return equal probabilities for the arms on offer."""
        chances: Floats = np.zeros(self.sizes.arms)
        chances[slice(None) if self._on_offer is None else self._on_offer] = 1.0 / self._offers()
        return chances

    def _random(self, count: int = 1) -> Floats:
        """Return random numbers from 0 up to 1 from the generator."""
        assert self.generator is not None
        return uniform(self.generator, count)

    def _offered(self, values: Floats) -> Floats:
        """Return the values of the arms on offer."""
        return values if self._on_offer is None else values[self._on_offer]

    def _offered_arm(self, index: int) -> int:
        """Return the arm with this index among the arms on offer."""
        return index if self._on_offer is None else int(self._on_offer[index])

    def _offers(self) -> int:
        """Return the number of arms on offer."""
        return self.sizes.arms if self._on_offer is None else len(self._on_offer)

    def _best(self, scores: Floats) -> int:
        """Return the arm with the highest score; if scores are equal, the lowest arm."""
        return self._offered_arm(argmax(self._offered(scores)))

    def _random_arm(self) -> int:
        """Return an arm on offer, sampled uniformly."""
        return self._offered_arm(int(self._random()[0] * self._offers()))

    def _arm_in_turn(self, turn: int) -> int:
        """Return the arms on offer in turn."""
        return self._offered_arm(turn % self._offers())
