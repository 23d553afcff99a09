"""Number formats: fraction bits and proven limits of all places, shifts of all operations.

A format comes from the largest magnitude recorded, times a margin. Each word has a limit: the
magnitude that it cannot exceed, by the limits of its operands, or because it saturates there. An
operation saturates unless its limit proves that it need not, so no word wraps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from gnomon.once.code import (
    INPUT_BITS,
    WORD_MAX,
    Const,
    LearnerCode,
    Operand,
    Operation,
    Place,
    Ref,
    Whole,
)

_MOST_BITS: Final = 31
_MOST_DOUBLINGS: Final = 16.0
EXP_BITS: Final = 24
"""Fraction bits of exponentials."""
_LOG_LARGEST: Final = 23 << INPUT_BITS


@dataclass(frozen=True)
class Rules:
    """Rules of formats.

    Attributes:
        margin: factor on recorded ranges of results.
        state: factor on recorded ranges of the state.
        inputs: factor on recorded ranges of inputs, which are clamped there.
        loss: fraction bits that a result may lose for a cheaper product.
        growth: rounds of the horizon, divided by recorded rounds.
        macq: fraction bits that each product of a sum loses in ``macq``; 0: no such unit.
    """

    margin: float = 16.0
    state: float = 4.0
    inputs: float = 2.0
    loss: int = 8
    growth: float = 1.0
    macq: int = 0


Plan: TypeAlias = Callable[[Operation, Rules], None]
Pins: TypeAlias = Mapping[str, tuple[int, int]]
"""Formats that the user sets, by name of the variable: bits before and after the point."""


def choose_formats(
    code: LearnerCode, rules: Rules, pins: Pins, more: Mapping[str, Plan] | None = None
) -> None:
    """Choose all formats from the recorded ranges.

    Args:
        code: the learner, after runs of its float reading.
        rules: margins.
        pins: formats that the user sets.
        more: plans of further operations.
    """
    plans = {**_PLANS, **(more or {})}
    less = 0
    while True:  # a context with fewer bits makes shifts of each product unnecessary
        for place in code.places():
            if not place.whole:
                _start(code, place, rules, pins)
        code.x.frac -= less
        _limit_inputs(code, rules)
        for op in code.operations():
            if op.op in plans:
                op.plan = {}
                plans[op.op](op, rules)
        wish = max(
            (each.plan["wish"] for each in code.operations() if _is_dense(code, each)), default=0
        )
        if less or not wish or code.x.pinned is not None:
            return
        if rules.macq and code.x.frac - wish < INPUT_BITS:
            rules = replace(rules, macq=0)  # it would lose bits of the context
        else:
            less = wish


def _is_dense(code: LearnerCode, op: Operation) -> bool:
    """Return whether an operation multiplies a context by all elements of a matrix."""
    dense = op.op in {"quad", "vector_quad", "vector_dot", "vector_times_vector"} or (
        op.op == "times_vector" and op.plan.get("mode") != "wide"
    )
    return dense and any(isinstance(each, Ref) and each.place is code.x for each in op.args)


def top_of(place: Place, rules: Rules) -> float:
    """Return the largest magnitude that the format of a place must hold."""
    factor = {"input": rules.inputs, "state": rules.state}.get(place.role, rules.margin)
    top = place.largest * factor
    if place.early and place.largest / place.early > 1.2:
        doublings = math.log2(place.largest) - math.log2(place.early)
        growing = min(max(1.0, doublings), _MOST_DOUBLINGS)  # a sum, at least
        top *= rules.growth**growing
    return top


def _start(code: LearnerCode, place: Place, rules: Rules, pins: Pins) -> None:
    bits = place.bits or (30 if place.role == "state" else 31)
    top = top_of(place, rules)
    place.frac = min(_MOST_BITS, bits - math.frexp(top)[1]) if top else bits
    place.limit = 2**bits - 1
    if place.name in pins and place not in code.inputs:
        before, place.pinned = pins[place.name]
        place.limit = 2 ** (before + place.pinned) - 1
    if place.pinned is not None:
        place.frac = place.pinned
    elif place.role == "state":
        place.limit = min(place.limit, max(1, math.ceil(top * 2.0**place.frac)))
        first = max(abs(to_word(float(each), place.frac)) for each in code.first[place.name].flat)
        place.limit = max(place.limit, first)
    if place.exponent is not None:
        place.limit = 2**bits


def _limit_inputs(code: LearnerCode, rules: Rules) -> None:
    """Set the limits of inputs, in words of ``INPUT_BITS``, and of their words."""
    for place in code.inputs:
        given = max(1, math.floor(place.largest * rules.inputs * 2**INPUT_BITS))
        up = place.frac - INPUT_BITS
        given = min(given, WORD_MAX >> max(up, 0))
        place.limit = given << up if up >= 0 else (given >> -up) + 1


def clamp_of(place: Place) -> int:
    """Return the limit of an input in words as callers give them."""
    up = place.frac - INPUT_BITS
    return place.limit >> up if up >= 0 else (place.limit - 1) << -up


def to_word(value: float, frac: int) -> int:
    """Return a real number as a word, rounded to nearest; it saturates."""
    if math.frexp(value)[1] + frac > 32:
        return WORD_MAX if value > 0 else -WORD_MAX
    exact = math.floor(math.ldexp(value, frac) + 0.5)
    return min(max(exact, -WORD_MAX), WORD_MAX)


def const_frac(value: float) -> int:
    """Return the fraction bits of a constant with 30 significant bits."""
    return 30 - math.frexp(value)[1] if value else 30


def frac_of(operand: Operand, wanted: int | None = None) -> int:
    """Return the fraction bits of an operand; a constant takes those of its use."""
    if isinstance(operand, Const):
        return const_frac(operand.value) if wanted is None else wanted
    return operand.place.frac if isinstance(operand, Ref) and not operand.whole else 0


def limit_of(operand: Operand, wanted: int | None = None) -> int:
    """Return the largest magnitude of an operand's word."""
    if isinstance(operand, Const):
        return abs(to_word(operand.value, frac_of(operand, wanted)))
    if isinstance(operand, Whole):
        return max(abs(operand.low), abs(operand.high))
    if operand.whole:
        return max(abs(operand.place.low), abs(operand.place.high))
    return operand.place.limit


def shifted_limit(limit: int, down: int) -> int:
    """Return the limit of words after a shift that rounds down."""
    return (limit >> down) + 1 if down > 0 else limit << -down


def _settle(op: Operation, bound: int) -> None:
    """Set the limit of a result: proven, or by saturation."""
    place = op.to.place
    op.plan["fits"] = bound <= (place.limit if not place.free else WORD_MAX)
    if place.free:
        place.limit = min(bound, WORD_MAX)


def _plan_aligned(op: Operation, rules: Rules) -> None:
    """Plan operations whose operands have the point of the result."""
    del rules
    place = op.to.place
    fracs = [frac_of(each) for each in op.args if not isinstance(each, Const)]
    if place.free and fracs:
        place.frac = min(place.frac, max(fracs))
    shifts = [frac_of(each, place.frac) - place.frac for each in op.args]
    limits = [shifted_limit(limit_of(each, place.frac), down)
              for each, down in zip(op.args, shifts, strict=True)]  # fmt: skip
    op.plan["shifts"] = shifts
    op.plan["narrow"] = all(each <= WORD_MAX for each in limits)
    op.plan["small"] = sum(limits) <= WORD_MAX
    _settle(op, sum(limits) if op.op in {"add", "sub"} else max(limits))


def _plan_product(op: Operation, rules: Rules) -> None:
    a, b = op.args
    total = frac_of(a) + frac_of(b)
    place = op.to.place
    product = limit_of(a) * limit_of(b)
    if place.free:
        cheap = total - 32
        place.frac = cheap if place.frac - cheap <= rules.loss else min(place.frac, total)
    op.plan["shift"] = total - place.frac
    op.plan["mode"] = "high" if op.plan["shift"] >= 32 else "wide"
    _settle(op, shifted_limit(product, op.plan["shift"]))


def _plan_sum(op: Operation, rules: Rules) -> None:
    """Plan sums of products: by their upper words, where that loses little, or by 64 bits."""
    a, b = op.args
    terms = a.shape[-1]
    more = 3 if op.op == "times_vector" else 0  # n^2 products: upper words alone save most there
    loss = rules.loss + more
    _reduce(op, limit_of(a) * limit_of(b), terms, frac_of(a) + frac_of(b), loss, rules.macq)


def _reduce(op: Operation, product: int, terms: int, total: int, loss: int, macq: int) -> None:
    """Plan the sum of so many products: each loses ``lost`` bits, then ``down`` bits."""
    place, plan = op.to.place, op.plan
    for mode, lost in (("mac", macq), ("high", 32)):
        down = bits_over(terms * ((product >> lost) + 1), WORD_MAX)
        cheap = total - lost - down
        rough = math.ceil(math.log2(terms) / 2)  # each term is rounded
        enough = cheap >= place.frac or (place.free and place.frac - cheap + rough <= loss)
        if not lost or not enough:
            continue
        plan["wish"] = max(plan.get("wish", 0), down)
        if mode == "mac" and down:  # one instruction cannot; perhaps with a shorter context
            continue
        break
    else:
        mode, lost, down = "wide", 0, bits_over(terms * product, 2**63 - 1)
        cheap = total - down
    if place.free:
        place.frac = min(place.frac, cheap)
    bound = terms * ((product >> (lost + down)) + 1)
    plan.update(mode=mode, lost=lost, down=down, shift=cheap - place.frac)
    plan.setdefault("wish", down)
    _settle(op, shifted_limit(bound, plan["shift"]))


def bits_over(bound: int, limit: int) -> int:
    """Return the bits by which a bound is longer than a limit."""
    return max(0, bound.bit_length() - limit.bit_length())


def _plan_quad(op: Operation, rules: Rules) -> None:
    """Plan x^T A x of a symmetric A: sums of rows of the lower half, doubled, then of rows."""
    a, x = op.args
    terms, wish, inner, lost, down = a.shape[-1], 0, "high", 32, 0
    product = limit_of(a) * limit_of(x)
    for inner, lost in (("mac", rules.macq), ("high", 32)):
        down = bits_over(2 * terms * ((product >> lost) + 1), WORD_MAX)
        wish = max(wish, down if lost else 0)
        if lost and (inner == "high" or not down):
            break
    rows = 2 * terms * ((product >> (lost + down)) + 1)
    row_frac = frac_of(a) + frac_of(x) - lost - down
    _reduce(op, rows * limit_of(x), terms, row_frac + frac_of(x), rules.loss, rules.macq)
    outer = op.plan["down"]
    op.plan.update(outer=outer, down=down, inner=inner, inner_lost=lost, wish=wish)


def _plan_div(op: Operation, rules: Rules) -> None:
    del rules
    a, b = op.args
    place = op.to.place
    shift = place.frac - frac_of(a) + frac_of(b)
    if shift > 32 and place.free:
        place.frac -= shift - 32
        shift = 32
    op.plan["shift"] = shift
    op.plan["spare"] = max(0, shift - 32)  # a given format finer than a quotient has
    _settle(op, WORD_MAX)


def _plan_solve(op: Operation, rules: Rules) -> None:
    del rules
    a, b = op.args
    op.plan["shift"] = op.to.place.frac + frac_of(a) - frac_of(b)
    _settle(op, WORD_MAX)


def _plan_sqrt(op: Operation, rules: Rules) -> None:
    (a,) = op.args
    up = _room_of_square(op.to.place, rules) if isinstance(a, Whole) else 0
    frac = frac_of(a) + up
    down = (frac + INPUT_BITS) % 2
    root = (frac - down + INPUT_BITS) // 2
    if op.to.place.free:
        op.to.place.frac = root
    op.plan.update(up=up, down=down, shift=root - op.to.place.frac)
    largest = min(limit_of(a) << up, WORD_MAX)
    _settle(op, shifted_limit(math.isqrt(largest << INPUT_BITS), op.plan["shift"]))


def _room_of_square(root: Place, rules: Rules) -> int:
    """Return the left shifts for which a whole number has room, by the range of its root."""
    growing = root.early and root.largest / root.early > 1.1
    top = max(root.largest, 1.0) ** 2 * rules.margin * (rules.growth if growing else 1.0)
    return max(0, _MOST_BITS - math.frexp(top)[1])


def _plan_log(op: Operation, rules: Rules) -> None:
    del rules
    (a,) = op.args
    if op.to.place.free:
        op.to.place.frac = INPUT_BITS
    offset = math.floor((INPUT_BITS - frac_of(a)) * math.log(2) * 2**INPUT_BITS + 0.5)
    op.plan.update(offset=offset, shift=INPUT_BITS - op.to.place.frac)
    _settle(op, shifted_limit(_LOG_LARGEST + abs(offset), op.plan["shift"]))


def _plan_exp(op: Operation, rules: Rules) -> None:
    """Plan exp(v) as exp(v - c) 2^k, with c = k ln 2 above all v recorded and their margin."""
    del rules
    (a,) = op.args
    place = op.to.place
    up = math.ceil(math.log2(max(place.largest * 4.0, 1.0)))
    if place.free:
        place.frac = EXP_BITS - up
    ceiling = to_word(up * math.log(2.0), EXP_BITS)
    op.plan.update(down=frac_of(a) - EXP_BITS, ceiling=ceiling, shift=EXP_BITS - up - place.frac)
    _settle(op, shifted_limit(1 << EXP_BITS, op.plan["shift"]))


def _plan_change(op: Operation, rules: Rules) -> None:
    """Plan A +- w y^T and y +- s x: products, then a sum that saturates at the limit."""
    del rules
    a, b = op.args
    frac = op.to.place.frac
    shift = frac_of(a) + frac_of(b) - frac
    pre = min(max(0, shift - 32), 14)  # of the first factor, once for all its products
    product = shifted_limit(limit_of(a), pre) * limit_of(b)
    op.plan.update(pre=pre, shift=shift - pre, mode="high" if shift - pre >= 32 else "wide")
    change = shifted_limit(product, shift - pre)
    op.plan["narrow"] = change + op.to.place.limit <= WORD_MAX
    op.plan["fits"] = False


_PLANS = {
    "copy": _plan_aligned, "add": _plan_aligned, "sub": _plan_aligned, "max": _plan_aligned,
    "min": _plan_aligned, "mul": _plan_product, "dot": _plan_sum, "times_vector": _plan_sum,
    "quad": _plan_quad, "div": _plan_div, "solve": _plan_solve, "sqrt": _plan_sqrt,
    "log": _plan_log, "exp": _plan_exp, "rank1": _plan_change, "axpy": _plan_change,
}  # fmt: skip


def words_of(values: NDArray[Any], frac: int, limit: int) -> NDArray[np.int64]:
    """Return real numbers as words, rounded to nearest, within the limit."""
    exact = np.floor(np.asarray(values, dtype=np.float64) * 2.0**frac + 0.5)
    return np.clip(exact, -limit, limit).astype(np.int64)
