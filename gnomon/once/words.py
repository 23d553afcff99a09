"""Integer reading: the reference of generated C, equal to it in every word."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnomon.once.code import (
    INPUT_BITS,
    RAISED_BITS,
    WORD_MAX,
    Const,
    LearnerCode,
    Operand,
    Operation,
    Place,
    Test,
    Value,
)
from gnomon.once.formats import EXP_BITS, clamp_of, frac_of, to_word, words_of
from gnomon.once.functions import exp_of_minus, log_of
from gnomon.once.reading import Reading
from gnomon.once.short import (
    change_short,
    exponent_of,
    make_room,
    matrix_of,
    sum_short,
    take_room,
    vector_of,
)
from gnomon.once.solve import solve_words
from gnomon.once.vector import context_of, factor_of, reduce_scaled

Words = NDArray[np.int64]


@dataclass
class Loss:
    """Values of one operation that did not fit its format.

    Attributes:
        count: how many.
        largest: largest magnitude, as a real number.
        round: round of the first.
    """

    count: int = 0
    largest: float = 0.0
    round: int = 0


class WordReading(Reading):
    """Words of 32 bits, as C computes them; contexts and rewards are words of ``INPUT_BITS``.

    Attributes:
        lost: values that saturated, by line and name.
        clamped: values of contexts and rewards beyond the recorded ranges and their margin.
    """

    def __init__(self, code: LearnerCode, alpha: int) -> None:
        """Start with a fresh model and a weight of exploration."""
        self.lost: dict[tuple[int, str], Loss] = {}
        self.clamped = 0
        super().__init__(code)
        self.values[code.alpha] = self.given(code.alpha, alpha)

    @property
    def model(self) -> NDArray[np.int32]:
        """Words of the state, as in C."""
        parts = [self.words_in_c(place).ravel() for place in self.code.state.values()]
        return np.concatenate(parts).astype(np.uint32).view(np.int32)

    def words_in_c(self, place: Place) -> Words:
        """Return the words of a state in the order of C: a packed matrix is its lower half."""
        words = np.asarray(self.values[place], dtype=np.int64)
        if not place.packed:
            return words
        return words[..., *np.tril_indices(place.shape[-1])]

    def first(self, place: Place, value: NDArray[Any]) -> Value:
        """Return the initial words of a state."""
        if place.whole:
            return np.array(value, dtype=np.int64)
        return words_of(value, place.frac, place.limit)

    def given(self, place: Place, value: Value) -> Value:
        """Return the word of an input, clamped."""
        limit, up = clamp_of(place), place.frac - INPUT_BITS
        wide = np.asarray(value, dtype=np.int64) if place.shape else int(value)
        self.clamped += int(np.count_nonzero(np.abs(wide) > limit))
        words = _clip(wide, limit)
        return words << up if up >= 0 else words >> -up

    def outside(self, line: int, what: str) -> None:
        """Count a whole number or index outside its range."""
        self._note(line, what, 0.0, 1)

    def _note(self, line: int, name: str, largest: float, count: int) -> None:
        loss = self.lost.setdefault((line, name), Loss(round=self.round))
        loss.count += count
        loss.largest = max(loss.largest, largest)

    def word(self, operand: Operand, frac: int, line: int) -> Value:
        """Return the words of an operand: an integer, or an array of int64.

        A constant has ``frac`` fraction bits.
        """
        if isinstance(operand, Const):
            return to_word(operand.value, frac)
        value = self.value(operand, line)
        return value if operand.shape else int(value)

    def compare(self, test: Test) -> tuple[Value, Value]:
        """Return both operands with one point."""
        fracs = [frac_of(each) for each in test.operands]
        top = max(fracs)
        a, b = (
            self.word(each, frac, 0) << (top - frac)
            for each, frac in zip(test.operands, fracs, strict=True)
        )
        return a, b

    def fit(self, op: Operation, value: Value) -> Value:
        """Return a result within the limit of its place; count what is lost."""
        place = op.to.place
        limit = place.limit
        if isinstance(value, int):
            low = high = value
        else:
            low, high = value.min(), value.max()
        if -limit <= low and high <= limit:
            return value
        assert not op.plan["fits"], (op.op, op.line)
        fitting = _clip(value, limit)
        top = max(-int(low), int(high)) * 2.0**-place.frac
        self._note(op.line, place.name, top, int(np.count_nonzero(fitting != value)))
        return fitting

    def compute(self, op: Operation) -> Value:
        """Return the words of a result."""
        rule = _RULES[op.op]
        if op.to.place.exponent is None or op.op == "short_rank1":
            return rule(self, op)
        exponent = self._exponent(op)
        assert exponent is not None
        matrix, exponent = make_room(self.word(op.to, 0, op.line), exponent)
        self.write(op.to, matrix, op.line)
        matrix, exponent = take_room(rule(self, op), exponent)
        self._move(op, exponent)
        return matrix

    def aligned(self, op: Operation) -> Value:
        """Copy, add, subtract and choose, at the point of the result."""
        given = [
            _down(self.word(each, op.to.place.frac, op.line), by)
            for each, by in zip(op.args, op.plan["shifts"], strict=True)
        ]
        return self.fit(op, _ALIGNED[op.op](*given))

    def _factors(self, op: Operation) -> list[Value]:
        return [self.word(each, frac_of(each), op.line) for each in op.args]

    def product(self, op: Operation) -> Value:
        """Multiply."""
        a, b = self._factors(op)
        return self.fit(op, _down(a * b, op.plan["shift"]))

    def sum(self, op: Operation) -> Value:
        """Add products."""
        a, b = self._factors(op)
        plan = op.plan
        terms = a * b >> (plan["lost"] + plan["down"])
        return self.fit(op, _down(_add_up(terms), plan["shift"]))

    def quad(self, op: Operation) -> Value:
        """Return x^T A x from the lower half."""
        a, x = self._factors(op)
        plan = op.plan
        products = a * x >> (plan["inner_lost"] + plan["down"])
        rows = _add_up(products * _half(len(x)))
        terms = rows * x >> (plan["lost"] + plan["outer"])
        return self.fit(op, _down(_add_up(terms), plan["shift"]))

    def reduction(self, op: Operation) -> Value:
        """Return sums of products with a scaled context."""
        factor = self.word(factor_of(op), 0, op.line)
        total, down = reduce_scaled(op, factor, self.word(context_of(op), 0, op.line))
        return self.fit(op, _down(total if op.to.shape else int(total), down))

    def short_sum(self, op: Operation) -> Value:
        """Return sums of products of 16-bit factors."""
        matrix, vector = (self.word(each, 0, op.line) for each in (matrix_of(op), vector_of(op)))
        total, down = sum_short(op, matrix, vector, self._exponent(op) or 0)
        return self.fit(op, _down(total if op.to.shape else int(total), down))

    def short_change(self, op: Operation) -> Value:
        """Update a matrix in place by products of 16-bit factors, and move its exponent."""
        matrix = self.word(op.to, 0, op.line)
        w, v = self._factors(op)
        value, exact, exponent = change_short(op, matrix, w, v, self._exponent(op))
        if (lost := int(np.count_nonzero(value != exact))) > 0:
            largest = float(np.abs(exact).max()) * 2.0 ** -(op.to.place.frac + exponent)
            self._note(op.line, op.to.place.name, largest, lost)
        self._move(op, exponent)
        return value

    def _move(self, op: Operation, exponent: int) -> None:
        ref = exponent_of(op)
        if ref is not None:
            self.values[ref.place][self.index(ref, op.line)] = exponent

    def _exponent(self, op: Operation) -> int | None:
        ref = exponent_of(op)
        return None if ref is None else int(self.read(ref, op.line))

    def quotient(self, op: Operation) -> Value:
        """Divide, rounded towards zero."""
        a, b = self._factors(op)
        shift, spare = op.plan["shift"], op.plan["spare"]
        if not op.to.shape:
            return self._divide(op, _down(a, spare - shift), b, spare)
        pairs = np.broadcast(a, b)
        words = [self._divide(op, _down(int(x), spare - shift), int(y), spare) for x, y in pairs]
        return np.array(words, dtype=np.int64).reshape(op.to.shape)

    def _divide(self, op: Operation, a: int, b: int, spare: int) -> int:
        limit, place = op.to.place.limit, op.to.place
        if b == 0:
            self._note(op.line, place.name, math.inf, 1)
            return 0 if a == 0 else limit if a > 0 else -limit
        exact = (abs(a) // abs(b) << spare) * (1 if (a < 0) == (b < 0) else -1)
        if abs(exact) > limit:
            self._note(op.line, place.name, abs(exact) * 2.0**-place.frac, 1)
        return min(max(exact, -limit), limit)

    def solution(self, op: Operation) -> Value:
        """Solve a linear system."""
        a, b = self._factors(op)
        limit = op.to.place.limit
        x, lost = solve_words(a, b, op.plan["shift"], limit)
        if lost:
            largest = max(abs(each) for each in lost) * 2.0**-op.to.place.frac
            self._note(op.line, op.to.place.name, largest, len(lost))
        return x

    def root(self, op: Operation) -> Value:
        """Return a square root, 0 for negative numbers."""
        (a,) = self._factors(op)
        raised = max(a, 0) << op.plan["up"]
        if a < 0 or raised > WORD_MAX:
            self._note(op.line, op.to.place.name, max(a, 0.0) ** 0.5, 1)
        word = math.isqrt((min(raised, WORD_MAX) >> op.plan["down"]) << INPUT_BITS)
        return self.fit(op, _down(word, op.plan["shift"]))

    def logarithm(self, op: Operation) -> Value:
        """Return a logarithm; numbers below one step count as one."""
        (a,) = self._factors(op)
        if a <= 0:
            self._note(op.line, op.to.place.name, 0.0, 1)
        word = log_of(max(a, 1), INPUT_BITS) + op.plan["offset"]
        return self.fit(op, _down(word, op.plan["shift"]))

    def exponential(self, op: Operation) -> Value:
        """Return an exponential."""
        (a,) = self._factors(op)
        exact = op.plan["ceiling"] - _down(a, op.plan["down"])
        size = min(max(exact, 0), WORD_MAX)
        if exact < 0:
            self._note(op.line, op.to.place.name, 2.0**-op.to.place.frac * WORD_MAX, 1)
        return self.fit(op, _down(exp_of_minus(size, EXP_BITS), op.plan["shift"]))

    def change(self, op: Operation) -> Value:
        """Update in place: A +- w y^T, y +- s x."""
        a, b = self._factors(op)
        a = a >> op.plan["pre"]
        product = np.multiply.outer(a, b) if op.op != "axpy" else a * b
        change = _down(product, op.plan["shift"])
        if op.symmetric:
            change = np.where(_half(len(change)) > 0, change, change.T)
        return self.fit(op, self.word(op.to, 0, op.line) + op.sign * change)


def _down(value: Value, by: int) -> Value:
    """Shift right, rounding down; to the left below 0, where it saturates."""
    if by >= 0:
        return value >> min(by, 63)
    up = min(-by, RAISED_BITS)
    return _clip(value, 2**RAISED_BITS >> up) << up


def _clip(value: Value, limit: int) -> Value:
    """Return the nearest values of at most ``limit`` in magnitude."""
    if isinstance(value, int):
        return min(max(value, -limit), limit)
    return np.clip(value, -limit, limit)


def _add_up(terms: Words) -> Value:
    """Return the sum of a vector, or the sums of the rows of a matrix."""
    return int(terms.sum()) if terms.ndim == 1 else terms.sum(axis=-1)


@cache
def _half(n: int) -> Words:
    """Return 2 below the diagonal of an n x n matrix, 1 on it, and 0 above."""
    half: Words = 2 * np.tri(n, k=-1, dtype=np.int64) + np.eye(n, dtype=np.int64)
    return half


def _extreme(of_numbers: Callable[[int, int], int], of_arrays: np.ufunc) -> Callable[..., Value]:
    def compute(a: Value, b: Value) -> Value:
        numbers = isinstance(a, int) and isinstance(b, int)
        return of_numbers(a, b) if numbers else of_arrays(a, b)

    return compute


_ALIGNED: Mapping[str, Any] = {
    "copy": lambda a: a, "add": lambda a, b: a + b, "sub": lambda a, b: a - b,
    "max": _extreme(max, np.maximum), "min": _extreme(min, np.minimum),
}  # fmt: skip
_RULES: Mapping[str, Any] = {
    **dict.fromkeys(_ALIGNED, WordReading.aligned), "mul": WordReading.product,
    "dot": WordReading.sum, "times_vector": WordReading.sum, "quad": WordReading.quad,
    "div": WordReading.quotient, "solve": WordReading.solution,
    "sqrt": WordReading.root, "log": WordReading.logarithm,
    "exp": WordReading.exponential, "rank1": WordReading.change, "vector_rank1": WordReading.change,
    "vector_quad": WordReading.reduction, "vector_dot": WordReading.reduction,
    "vector_times_vector": WordReading.reduction, "axpy": WordReading.change,
    "short_quad": WordReading.short_sum, "short_dot": WordReading.short_sum,
    "short_times_vector": WordReading.short_sum, "short_rank1": WordReading.short_change,
}  # fmt: skip
