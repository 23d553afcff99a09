"""Kernels: description, functions of ``model.py``, and variants in C."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError, allowed_hint
from gnomon.base.expressions import evaluate
from gnomon.base.values import parse_digits
from gnomon.measure.kernels._description import KernelFile
from gnomon.measure.kernels.fixed import FixedPoint, Operands, Reals, Steps
from gnomon.measure.kernels.work import CycleBound, LeastVectorWork, bound_work

Bound = Callable[[FixedPoint, Operands], Reals]
Obstacle = Callable[[Architecture, tuple[int, ...], FixedPoint], str | None]

Extents = tuple[int, ...]
"""Numbers that determine the size of a kernel, in the order of ``extents`` in ``kernel.yaml``."""


@dataclass(frozen=True)
class Variant:
    """Implementation of a kernel.

    ``model`` computes the same bits from int64 operands. ``error_bound`` is the largest distance of
    a result from the real-number result, in real numbers and per element of the result, as long as
    nothing wraps or fails. ``status`` is the return value, a :class:`Status`; None if it returns
    nothing. ``obstacle`` returns the reason why a machine cannot run it at some size or in some
    format. ``helper`` is the function that harts 1 to ``harts`` - 1 run at the same time.
    """

    name: str
    function: str
    sources: tuple[Path, ...]
    vector: bool
    scratchpads: int
    contract: str
    model: Callable[[FixedPoint, Operands], Steps]
    error_bound: Bound
    status: Callable[[FixedPoint, Operands], int] | None
    obstacle: Obstacle
    harts: int
    helper: str | None
    place: str  # file:line of ``model``
    bound_place: str  # file:line of ``error_bound``


@dataclass(frozen=True, eq=False)
class Kernel:
    """Operation with all its variants; speedups refer to the first.

    Attributes:
        name: name as on the command line.
        folder: folder of its ``kernel.yaml``.
        description: content of this file.
        exact: function that returns the real-number result of real-number operands.
        generate: function that samples operands from a generator; ``input_range`` describes them.
        variants: the implementations.
        driver: a C file that calls a variant, if the generated one is unsuitable.
        vector_work: least work of the vector unit, for :func:`cycle_bound`, of each algorithm.
        exact_place: ``file:line`` of ``exact``.
    """

    name: str
    folder: Path
    description: KernelFile
    exact: Callable[[tuple[Reals, ...]], Reals]
    generate: Callable[[FixedPoint, Extents, np.random.Generator], Operands]
    variants: tuple[Variant, ...]
    driver: Path | None
    vector_work: Callable[..., Sequence[LeastVectorWork]] | None
    exact_place: str

    @property
    def title(self) -> str:
        """One-line description of the kernel."""
        return self.description.title

    @property
    def extents(self) -> tuple[str, ...]:
        """Names of the numbers that determine the size."""
        return tuple(self.description.extents)

    @property
    def in_place(self) -> tuple[int, ...]:
        """Indices of the operands that the result may overwrite."""
        names = list(self.description.operands)
        return tuple(names.index(name) for name in self.description.in_place)

    def square(self, n: int) -> Extents:
        """Return the extents for ``--n``."""
        return tuple(evaluate(size, {"n": n}) for size in self.description.square)

    def sized(self, n: int | None, shape: str | None) -> Extents:
        """Return the extents from ``n`` or from a shape, numbers such as ``8x8x4`` or ``8,8,4``.

        Raises:
            GnomonError: if both or none are given, or the value is not a size of this kernel.
        """
        if n is not None and shape is not None:
            raise GnomonError("n and shape both set the size; omit one")
        if n is not None:
            return self.check_extents(self.square(n))
        if shape is None:
            raise GnomonError("a kernel needs its size: n, or shape such as 8x8x4")
        numbers = [parse_digits(word.strip()) for word in shape.replace("x", ",").split(",")]
        known = tuple(number for number in numbers if number is not None)
        if len(known) != len(numbers):
            raise GnomonError(
                f"shape must be numbers with x or commas between, such as 8x8x4, not {shape!r}"
            )
        return self.check_extents(known)

    def operand_shapes(self, extents: Extents) -> tuple[tuple[int, ...], ...]:
        """Return the shapes of the operands, in the order of the C parameters."""
        return tuple(self._sizes(shape, extents) for shape in self.description.operands.values())

    def result_shape(self, extents: Extents) -> tuple[int, ...]:
        """Return the shape of the array of results."""
        return self._sizes(self.description.result, extents)

    def arguments(self, extents: Extents) -> tuple[int, ...]:
        """Return the numbers that the C functions take after the pointers."""
        return self._sizes(self.description.arguments, extents)

    def work_words(self, extents: Extents) -> int:
        """Return the number of 32-bit words of workspace; 0 for functions without workspace.

        C functions with a workspace take a pointer to it after the result, so the number is at
        least 1.
        """
        words = self.description.work_words
        return max(1, *self._sizes([words], extents)) if words != 0 else 0

    def input_range(self, extents: Extents) -> str:
        """Return the range of the generated operands, as real numbers."""
        return self.description.input.format(**dict(zip(self.extents, extents, strict=True)))

    def _sizes(self, sizes: Sequence[str | int], extents: Extents) -> tuple[int, ...]:
        named = dict(zip(self.description.extents, extents, strict=True))
        return tuple(evaluate(size, named) for size in sizes)

    def variant(self, name: str) -> Variant:
        """Return the variant of this name.

        Raises:
            GnomonError: if no variant has this name.
        """
        known = {variant.name: variant for variant in self.variants}
        if name not in known:
            raise GnomonError(
                f"kernel {self.name} has no variant {name!r} {allowed_hint(name, known)}"
            )
        return known[name]

    def best_for(self, *, vector: bool) -> Variant:
        """Return the first variant of this kind; without one, the first variant."""
        wanted = [variant for variant in self.variants if variant.vector == vector]
        return (wanted or self.variants)[0]

    def check_extents(self, extents: Extents) -> Extents:
        """Return the extents.

        Raises:
            GnomonError: if their number is wrong, or one is below 1.
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
        """Return the declaration of a C function: operands, result, workspace if any, numbers."""
        description = self.description
        types = ["const fx_t *"] * len(description.operands) + ["fx_t *"]
        types += ["fx_t *"] * (description.work_words != 0)
        types += ["uint32_t"] * len(description.arguments)
        kind = "void" if variant.status is None else "enum fx_status"
        return f"{kind} {variant.function}({', '.join(types)});"

    def to_real(self, fixed: FixedPoint, result: Steps) -> Reals:
        """Return the numbers that a result represents."""
        return (
            result.astype(np.float64) if self.description.result_is_index else fixed.to_real(result)
        )

    def operands(self, fixed: FixedPoint, extents: Extents, seed: int) -> Operands:
        """Return random operands; the same seed gives the same numbers."""
        if seed < 0:
            raise GnomonError(f"the seed must not be negative, not {seed}")
        return self.generate(fixed, self.check_extents(extents), np.random.default_rng(seed))


def cycle_bound(kernel: Kernel, extents: Extents, simd: int) -> CycleBound:
    """Return the bound of a kernel's vector variant for operands that fit the scratchpads.

    Raises:
        GnomonError: if the ``kernel.yaml`` of this kernel has no ``vector_work``.
    """
    ways = kernel.vector_work
    if ways is None:
        raise GnomonError(f"no bound is derived for kernel {kernel.name}")
    return min((bound_work(each, simd) for each in ways(*extents)), key=lambda bound: bound.cycles)


def describe_value(value: object) -> str:
    """Return a value as text for messages: an array by type and shape, without its numbers."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype}, shape {value.shape}"
    if isinstance(value, tuple | list):
        return f"({', '.join(map(describe_value, value))})"
    return repr(value)
