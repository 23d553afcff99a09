"""Float reading: equals the class in CPython, and records the ranges of all places."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gnomon.base.errors import GnomonError
from gnomon.once.code import LearnerCode, Operation, Place, Test, Value
from gnomon.once.reading import Reading

_MOST: Final = 1e30
"""Largest magnitude for which a format is chosen."""


class FloatReading(Reading):
    """Floats, as NumPy computes them."""

    def __init__(self, code: LearnerCode, alpha: float, rounds: int) -> None:
        """Start a run of this many rounds, whose ranges are recorded."""
        self._tops: dict[Place, float] = {}
        self._half = rounds // 2
        super().__init__(code)
        self.values[code.alpha] = self.given(code.alpha, alpha)

    def first(self, place: Place, value: NDArray[Any]) -> Value:
        """Return the initial value of a state."""
        self._see(place, value, 0)
        return np.array(value) if place.shape else value[()]

    def given(self, place: Place, value: Value) -> Value:
        """Return the value of an input."""
        self._see(place, value, 0)
        return value

    def _see(self, place: Place, value: Value, line: int) -> None:
        if place.whole:
            return
        top = float(np.abs(value).max() if place.shape else abs(value))
        if not top <= _MOST:
            at = f"{self.code.file}:{line}" if line else self.code.file
            what = f"reaches {top:.3g}" if top > _MOST else "is not a number"
            raise GnomonError(
                f"{at}: {place.name} {what} in round {self.round}: keep it below {_MOST:.0e}"
            )
        if not top <= self._tops.get(place, 0.0):
            self._tops[place] = top
            place.largest = max(place.largest, top)
            if self.round < self._half:
                place.early = max(place.early, top)

    def write(self, out: Any, value: Value, line: int) -> None:
        """Write a place, and record its range."""
        if not out.place.whole:
            self._see(out.place, value, line)
        super().write(out, value, line)

    def compare(self, test: Test) -> tuple[Value, Value]:
        """Return both operands."""
        a, b = test.operands
        return self.value(a, 0), self.value(b, 0)

    def compute(self, op: Operation) -> Value:
        """Return the result of an operation, as CPython computes it."""
        given = [self.value(each, op.line) for each in op.args]
        name = op.op.removeprefix("vector_").removeprefix("short_")
        if name == "rank1":
            change = np.outer(given[0], given[1])
            if op.exact is not None:
                how, operands = op.exact
                x, y, by = (self.value(each, op.line) for each in operands)
                change = np.outer(x, y)
                change = change / by if how == "div" else by * change
            own = self.read(op.to, op.line)
            return own + change if op.sign > 0 else own - change
        if name == "axpy":
            change = given[0] * given[1]
            if op.exact is not None:
                a, b = (self.value(each, op.line) for each in op.exact[1])
                change = a / b
            own = self.read(op.to, op.line)
            return own + change if op.sign > 0 else own - change
        if name == "quad":
            a, x = given
            return x @ (a @ x)
        if op.exact is not None:
            how, operands = op.exact
            return _COMPUTE[how](*(self.value(each, op.line) for each in operands))
        if why := _undefined(name, given):
            raise GnomonError(
                f"{self.code.file}:{op.line}: {why} in round {self.round}: test it with an if"
            )
        return _COMPUTE[name](*given)


def _undefined(op: str, given: list[Value]) -> str:
    """Return why an operation is undefined; empty if it is not."""
    if op == "div" and np.any(np.asarray(given[1]) == 0):
        return "division by 0"
    if op == "sqrt" and given[0] < 0:
        return f"square root of {given[0]:.3g}"
    if op == "log" and given[0] <= 0:
        return f"logarithm of {given[0]:.3g}"
    return ""


_COMPUTE: dict[str, Any] = {
    "copy": np.array, "add": lambda a, b: a + b, "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b, "div": lambda a, b: a / b, "max": np.maximum, "min": np.minimum,
    "sqrt": np.sqrt, "log": np.log, "exp": np.exp, "dot": lambda a, b: a @ b,
    "times_vector": lambda a, b: a @ b, "solve": np.linalg.solve,
}  # fmt: skip
