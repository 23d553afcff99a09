"""What stays of a learner: its settings and its state, copied, saved and loaded."""

from __future__ import annotations

import copy
from typing import Any, ClassVar, Self

import numpy as np

from gnomon.learn._inputs import Inputs, short
from gnomon.learn.kernels import Floats
from gnomon.learn.settings import settings_of


class Stored(Inputs):
    """Settings and state of a learner; ``keeps`` names the arrays that learning changes."""

    keeps: ClassVar[tuple[str, ...]] = ()
    _decisions: int
    _lost: int
    _open: set[int]

    @property
    def settings(self) -> dict[str, Any]:
        """The keyword arguments that create an empty learner like this one; plain JSON data.

        Those of ``__init__``, each an attribute of its name; None is left out.
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
        """The arrays that learning changes, by name; not copies."""
        return {name: getattr(self, name) for name in self.keeps}

    @property
    def state_shapes(self) -> dict[str, tuple[int | str, ...]]:
        """Shape of each array of the state; a letter is a length that learning changes.

        Equal letters are equal lengths.
        """
        return {name: array.shape for name, array in self.state.items()}

    def _restore(self, arrays: dict[str, Floats]) -> None:
        """Take over a state of these shapes."""
        for name, array in self.state.items():
            array[...] = arrays[name]

    @property
    def state_size_bytes(self) -> int:
        """Bytes of the state arrays in float64."""
        return sum(array.nbytes for array in self.state.values())

    @property
    def waiting(self) -> dict[str, Any]:
        """Decisions that have no reward yet, for saving; plain JSON data."""
        return {"decisions": self._decisions, "open": sorted(self._open), "lost": self._lost}

    @waiting.setter
    def waiting(self, value: dict[str, Any]) -> None:
        self._decisions, self._lost = int(value["decisions"]), int(value["lost"])
        self._open = {int(number) for number in value["open"]}

    def clone(self) -> Self:
        """An independent copy with the same state."""
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        words = (f"{name}={short(value)}" for name, value in self.settings.items())
        return f"{type(self).__name__}({', '.join(words)})"
