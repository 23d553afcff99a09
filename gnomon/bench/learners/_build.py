"""Embedded learners as programs for a machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.errors import GnomonError
from gnomon.program import build

if TYPE_CHECKING:
    from gnomon.arch import Architecture
    from gnomon.bench.learners._learner import Learner, LearnerVariant
    from gnomon.bench.learners._sizes import Sizes
    from gnomon.program import Program

_FIRST_STACK_BYTES = 16
_STACK_ALIGNMENT_BYTES = 16
_LIBRARY_SOURCES = ("paper_divide.c", "paper_square_root.c", "fx_divide.c", "fx_sqrt.c")


def check_machine(
    learner: Learner,
    variant: LearnerVariant,
    architecture: Architecture,
    harts: int,
    fraction_bits: int,
) -> None:
    """Refuse a machine or choices that a variant is not made for.

    Raises:
        GnomonError: a missing vector unit or extension, or a choice that it does not leave.
    """
    title = f"learner {learner.name}, variant {variant.name}"
    vcu = architecture.vcu
    if variant.vector and vcu is None:
        raise GnomonError(f"{title}: {architecture.name} has no vector unit")
    missing = [name for name in variant.extensions if vcu and name not in vcu.extensions]
    if missing:
        raise GnomonError(
            f"{title}: the vector unit of {architecture.name} lacks {', '.join(missing)}; take"
            " t13-paper-simd1, -simd2, -simd4 or -simd8"
        )
    if variant.fraction_bits not in (None, fraction_bits):
        raise GnomonError(
            f"{title} computes with {variant.fraction_bits} fraction bits, not {fraction_bits}"
        )
    if not variant.shares_arms and harts > 1:
        raise GnomonError(f"{title} runs on 1 hart, not {harts}")


def build_learner(
    learner: Learner,
    variant: LearnerVariant,
    architecture: Architecture,
    sizes: Sizes,
    *,
    harts: int = 1,
    fraction_bits: int = 15,
    stack_size_bytes: int | None = None,
    compiler: str = "zig",
    optimization: str = "-O2",
    library_optimization: str | None = None,
    rounds: int | None = None,
) -> Program:
    """Build a learner with the program that runs one step of it, or so many ``rounds``.

    Stacks take all the data memory that static data leaves, unless ``stack_size_bytes`` says how
    much each active hart has. ``library_optimization`` is another level for what a toolchain brings
    compiled: copying and clearing of memory, 64-bit division, square root.

    Raises:
        GnomonError: the machine cannot run it, or it does not fit its memory.
    """
    learner.check_sizes(sizes)
    check_machine(learner, variant, architecture, harts, fraction_bits)
    if harts > sizes.arms:
        raise GnomonError(f"{harts} harts cannot share {sizes.arms} arm(s)")

    sources = variant.paths("step.c" if rounds is None else "rounds.c")
    defines = {**sizes.defines(), **variant.defines(), "FX_FRACTION_BITS": fraction_bits}
    if rounds is not None:
        defines["LEARNER_ROUNDS"] = rounds
    library = ["memory.c", *(path.name for path in sources if path.name in _LIBRARY_SOURCES)]

    def at_stack(size_bytes: int) -> Program:
        return build(
            sources,
            architecture,
            include=variant.include(),
            defines=defines,
            optimization=optimization,
            compiler=compiler,
            active_harts=harts,
            stack_size_bytes=size_bytes,
            optimization_of=dict.fromkeys(library, library_optimization)
            if library_optimization
            else {},
        )

    if stack_size_bytes is None:
        first = at_stack(_FIRST_STACK_BYTES)
        free = first.symbol("_stack_top").address - first.symbol("_data_end").address
        stack_size_bytes = free // harts & -_STACK_ALIGNMENT_BYTES
    return at_stack(stack_size_bytes)
