"""Operations for a vector unit with post-scaled products: plans, and their integer model.

A context is scaled by a power of two, the same for all its elements, so that its norm is at most 1
(Q30). Sums of its products with a vector or a matrix then have proven limits, and small contexts
keep their bits. The exponent of the scale is known at run time alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from gnomon.once.code import WORD_MAX, LearnerCode, Operation, Place, Ref, walk
from gnomon.once.formats import Plan, Rules, bits_over, frac_of, limit_of
from gnomon.once.symmetric import find_quadratic

POST_SCALE: Final = 15
"""Right shift of each product of the unit."""
SCALED_BITS: Final = 30
"""Fraction bits of a scaled context."""
SQUARE_SHIFTS: Final = (8, 7)
"""Right shifts of the scaled context before the products of its elements, which are Q30 again."""
_NORM_BITS: Final = 28
_STATE_BITS: Final = 29
"""Bits of a matrix that is updated in place: twice its limit and a change fit a word."""


_OF_ALL_ROWS: Final = frozenset(("vector_quad", "vector_dot", "short_quad", "short_dot"))


def use_vector(code: LearnerCode) -> None:
    """Mark the operations that the vector unit computes; C stores whole matrices."""
    operations = list(code.operations())
    for place in code.state.values():
        if len(place.shape) >= 2:
            for block in (code.select, code.update):
                find_quadratic(block, place, operations)
    for block in (code.select, code.update):
        marked = [each for each in walk(block) if _is_vector(each, code)]
        if all(each.op == "rank1" for each in marked):
            continue  # nothing scales the context there
        for op in marked:
            op.op = f"vector_{op.op}"
            if op.op == "vector_rank1":
                op.to.place.bits = _STATE_BITS


def _is_vector(op: Operation, code: LearnerCode) -> bool:
    if op.op == "rank1":
        rows, columns = op.to.shape
        return op.to.place.role == "state" and rows == columns == code.dimensions
    if op.op not in {"quad", "dot", "times_vector"}:
        return False
    parts = [each for each in op.args if isinstance(each, Ref)]
    others = [each for each in parts if each.place is not code.x]
    return (
        len(others) == 1
        and (others[0].place.role == "state" or op.op == "dot")
        and not others[0].whole
        and set(others[0].shape) == {code.dimensions}
        and all(not each.index for each in parts if each.place is code.x)
    )


def hoisted_operations(loop: Operation) -> list[Operation]:
    """Return operations of a loop over all rows of a state that one call can compute before it."""
    first, last = loop.count
    found = []
    for op in loop.blocks[0]:
        if op.op not in _OF_ALL_ROWS:
            continue
        part = factor_of(op)
        alone = len(part.index) == 1 and part.index[0].op == "read"
        reads = part.index[0].ref if alone else None
        if reads is None or reads.place is not loop.to.place:
            continue
        if first == 0 and last == part.place.shape[0] and not _writes(loop, part.place):
            found.append(op)
    return found


def scales_context(block: list[Operation]) -> bool:
    """Return whether an operation of a block reads the scaled context."""
    return any(op.op in VECTOR_PLANS and op.op != "vector_rank1" for op in walk(block))


def _writes(loop: Operation, place: Place) -> bool:
    return any(op.out is not None and op.out.place is place for op in walk(loop.blocks[0]))


def factor_of(op: Operation) -> Ref:
    """Return the operand that is not the context."""
    parts = [each for each in op.args if isinstance(each, Ref) and each.place.role != "input"]
    return parts[0]


def context_of(op: Operation) -> Ref:
    """Return the context among the operands."""
    parts = [each for each in op.args if isinstance(each, Ref) and each.place.role == "input"]
    return parts[0]


def _plan_reduction(op: Operation, bound: int, bits: int, powers: int) -> None:
    """Plan sums of factor * (scaled >> pre) >> POST_SCALE, for a bound of the sum of the scaled."""
    part, x = factor_of(op), context_of(op)
    n = part.shape[-1]
    terms = n * n if op.op == "vector_quad" else n
    pre = 0
    while limit_of(part) * ((bound >> pre) + terms) // 2**POST_SCALE + terms > WORD_MAX:
        pre += 1
    place = op.to.place
    total = frac_of(part) + bits - pre - POST_SCALE + powers * (frac_of(x) - SCALED_BITS)
    if place.free and place.shape:
        place.frac = min(
            place.frac, total
        )  # so that all words are shifted right, unless x is large
    op.plan.update(
        pre=pre, powers=powers, shift=total - place.frac,
        fits=False, wish=bits_over(n * ((limit_of(x) ** 2 >> 32) + 1), WORD_MAX),
    )  # fmt: skip
    if place.free:
        place.limit = WORD_MAX


def _sum_of_scaled(n: int, down: int) -> int:
    """Return a bound of the sum of the magnitudes of a scaled context, shifted right."""
    return math.isqrt(n << 2 * (SCALED_BITS - down)) + 1 + 2 * n


def _plan_quad(op: Operation, rules: Rules) -> None:
    del rules
    n = factor_of(op).shape[-1]
    left, right = (_sum_of_scaled(n, each) for each in SQUARE_SHIFTS)
    bits = 2 * SCALED_BITS - sum(SQUARE_SHIFTS) - POST_SCALE
    _plan_reduction(op, (left * right >> POST_SCALE) + n * n, bits, 2)


def _plan_linear(op: Operation, rules: Rules) -> None:
    del rules
    _plan_reduction(op, _sum_of_scaled(factor_of(op).shape[-1], 0), SCALED_BITS, 1)


def _plan_outer(op: Operation, rules: Rules) -> None:
    """Plan A +- (w >> pre) y^T >> POST_SCALE."""
    del rules
    a, b = op.args
    pre = frac_of(a) + frac_of(b) - op.to.place.frac - POST_SCALE
    op.plan.update(pre=max(0, min(pre, 31)), shift=POST_SCALE + min(pre, 0), mode="wide")
    op.plan.update(narrow=False, fits=False)
    op.plan["vector"] = pre >= 0 and op.to.place.limit <= 2**_STATE_BITS


VECTOR_PLANS: Final[Mapping[str, Plan]] = {
    "vector_quad": _plan_quad, "vector_dot": _plan_linear, "vector_times_vector": _plan_linear,
    "vector_rank1": _plan_outer,
}  # fmt: skip


def scale_context(x: Any) -> tuple[Any, int]:
    """Return a context scaled to a norm of at most 1, and the exponent of the scale."""
    squares = int(((x * x >> 32) + 1).sum())
    exponent = (_NORM_BITS - squares.bit_length()) // 2
    return (x << exponent if exponent >= 0 else x >> -exponent), exponent


def reduce_scaled(op: Operation, factor: Any, x: Any) -> tuple[Any, int]:
    """Return the sums of an operation, and the right shift to the format of its result."""
    scaled, exponent = scale_context(x)
    plan = op.plan
    if op.op == "vector_quad":
        left, right = (scaled >> each for each in SQUARE_SHIFTS)
        scaled = np.multiply.outer(left, right) >> POST_SCALE
    terms = factor * (scaled >> plan["pre"]) >> POST_SCALE
    axes = (-2, -1) if op.op == "vector_quad" else (-1,)
    return terms.sum(axis=axes), plan["shift"] + plan["powers"] * exponent
