"""The compile-time sizes of an embedded learner."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.base.errors import GnomonError


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large a learner is.

    Attributes:
        d: features of a context.
        arms: number of arms.
        f: features of an arm, for hybrid learners; None for the others.

    Raises:
        GnomonError: a size below 1.
    """

    d: int
    arms: int
    f: int | None = None

    def __post_init__(self) -> None:
        """Refuse sizes that no learner can have."""
        for name, value in self.named().items():
            if value < 1:
                raise GnomonError(f"{name} must be at least 1, not {value}")

    @property
    def k(self) -> int:
        """Shared features of a hybrid learner, d * f."""
        return self.d * (self.f or 0)

    def named(self) -> dict[str, int]:
        """The sizes that this learner has, by name."""
        named = {"d": self.d, "arms": self.arms}
        return named if self.f is None else {**named, "f": self.f}

    def defines(self) -> dict[str, int]:
        """The same as macros for ``learner.h``."""
        return {f"LEARNER_{name.upper()}": value for name, value in self.named().items()}
