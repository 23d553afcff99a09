"""Integer reading: the reference of generated C, equal to it in every word."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

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
    Test,
    Value,
)
from gnomon.once.formats import EXP_BITS, clamp_of, frac_of, to_word, words_of
from gnomon.once.functions import exp_of_minus, log_of
from gnomon.once.reading import Reading
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
        wide = np.asarray(value, dtype=np.int64)
        self.clamped += int(np.count_nonzero(np.abs(wide) > limit))
        words = np.clip(wide, -limit, limit)
        return words << up if up >= 0 else words >> -up

    def outside(self, line: int, what: str) -> None:
        """Count a whole number or index outside its range."""
        self._note(line, what, 0.0, 1)

    def _note(self, line: int, name: str, largest: float, count: int) -> None:
        loss = self.lost.setdefault((line, name), Loss(round=self.round))
        loss.count += count
        loss.largest = max(loss.largest, largest)

    def word(self, operand: Operand, frac: int, line: int) -> Value:
        """Return the words of an operand; a constant has ``frac`` fraction bits."""
        if isinstance(operand, Const):
            return np.int64(to_word(operand.value, frac))
        return np.asarray(self.value(operand, line), dtype=np.int64)

    def compare(self, test: Test) -> tuple[Value, Value]:
        """Return both operands with one point."""
        fracs = [frac_of(each) for each in test.operands]
        top = max(fracs)
        a, b = (
            int(self.word(each, frac, 0)) << (top - frac)
            for each, frac in zip(test.operands, fracs, strict=True)
        )
        return a, b

    def fit(self, op: Operation, value: Value) -> Value:
        """Return a result within the limit of its place; count what is lost."""
        place = op.to.place
        exact = np.asarray(value, dtype=np.int64)
        fitting = np.clip(exact, -place.limit, place.limit)
        if lost := int(np.count_nonzero(fitting != exact)):
            assert not op.plan["fits"], (op.op, op.line)
            top = float(np.abs(exact).max()) * 2.0**-place.frac
            self._note(op.line, place.name, top, lost)
        return fitting

    def compute(self, op: Operation) -> Value:
        """Return the words of a result."""
        return _RULES[op.op](self, op)

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
        down = plan["down"] + (32 if plan["mode"] == "high" else 0)
        return self.fit(op, _down((a * b >> down).sum(axis=-1), plan["shift"]))

    def quad(self, op: Operation) -> Value:
        """Return x^T A x from the lower half."""
        a, x = self._factors(op)
        plan = op.plan
        products = (a * x >> 32) >> plan["down"]
        rows = 2 * np.tril(products, -1).sum(axis=1) + np.diag(products)
        down = plan["outer"] + (32 if plan["mode"] == "high" else 0)
        return self.fit(op, _down((rows * x >> down).sum(), plan["shift"]))

    def reduction(self, op: Operation) -> Value:
        """Return sums of products with a scaled context."""
        factor = self.word(factor_of(op), 0, op.line)
        total, down = reduce_scaled(op, factor, self.word(context_of(op), 0, op.line))
        return self.fit(op, _down(total, down))

    def quotient(self, op: Operation) -> Value:
        """Divide, rounded towards zero."""
        a, b = np.broadcast_arrays(*self._factors(op))
        shift, spare = op.plan["shift"], op.plan["spare"]
        out = np.zeros(a.shape, dtype=np.int64)
        for at in np.ndindex(a.shape):
            up = shift - spare
            numerator = int(a[at]) << up if up >= 0 else int(a[at]) >> -up
            out[at] = self._divide(op, numerator, int(b[at]), spare)
        return out

    def _divide(self, op: Operation, a: int, b: int, spare: int) -> int:
        limit, place = op.to.place.limit, op.to.place
        if b == 0:
            self._note(op.line, place.name, math.inf, 1)
            return 0 if a == 0 else limit if a > 0 else -limit
        exact = (abs(a) // abs(b) << spare) * (1 if (a < 0) == (b < 0) else -1)
        if abs(exact) > limit:
            self._note(op.line, place.name, abs(exact) * 2.0**-place.frac, 1)
        return min(max(exact, -limit), limit)

    def root(self, op: Operation) -> Value:
        """Return a square root, 0 for negative numbers."""
        (a,) = self._factors(op)
        if a < 0:
            self._note(op.line, op.to.place.name, 0.0, 1)
        word = math.isqrt((max(int(a), 0) >> op.plan["down"]) << INPUT_BITS)
        return self.fit(op, _down(word, op.plan["shift"]))

    def logarithm(self, op: Operation) -> Value:
        """Return a logarithm; numbers below one step count as one."""
        (a,) = self._factors(op)
        if a <= 0:
            self._note(op.line, op.to.place.name, 0.0, 1)
        word = log_of(max(int(a), 1), INPUT_BITS) + op.plan["offset"]
        return self.fit(op, _down(word, op.plan["shift"]))

    def exponential(self, op: Operation) -> Value:
        """Return an exponential."""
        (a,) = self._factors(op)
        exact = op.plan["ceiling"] - _down(int(a), op.plan["down"])
        size = int(min(max(exact, 0), WORD_MAX))
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
            change = np.tril(change) + np.tril(change, -1).T
        own = np.asarray(self.read(op.to, op.line), dtype=np.int64)
        return self.fit(op, own + op.sign * change)


def _down(value: Value, by: int) -> Value:
    """Shift right, rounding down; to the left below 0, where it saturates at 2^62."""
    if by >= 0:
        return value >> min(by, 63)
    most = 2**62 >> -by
    return np.clip(value, -most, most) << -by


_ALIGNED: Mapping[str, Any] = {
    "copy": lambda a: a, "add": lambda a, b: a + b, "sub": lambda a, b: a - b,
    "max": np.maximum, "min": np.minimum,
}  # fmt: skip
_RULES: Mapping[str, Any] = {
    **dict.fromkeys(_ALIGNED, WordReading.aligned), "mul": WordReading.product,
    "dot": WordReading.sum, "times_vector": WordReading.sum, "quad": WordReading.quad,
    "div": WordReading.quotient, "sqrt": WordReading.root, "log": WordReading.logarithm,
    "exp": WordReading.exponential, "rank1": WordReading.change, "vector_rank1": WordReading.change,
    "vector_quad": WordReading.reduction, "vector_dot": WordReading.reduction,
    "vector_times_vector": WordReading.reduction, "axpy": WordReading.change,
}  # fmt: skip
