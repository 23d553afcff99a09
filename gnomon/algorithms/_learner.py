"""What an embedded learner is: C sources by code line and variant, and its operation counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from gnomon.content import content
from gnomon.errors import GnomonError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gnomon.algorithms._counts import StageCounts
    from gnomon.algorithms._sizes import Sizes

Line = Literal["paper", "tuned"]
"""``paper``: the structure of the published programs. ``tuned``: the best for the same machine."""

LINES: tuple[Line, ...] = ("paper", "tuned")


@dataclass(frozen=True, slots=True)
class LearnerVariant:
    """One implementation.

    Attributes:
        name: as on the command line.
        line: which code line it belongs to, also the folder in ``algorithms/``.
        sources: C files of that folder.
        vector: runs on the vector unit, with ``extensions`` of it.
        counts: 64-bit products and divisions of each stage on the scalar core, by formula; None
            where they hang on data.
        extensions: what the vector unit must have beyond the public one.
        fraction_bits: the only number of them that it computes with; None: any.
        shares_arms: harts can share its arms.
    """

    name: str
    line: Line
    sources: tuple[str, ...]
    vector: bool
    counts: Callable[[Sizes], StageCounts] | None
    extensions: tuple[str, ...] = ()
    fraction_bits: int | None = None
    shares_arms: bool = True

    def defines(self) -> dict[str, int]:
        """Macros that make the sources this implementation."""
        return {"LEARNER_VECTOR": 1} if self.vector else {}

    def paths(self, *others: str) -> list[Path]:
        """``others`` and the sources, as files."""
        return [content("algorithms", self.line, name) for name in (*others, *self.sources)]


@dataclass(frozen=True, slots=True)
class Learner:
    """One algorithm in all its variants.

    Attributes:
        name: as on the command line.
        title: in one line.
        has_features: arms have features of their own, so ``f`` is one of its sizes.
        alpha: weight of the confidence bound in the published program.
        variants: the implementations.
    """

    name: str
    title: str
    has_features: bool
    alpha: float
    variants: tuple[LearnerVariant, ...]

    def variant(self, name: str, line: str = "paper") -> LearnerVariant:
        """The variant of this name in a code line.

        Raises:
            GnomonError: there is none.
        """
        if line not in LINES:
            raise GnomonError(
                f"unknown code line {line!r} (allowed: {', '.join(LINES)}"
                f"{did_you_mean(line, LINES)})"
            )
        of_line = [variant for variant in self.variants if variant.line == line]
        for variant in of_line:
            if variant.name == name:
                return variant
        known = [variant.name for variant in of_line]
        allowed = ", ".join(known) or "none"
        raise GnomonError(
            f"learner {self.name} has no variant {name!r} in the {line} line (allowed: {allowed}"
            f"{did_you_mean(name, known)})"
        )

    def check_sizes(self, sizes: Sizes) -> Sizes:
        """Return the sizes.

        Raises:
            GnomonError: ``f`` is missing, or given to a learner without it.
        """
        if self.has_features and sizes.f is None:
            raise GnomonError(f"learner {self.name} needs f, the number of features of an arm")
        if not self.has_features and sizes.f is not None:
            raise GnomonError(f"learner {self.name} has no f: its arms have no features")
        return sizes
