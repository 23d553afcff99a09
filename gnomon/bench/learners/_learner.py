"""What an embedded learner is: C sources by code line and variant, and its operation counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from gnomon.base.content import content
from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.bench.kernels import kernel_include, kernel_source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from gnomon.bench.learners._counts import StageCounts
    from gnomon.bench.learners._sizes import Sizes

Line = Literal["paper", "tuned"]
"""``paper``: the structure of the published programs. ``tuned``: the best for the same machine."""

LINES: tuple[Line, ...] = ("paper", "tuned")

_HIGHEST_PERIOD = 2**31 - 1  # a word of the model counts down from it


@dataclass(frozen=True, slots=True)
class LearnerVariant:
    """One implementation.

    Attributes:
        name: as on the command line.
        line: which code line it belongs to.
        sources: C files of its folder.
        vector: runs on the vector unit, with ``extensions`` of it.
        counts: 64-bit products and divisions of each stage on the scalar core, by formula; None
            where they hang on data.
        extensions: what the vector unit must have beyond the public one.
        fraction_bits: the only number of them that it computes with; None: any.
        shares_arms: harts can share its arms.
        correction_period: updates from one computation of the inverses from the direct matrices to
            the next (section 3.3.3 of the paper); None for variants that have none.
        folder: in ``algorithms/``; empty: ``paper``, which has all it needs. The others take what
            every learner needs from ``common``, and headers of kernels.
        kernels: C files of kernels, as :func:`kernel_source` takes them.
        parameters: macros and their values, beyond the sizes.
    """

    name: str
    line: Line
    sources: tuple[str, ...]
    vector: bool
    counts: Callable[[Sizes], StageCounts] | None
    extensions: tuple[str, ...] = ()
    fraction_bits: int | None = None
    shares_arms: bool = True
    correction_period: int | None = None
    folder: str = ""
    kernels: tuple[str, ...] = ()
    parameters: tuple[tuple[str, int], ...] = ()

    def defines(self) -> dict[str, int]:
        """Macros that make the sources this implementation."""
        defines = {"LEARNER_VECTOR": 1} if self.vector else {}
        if self.correction_period is not None:
            defines["LEARNER_CORRECTION_PERIOD"] = self.correction_period
        return defines | dict(self.parameters)

    def with_parameters(self, **values: int) -> LearnerVariant:
        """The same with macros of these values, others as they are."""
        return replace(self, parameters=tuple(sorted({**dict(self.parameters), **values}.items())))

    def corrected_every(self, updates: int) -> LearnerVariant:
        """The same with another period.

        Raises:
            GnomonError: it has no correction, or the period is not from 1 to 2^31 - 1.
        """
        self.check_correction()
        if not 1 <= updates <= _HIGHEST_PERIOD:
            raise GnomonError(
                f"the correction period must be from 1 to {_HIGHEST_PERIOD:,} updates, not"
                f" {updates:,}"
            )
        return replace(self, correction_period=updates)

    def check_correction(self) -> None:
        """Refuse a variant without correction.

        Raises:
            GnomonError: it has none.
        """
        if self.correction_period is None:
            raise GnomonError(
                f"variant {self.name} of the {self.line} line has no periodic correction; take"
                " corrected or corrected-vector of the paper line"
            )

    def rounds_paths(self) -> list[Path]:
        """The program that plays many rounds, the same for all lines, and the sources, as files."""
        return [content("algorithms", "common", "rounds.c"), *self.paths("step.c")[1:]]

    def rounds_include(self) -> list[Path]:
        """Folders of headers for it, that of the learner first."""
        return [content("algorithms", self.folder or self.line), *self.include()]

    def paths(self, frame: str) -> list[Path]:
        """The program around a learner, and the sources, as files."""
        if not self.folder:
            return [content("algorithms", "paper", name) for name in (frame, *self.sources)]
        return [
            *(content("algorithms", "common", name) for name in (frame, "learner.c")),
            *(content("algorithms", self.folder, name) for name in self.sources),
            *(kernel_source(name) for name in self.kernels),
        ]

    def include(self) -> list[Path]:
        """Folders of headers beyond those of the sources."""
        if not self.folder:
            return []
        return [content("algorithms", "common"), *kernel_include()]


@dataclass(frozen=True, slots=True)
class Learner:
    """One algorithm in all its variants.

    Attributes:
        name: as on the command line.
        title: in one line.
        has_features: arms have features of their own, so ``f`` is one of its sizes.
        alpha: weight of the confidence bound in the published program.
        variants: the implementations.
        warm_steps: steps before the one that is measured, of a model that is not fresh.
        has_alpha: its program reads ``alpha``.
        fixed_arms: its arms have d features each that never change, at most 1 long, and there is no
            context.
        late_context: its update reads the context, for the selections after it.
    """

    name: str
    title: str
    has_features: bool
    alpha: float
    variants: tuple[LearnerVariant, ...]
    warm_steps: int = 64
    has_alpha: bool = True
    fixed_arms: bool = False
    late_context: bool = False

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

    def scalar_names(self, line: str) -> list[str]:
        """Of ``standard`` and ``optimized``, those that a code line has."""
        known = {variant.name for variant in self.variants if variant.line == line}
        return [name for name in ("standard", "optimized") if name in known] or ["standard"]

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
