"""Operations for any vector unit: factors of 16 bits, block exponents, and their integer model.

A vector is shifted by its room, so that its largest magnitude has 15 bits; a matrix by a fixed
number of bits. A matrix of the state that only these operations use has an exponent, which moves:
its words keep 27 or 28 bits while the values fade or grow. Exponents are part of the state.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final

import numpy as np

from gnomon.once.code import (
    WORD_MAX,
    LearnerCode,
    Operand,
    Operation,
    Place,
    Ref,
    Whole,
    places_of,
    walk,
)
from gnomon.once.formats import Plan, Rules, frac_of, limit_of
from gnomon.once.symmetric import find_quadratic

SHORT_BITS: Final = 15
"""Bits of the largest magnitude of a factor."""
BLOCK_BITS: Final = 28
"""Bits of the largest magnitude of a matrix that is updated in place."""
MOST_EXPONENT: Final = 31
_SUMS: Final = frozenset(("short_quad", "short_times_vector"))
_SCALES: Final = frozenset(("mul", "div"))


def use_short_products(code: LearnerCode, pinned: Collection[str]) -> None:
    """Mark the operations that the vector unit computes, and give matrices their exponents.

    Args:
        code: the learner.
        pinned: names of variables whose format the user sets.
    """
    operations = list(code.operations())
    for place in code.state.values():
        if len(place.shape) >= 2:
            for block in (code.select, code.update):
                find_quadratic(block, place, operations)
    for op in code.operations():
        if _is_short(op, code) and not (op.op == "rank1" and op.to.place.name in pinned):
            op.op = f"short_{op.op}"
            if op.op == "short_rank1":
                op.to.place.bits = BLOCK_BITS
    for name, place in list(code.state.items()):
        if name not in pinned and _is_block(place, code):
            _add_exponent(code, name, place)


def _is_short(op: Operation, code: LearnerCode) -> bool:
    d = code.dimensions
    if op.op == "rank1":
        return op.to.place.role == "state" and op.to.shape == (d, d)
    if op.op not in {"quad", "dot", "times_vector"}:
        return False
    parts = [each for each in op.args if isinstance(each, Ref) and not each.whole]
    states = [each for each in parts if each.place.role == "state"]
    contexts = [each for each in parts if each.place is code.x and not each.index]
    if len(parts) != 2 or any(set(each.shape) != {d} for each in parts) or not states:
        return False
    return len(states[0].shape) == 2 if op.op == "times_vector" else len(contexts) == 1


def _is_block(place: Place, code: LearnerCode) -> bool:
    """Return whether all operations on a state can follow an exponent that moves."""
    uses = [each for each in code.operations()
            if place in places_of([*each.args, each.out, each.test])]  # fmt: skip
    changed = any(each.op == "short_rank1" for each in uses)
    return changed and all(_follows(each, place) for each in uses)


def _follows(op: Operation, place: Place) -> bool:
    if op.op in _SCALES and op.to.place is place:
        own, by = op.args
        return _is_same(own, op.to) and not by.shape and place not in places_of([by])
    if op.op not in {*_SUMS, "short_rank1"} or matrix_of(op).place is not place:
        return False
    others = op.args if op.op == "short_rank1" else [vector_of(op), op.to]
    return place not in places_of(others)


def _is_same(a: Operand | None, b: Operand | None) -> bool:
    """Return whether two operands of an operation are the same part, or the same whole number."""
    if isinstance(a, Ref) and isinstance(b, Ref):
        parts = zip(a.index, b.index, strict=False)
        same = a.place is b.place and len(a.index) == len(b.index)
        return same and all(_is_same(*each) for each in parts)
    if isinstance(a, Whole) and isinstance(b, Whole):
        same = (a.op, a.value, len(a.args)) == (b.op, b.value, len(b.args))
        parts_of = ((a.ref, b.ref), *zip(a.args, b.args, strict=False))
        return same and all(_is_same(*each) for each in parts_of)
    return a is None and b is None


def _add_exponent(code: LearnerCode, name: str, place: Place) -> None:
    own = f"{name}_exponent"
    while own in code.state:
        own += "_"
    place.exponent = Place(own, True, place.shape[:-2], "exponent", low=0, high=MOST_EXPONENT)
    code.state[own] = place.exponent
    code.first[own] = np.zeros(place.shape[:-2], dtype=np.int64)


def matrix_of(op: Operation) -> Ref:
    """Return the matrix of the state, or the vector of a sum of products with the context."""
    if op.op in {*_SCALES, "short_rank1"}:
        return op.to
    parts = [each for each in op.args if isinstance(each, Ref)]
    return parts[0] if parts[0].place.role == "state" else parts[1]


def vector_of(op: Operation) -> Ref:
    """Return the other factor of a sum of products, a vector."""
    matrix = matrix_of(op)
    return next(each for each in op.args if isinstance(each, Ref) and each is not matrix)


def exponent_of(op: Operation) -> Ref | None:
    """Return the exponent of the matrix of an operation; None if it has none."""
    matrix = matrix_of(op)
    exponent = matrix.place.exponent
    return None if exponent is None else Ref(exponent, matrix.index)


def reads_context(block: list[Operation], code: LearnerCode) -> bool:
    """Return whether a sum of products of a block reads the scaled context."""
    return any(op.op in SHORT_PLANS and op.op != "short_rank1" and vector_of(op).place is code.x
               for op in walk(block))  # fmt: skip


def _plan_sums(op: Operation, rules: Rules) -> None:
    """Plan sums of (factor >> narrow) * vector >> pre."""
    del rules
    part, vector = matrix_of(op), vector_of(op)
    square = op.op == "short_quad"
    terms = part.shape[-1] ** (2 if square else 1)
    narrow = max(0, (limit_of(part) - 1).bit_length() - SHORT_BITS)
    pre = 0
    while terms * ((2 ** (2 * SHORT_BITS) >> pre) + 1) > WORD_MAX:
        pre += 1
    powers = 2 if square else 1
    total = frac_of(part) - narrow - pre + powers * frac_of(vector) - square * SHORT_BITS
    op.plan.update(
        narrow=narrow, pre=pre, powers=powers, shift=total - op.to.place.frac, fits=False
    )
    if op.to.place.free:
        op.to.place.limit = WORD_MAX


def _plan_outer(op: Operation, rules: Rules) -> None:
    del rules
    w, v = op.args
    op.plan.update(shift=frac_of(w) + frac_of(v) - op.to.place.frac, fits=False)


SHORT_PLANS: Final[Mapping[str, Plan]] = {
    "short_quad": _plan_sums, "short_dot": _plan_sums, "short_times_vector": _plan_sums,
    "short_rank1": _plan_outer,
}  # fmt: skip


def room_of(words: Any, bits: int) -> int:
    """Return the left shifts that bring the largest magnitude to this many bits."""
    found = int(np.bitwise_or.reduce((words ^ words >> 63).ravel())) | 1
    return bits - found.bit_length()


def _moved(words: Any, room: int) -> Any:
    return words << room if room >= 0 else words >> -room


def sum_short(op: Operation, matrix: Any, vector: Any, exponent: int) -> tuple[Any, int]:
    """Return the sums of an operation, and the right shift to the format of its result."""
    plan, room = op.plan, room_of(vector, SHORT_BITS)
    factor = _moved(vector, room)
    if op.op == "short_quad":
        factor = np.multiply.outer(factor, factor) >> SHORT_BITS
    terms = (matrix >> plan["narrow"]) * factor >> plan["pre"]
    axes = (-2, -1) if op.op == "short_quad" else (-1,)
    return terms.sum(axis=axes), plan["shift"] + plan["powers"] * room + exponent


def change_short(
    op: Operation, matrix: Any, w: Any, v: Any, exponent: int | None
) -> tuple[Any, Any, int]:
    """Return A +- w v^T within its limit, the same before it saturated, and the new exponent.

    Args:
        op: the operation.
        matrix: words of A.
        w: words of w.
        v: words of v.
        exponent: of A; None if it cannot move.
    """
    limit, now = op.to.place.limit, exponent or 0
    rooms = room_of(w, SHORT_BITS), room_of(v, SHORT_BITS)
    right = op.plan["shift"] + sum(rooms) - now
    lower = min(max(2 - right, 0), now)  # so that no change exceeds the limit
    right, now = right + lower, now - lower
    products = np.multiply.outer(_moved(w, rooms[0]), _moved(v, rooms[1]))
    change = products >> min(right, 31) if right >= 0 else products << min(-right, 32)
    exact = (matrix >> lower) + op.sign * change
    if now > 0 and np.abs(exact).max() > limit:
        exact, now = exact >> 1, now - 1
    fitting = np.clip(exact, -limit, limit)
    if exponent is not None:
        up = _rise_of(fitting, now, BLOCK_BITS)
        fitting, exact, now = fitting << up, exact << up, now + up
    return fitting, exact, now


def _rise_of(matrix: Any, exponent: int, bits: int) -> int:
    """Return by how much an exponent rises so that the largest magnitude has this many bits."""
    return max(min(room_of(matrix, bits), MOST_EXPONENT - exponent), 0)


def make_room(matrix: Any, exponent: int) -> tuple[Any, int]:
    """Return a matrix that can be doubled, if its exponent can fall, and the exponent."""
    lower = int(exponent > 0 and room_of(matrix, BLOCK_BITS) < 1)
    return matrix >> lower, exponent - lower


def take_room(matrix: Any, exponent: int) -> tuple[Any, int]:
    """Return a matrix that has faded with its exponent raised, so that it can still be doubled."""
    up = _rise_of(matrix, exponent, BLOCK_BITS - 1)
    return matrix << up, exponent + up
