"""Readings of the operations of a learner: what floats and integers have in common."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from gnomon.base.errors import GnomonError
from gnomon.learn.draws import Draws
from gnomon.once.code import (
    WORD_MAX,
    WORD_MIN,
    Const,
    LearnerCode,
    Operand,
    Operation,
    Place,
    Ref,
    Test,
    Value,
    Whole,
)

_WHOLE: Final[Mapping[str, Callable[[int, int], int]]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "max": max, "min": min,
    "//": lambda a, b: a // (b or 1), "%": lambda a, b: a % (b or 1),
}  # fmt: skip
_COMPARE: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


class Reading(ABC):
    """Runs the operations; subclasses define what a real number is.

    Attributes:
        code: the learner.
        values: value of each place that has one.
        round: index of the current round.
    """

    def __init__(self, code: LearnerCode) -> None:
        self.code = code
        self.values: dict[Place, Value] = {}
        self.round = 0
        self._lasting = (*code.state.values(), code.alpha)
        for name, place in code.state.items():
            self.values[place] = self.first(place, code.first[name])

    @abstractmethod
    def first(self, place: Place, value: NDArray[Any]) -> Value:
        """Return the initial value of a state."""

    @abstractmethod
    def compute(self, op: Operation) -> Value:
        """Return the result of an operation on real numbers."""

    @abstractmethod
    def compare(self, test: Test) -> tuple[Value, Value]:
        """Return two comparable numbers."""

    def outside(self, line: int, what: str) -> None:
        """Handle a whole number or index outside its range."""
        raise GnomonError(f"{self.code.file}:{line}: {what} in round {self.round}: test it first")

    def play(
        self, contexts: NDArray[Any], rewards: NDArray[Any], played: Sequence[int] | None = None
    ) -> NDArray[np.int64]:
        """Return the arms chosen in all rounds; learn those in ``played``, if given.

        Args:
            contexts: one per round, (T, d).
            rewards: of every arm, (T, arms).
            played: arm to learn in each round.
        """
        chosen = np.zeros(len(contexts), dtype=np.int64)
        for at, context in enumerate(contexts):
            chosen[at] = self.select(context)
            arm = int(chosen[at]) if played is None else int(played[at])
            self.update(context, arm, rewards[at, arm])
            self.round += 1
        return chosen

    def select(self, context: NDArray[Any]) -> int:
        """Return the arm for a context."""
        self.start(context)
        arm = self.run(self.code.select)
        assert isinstance(arm, int)
        return min(max(arm, 0), self.code.arms - 1)

    def update(self, context: NDArray[Any], arm: int, reward: Value) -> None:
        """Learn a reward."""
        self.start(context)
        self.values[self.code.arm] = arm
        self.values[self.code.reward] = self.given(self.code.reward, reward)
        self.run(self.code.update)

    def start(self, context: NDArray[Any]) -> None:
        """Forget variables, and take a context."""
        self.values = {place: self.values[place] for place in self._lasting}
        self.values[self.code.x] = self.given(self.code.x, context)

    @abstractmethod
    def given(self, place: Place, value: Value) -> Value:
        """Return the value of an input."""

    def run(self, block: list[Operation]) -> int | bool:
        """Run a block; return the arm, or True, if it returned, and False if it did not."""
        for op in block:
            if op.op == "for":
                for count in range(*op.count):
                    self.values[op.to.place] = count
                    if (done := self.run(op.blocks[0])) is not False:
                        return done
            elif op.op == "if":
                assert op.test is not None
                taken = op.blocks[0 if self.holds(op.test) else 1]
                if (done := self.run(taken)) is not False:
                    return done
            elif op.op == "return":
                return self.whole(op.args[0], op.line) if op.args else True
            else:
                self.step(op)
        return False

    def step(self, op: Operation) -> None:
        """Run one operation that writes."""
        out = op.to
        if op.op == "whole":
            self.write(out, self.whole(op.args[0], op.line), op.line)
        elif op.op == "draw":
            n, generator = op.args
            assert isinstance(generator, Ref)
            draws = Draws(int(self.values[generator.place]))
            self.write(out, draws.below(self.whole(n, op.line)), op.line)
            self.values[generator.place] = np.array(draws.state)
        else:
            self.write(out, self.compute(op), op.line)

    def holds(self, test: Test) -> bool:
        """Return whether a condition holds."""
        if test.op == "and":
            return all(self.holds(each) for each in test.tests)
        if test.op == "or":
            return any(self.holds(each) for each in test.tests)
        if test.op == "not":
            return not self.holds(test.tests[0])
        a, b = self.compare(test)
        return bool(_COMPARE[test.op](a, b))

    def whole(self, value: Operand, line: int) -> int:
        """Return a whole number; it saturates at 32 bits."""
        assert isinstance(value, Whole)
        if value.op == "const":
            return value.value
        if value.op == "read":
            assert value.ref is not None
            return int(self.read(value.ref, line))
        if value.op == "argmax":
            assert value.ref is not None
            return int(np.argmax(self.read(value.ref, line)))
        a, b = (self.whole(each, line) for each in value.args)
        exact = _WHOLE[value.op](a, b)
        if WORD_MIN <= exact <= WORD_MAX:
            return exact
        self.outside(line, "a whole number does not fit 32 bits")
        return min(max(exact, WORD_MIN), WORD_MAX)

    def index(self, ref: Ref, line: int) -> tuple[int, ...]:
        """Return the indices of a part, each inside its array."""
        at = []
        for each, size in zip(ref.index, ref.place.shape, strict=False):
            value = self.whole(each, line)
            if not -size <= value < size:
                self.outside(line, f"an index of {ref.place.name} is not from 0 to {size - 1}")
                value = min(max(value, 0), size - 1)
            at.append(value % size)
        return tuple(at)

    def read(self, ref: Ref, line: int) -> Value:
        """Return the value of a place or a part of it."""
        if ref.place not in self.values:
            raise GnomonError(
                f"{self.code.file}:{line}: {ref.place.name} has no value in round {self.round}:"
                " give it one before the if or the loop"
            )
        value = self.values[ref.place]
        return value[self.index(ref, line)] if ref.index else value

    def value(self, operand: Operand, line: int) -> Value:
        """Return the value of an operand."""
        if isinstance(operand, Const):
            return operand.value
        if isinstance(operand, Whole):
            return self.whole(operand, line)
        return self.read(operand, line)

    def write(self, out: Ref, value: Value, line: int) -> None:
        """Write a place or a part of it."""
        if out.index:
            self.values[out.place][self.index(out, line)] = value
        elif not out.place.shape:
            self.values[out.place] = value
        elif np.shape(value) == out.place.shape:
            self.values[out.place] = np.array(value)
        else:
            self.values[out.place] = np.array(np.broadcast_to(value, out.place.shape))
