"""What a kernel is: C sources, variants with their contracts, operands, models, bounds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from gnomon.base.errors import GnomonError, did_you_mean
from gnomon.bench.kernels._fixed import FixedPoint, Reals, Steps

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.arch import Architecture

Extents = tuple[int, ...]
"""The numbers a kernel is sized by, in the order of its C parameters."""

Operands = tuple[Steps, ...]


class Status(IntEnum):
    """What a kernel that can fail returns: ``enum fx_status`` of ``kernels/fx.h``."""

    OK = 0
    OVERFLOW = 1
    UNDEFINED = 2
    SINGULAR = 3
    TOO_LARGE = 4


@dataclass(frozen=True)
class Variant:
    """One implementation of a kernel.

    ``model`` computes the same bits from int64 operands. ``error_bound`` is the largest distance
    of a result from the real-number result, in real numbers and per element of the result, as
    long as nothing wraps or fails. ``status`` is what the function returns, a :class:`Status`;
    None if it returns nothing. ``obstacle`` says why a machine cannot run it at some size or
    in some format. ``helper`` is the function that harts 1 to ``harts`` - 1 run beside it.
    """

    name: str
    function: str
    sources: tuple[str, ...]
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
        extents: names of the numbers that size it.
        square: the extents that ``--n`` means.
        operand_shapes: array shapes of the operands.
        result_shape: array shape of the result.
        arguments: the numbers that the C functions take after the pointers.
        exact: the real-number result of real-number operands.
        generate: random operands from a generator; ``input_range`` says which.
        input_range: range of the generated operands, as real numbers.
        driver: the C file that calls a variant, in ``kernels/``.
        variants: the implementations.
        work_words: words of workspace that the C functions take after the result.
        in_place: indices of the operands in whose place the result may be written.
        result_is_index: the result is a whole number and not fixed point.
    """

    name: str
    title: str
    extents: tuple[str, ...]
    square: Callable[[int], Extents]
    operand_shapes: Callable[[Extents], tuple[tuple[int, ...], ...]]
    result_shape: Callable[[Extents], tuple[int, ...]]
    arguments: Callable[[Extents], tuple[int, ...]]
    exact: Callable[[tuple[Reals, ...]], Reals]
    generate: Callable[[FixedPoint, Extents, np.random.Generator], Operands]
    input_range: Callable[[Extents], str]
    driver: str
    variants: tuple[Variant, ...]
    work_words: Callable[[Extents], int] = lambda _: 0
    in_place: tuple[int, ...] = ()
    result_is_index: bool = False

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

    def to_real(self, fixed: FixedPoint, result: Steps) -> Reals:
        """The numbers that a result stands for."""
        return result.astype(np.float64) if self.result_is_index else fixed.to_real(result)

    def operands(self, fixed: FixedPoint, extents: Extents, seed: int) -> Operands:
        """Random operands: the same seed gives the same numbers."""
        if seed < 0:
            raise GnomonError(f"the seed must not be negative, not {seed}")
        return self.generate(fixed, self.check_extents(extents), np.random.default_rng(seed))


def uniform(
    fixed: FixedPoint, rng: np.random.Generator, shape: tuple[int, ...], limit: float
) -> Steps:
    """Numbers from -limit to limit (exclusive), every step alike."""
    steps = round(limit * 2**fixed.fraction_bits)
    return rng.integers(-steps, steps, size=shape, dtype=np.int64)


def any_words(rng: np.random.Generator, shape: tuple[int, ...]) -> Steps:
    """Numbers of the whole range, every one alike."""
    return rng.integers(-(2**31), 2**31, size=shape, dtype=np.int64)
