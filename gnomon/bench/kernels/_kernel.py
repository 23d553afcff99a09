"""What a kernel is: C sources, variants with their contracts, operands, models, bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gnomon.base.errors import GnomonError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from gnomon.arch import Architecture
    from gnomon.bench.kernels.fixed import FixedPoint, Reals, Steps
    from gnomon.bench.kernels.work import VectorWork

    Operands = tuple[Steps, ...]

Extents = tuple[int, ...]
"""The numbers a kernel is sized by, in the order of ``extents`` in its ``kernel.yaml``."""


@dataclass(frozen=True)
class Variant:
    """One implementation of a kernel.

    ``model`` computes the same bits from int64 operands. ``error_bound`` is the largest distance
    of a result from the real-number result, in real numbers and per element of the result, as
    long as nothing wraps or fails. ``status`` is what the function returns, a :class:`Status`;
    None if it returns nothing. ``obstacle`` says why a machine cannot run it at some size or
    in some format. ``helper`` is the function that harts 1 to ``harts`` - 1 run at the same time.
    """

    name: str
    function: str
    sources: tuple[Path, ...]
    vector: bool
    contract: str
    model: Callable[[FixedPoint, Operands], Steps]
    error_bound: Callable[[FixedPoint, Operands], Reals]
    status: Callable[[FixedPoint, Operands], int] | None = None
    obstacle: Callable[[Architecture, Extents, FixedPoint], str | None] = lambda *_: None
    harts: int = 1
    helper: str | None = None


@dataclass(frozen=True)
class Kernel:
    """One operation in all its variants; the first one is what speedups refer to.

    Attributes:
        name: as on the command line.
        title: what it computes, in one line.
        folder: of its ``kernel.yaml``.
        extents: names of the numbers that size it.
        square: the extents that ``--n`` means.
        operand_names: of the operands, in the order of the C parameters.
        operand_shapes: array shapes of the operands.
        result_shape: array shape of the result.
        arguments: the numbers that the C functions take after the pointers.
        exact: the real-number result of real-number operands.
        generate: random operands from a generator; ``input_range`` says which.
        input_range: range of the generated operands, as real numbers.
        variants: the implementations.
        work_words: words of workspace that the C functions take after the result.
        in_place: indices of the operands in whose place the result may be written.
        result_is_index: the result is a whole number and not fixed point.
        driver: a C file that calls a variant, where the generated one does not do.
        vector_work: least work of the vector unit, for :func:`cycle_bound`, of each way to do it.
    """

    name: str
    title: str
    folder: Path
    extents: tuple[str, ...]
    square: Callable[[int], Extents]
    operand_names: tuple[str, ...]
    operand_shapes: Callable[[Extents], tuple[tuple[int, ...], ...]]
    result_shape: Callable[[Extents], tuple[int, ...]]
    arguments: Callable[[Extents], tuple[int, ...]]
    exact: Callable[[tuple[Reals, ...]], Reals]
    generate: Callable[[FixedPoint, Extents, np.random.Generator], Operands]
    input_range: Callable[[Extents], str]
    variants: tuple[Variant, ...]
    work_words: Callable[[Extents], int] = lambda _: 0
    in_place: tuple[int, ...] = ()
    result_is_index: bool = False
    driver: Path | None = None
    vector_work: Callable[..., Sequence[VectorWork]] | None = None

    def variant(self, name: str) -> Variant:
        """The variant of this name.

        Raises:
            GnomonError: there is none.
        """
        for variant in self.variants:
            if variant.name == name:
                return variant
        known = [variant.name for variant in self.variants]
        raise GnomonError(
            f"kernel {self.name} has no variant {name!r} (allowed: {', '.join(known)}"
            f"{did_you_mean(name, known)})"
        )

    def check_extents(self, extents: Extents) -> Extents:
        """Return the extents.

        Raises:
            GnomonError: their number is wrong, or one is below 1.
        """
        if len(extents) != len(self.extents):
            raise GnomonError(
                f"kernel {self.name} is sized by {len(self.extents)} number(s),"
                f" {','.join(self.extents)}; got {len(extents)}"
            )
        for name, value in zip(self.extents, extents, strict=True):
            if value < 1:
                raise GnomonError(f"kernel {self.name}: {name} must be at least 1, not {value}")
        return extents

    def prototype(self, variant: Variant) -> str:
        """The declaration of a C function: operands, result, workspace if any, numbers."""
        extents = self.square(1)
        types = ["const fx_t *"] * len(self.operand_names) + ["fx_t *"]
        types += ["fx_t *"] * bool(self.work_words(extents))
        types += ["uint32_t"] * len(self.arguments(extents))
        kind = "void" if variant.status is None else "enum fx_status"
        return f"{kind} {variant.function}({', '.join(types)});"

    def to_real(self, fixed: FixedPoint, result: Steps) -> Reals:
        """The numbers that a result stands for."""
        return result.astype(np.float64) if self.result_is_index else fixed.to_real(result)

    def operands(self, fixed: FixedPoint, extents: Extents, seed: int) -> Operands:
        """Random operands: the same seed gives the same numbers."""
        if seed < 0:
            raise GnomonError(f"the seed must not be negative, not {seed}")
        return self.generate(fixed, self.check_extents(extents), np.random.default_rng(seed))
