"""Embedded learners as programs for a machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.errors import GnomonError
from gnomon.program import build

if TYPE_CHECKING:
    from gnomon.algorithms._learner import Learner, LearnerVariant
    from gnomon.algorithms._sizes import Sizes
    from gnomon.arch import Architecture
    from gnomon.program import Program

_FIRST_STACK_BYTES = 16
_STACK_ALIGNMENT_BYTES = 16


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
) -> Program:
    """Build a learner with the program that runs one step of it.

    Stacks take all the data memory that static data leaves, unless ``stack_size_bytes`` says how
    much each active hart has.

    Raises:
        GnomonError: the machine cannot run it, or it does not fit its memory.
    """
    learner.check_sizes(sizes)
    if variant.vector and architecture.vcu is None:
        raise GnomonError(
            f"learner {learner.name}, variant {variant.name}: {architecture.name} has no vector"
            " unit"
        )
    if harts > sizes.arms:
        raise GnomonError(f"{harts} harts cannot share {sizes.arms} arm(s)")

    def at_stack(size_bytes: int) -> Program:
        return build(
            variant.paths("step.c"),
            architecture,
            defines={**sizes.defines(), "FX_FRACTION_BITS": fraction_bits},
            optimization=optimization,
            compiler=compiler,
            active_harts=harts,
            stack_size_bytes=size_bytes,
        )

    if stack_size_bytes is None:
        first = at_stack(_FIRST_STACK_BYTES)
        free = first.symbol("_stack_top").address - first.symbol("_data_end").address
        stack_size_bytes = free // harts & -_STACK_ALIGNMENT_BYTES
    return at_stack(stack_size_bytes)
