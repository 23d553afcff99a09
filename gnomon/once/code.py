"""Operations of a learner: what the Python of ``select`` and ``update`` becomes.

Three readings share them: floats record ranges, integers are the reference, C runs on machines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from numpy.typing import NDArray

from gnomon.learn.kernels import Floats

WORD_MAX: Final = 2**31 - 1
WORD_MIN: Final = -(2**31)
INPUT_BITS: Final = 15
"""Fraction bits of contexts, rewards and alpha, as callers give them."""

RAISED_BITS: Final = 61
"""Bits at which words that are shifted to the left saturate, as ``once_up`` does."""

Value: TypeAlias = Any
"""A number or array of a reading: float64, int64, or a Python number."""


@dataclass(eq=False)
class Place:
    """A variable, a part of the state, an input, or the result of an operation.

    Attributes:
        name: as in the Python; results of operations have the line and a number.
        whole: whether it holds whole numbers.
        shape: of the array; empty for a number.
        role: ``state``, ``exponent``, ``input``, ``local``, ``result`` or ``loop``.
        line: line of the Python that creates it; 0 for state and inputs.
        pinned: fraction bits that the user or the caller sets.
        writes: number of operations that write it.
        largest: largest magnitude recorded.
        early: largest magnitude in the first half of any recorded run.
        low: lowest whole number that it can hold.
        high: highest whole number that it can hold.
        frac: fraction bits.
        limit: largest magnitude of a word; proven, or kept by saturation.
        packed: whether C stores the lower half of symmetric matrices.
        bits: most bits of its words; 0: by its role.
        exponent: exponents of its matrices, which are its words times 2^-exponent; None: none.
    """

    name: str
    whole: bool
    shape: tuple[int, ...]
    role: str
    line: int = 0
    pinned: int | None = None
    writes: int = 0
    largest: float = 0.0
    early: float = 0.0
    low: int = WORD_MIN
    high: int = WORD_MAX
    frac: int = 0
    limit: int = WORD_MAX
    packed: bool = False
    bits: int = 0
    exponent: Place | None = None

    @property
    def free(self) -> bool:
        """Whether one operation writes it, and may choose its format."""
        return self.role in {"local", "result"} and self.writes == 1 and self.pinned is None


@dataclass(frozen=True, eq=False)
class Ref:
    """A place, or a part of it at whole-number indices."""

    place: Place
    index: tuple[Whole, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether it holds whole numbers."""
        return self.place.whole

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the part."""
        return self.place.shape[len(self.index) :]


@dataclass(frozen=True, eq=False)
class Const:
    """A real number that is known before the first round."""

    value: float
    whole: bool = False
    shape: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Whole:
    """A whole number: ``const``, ``read``, ``argmax``, or an operator with two arguments.

    Results saturate at 32 bits. ``low`` and ``high`` bound it.
    """

    op: str
    low: int
    high: int
    value: int = 0
    ref: Ref | None = None
    args: tuple[Whole, ...] = ()
    whole: bool = True
    shape: tuple[int, ...] = ()


Operand: TypeAlias = Ref | Const | Whole


@dataclass(frozen=True, eq=False)
class Test:
    """A condition: ``and``, ``or``, ``not`` of tests, or a comparison of two operands."""

    op: str
    tests: tuple[Test, ...] = ()
    operands: tuple[Operand, ...] = ()


@dataclass(eq=False)
class Operation:
    """One operation.

    Attributes:
        op: its name.
        out: what it writes.
        args: its operands.
        line: line of the Python.
        sign: 1 or -1 for updates in place.
        exact: operation and operands in float, if they differ from those of fixed point.
        test: condition of ``if``.
        blocks: bodies of ``for`` and ``if``.
        count: first and last + 1 of the loop variable of ``for``.
        symmetric: whether the matrix that it updates or reads is symmetric.
        plan: shifts and modes, once formats are chosen.
    """

    op: str
    out: Ref | None
    args: list[Operand]
    line: int
    sign: int = 1
    exact: tuple[str, tuple[Operand, ...]] | None = None
    test: Test | None = None
    blocks: tuple[list[Operation], ...] = ()
    count: tuple[int, int] = (0, 0)
    symmetric: bool = False
    plan: dict[str, Any] = field(default_factory=dict)

    @property
    def to(self) -> Ref:
        """What it writes, for operations that write."""
        assert self.out is not None
        return self.out


@dataclass(eq=False)
class LearnerCode:
    """A learner as operations.

    Attributes:
        learner: the instance, whose ``__init__`` has run.
        file: the Python file.
        arms: number of arms.
        dimensions: length of a context.
        state: places that persist between rounds.
        first: initial values of the state.
        alpha: weight of exploration, a run-time input.
        x: context.
        arm: arm that gave the reward.
        reward: reward.
        select: operations of ``select``.
        update: operations of ``update``.
        takes_alpha: whether ``self.alpha`` is the run-time weight of exploration.
        sources: lines of the Python, by number.
        settings: constants by name: how to read one of an instance, and its value.
    """

    learner: Any
    file: str
    arms: int
    dimensions: int
    state: dict[str, Place]
    first: dict[str, NDArray[Any]]
    alpha: Place
    x: Place
    arm: Place
    reward: Place
    select: list[Operation] = field(default_factory=list)
    update: list[Operation] = field(default_factory=list)
    takes_alpha: bool = False
    sources: dict[int, str] = field(default_factory=dict)
    settings: dict[str, tuple[Callable[[Any], Any], Any]] = field(default_factory=dict)

    @property
    def inputs(self) -> tuple[Place, ...]:
        """Inputs that are real numbers."""
        return self.alpha, self.x, self.reward

    def operations(self) -> Iterator[Operation]:
        """Yield all operations of both methods, bodies included."""
        yield from walk(self.select)
        yield from walk(self.update)

    def places(self) -> list[Place]:
        """Return all places in order: inputs, state, then as operations write them."""
        written = [each.out.place for each in self.operations() if each.out is not None]
        return list(dict.fromkeys([*self.inputs, *self.state.values(), *written]))


def walk(block: list[Operation]) -> Iterator[Operation]:
    """Yield the operations of a block, bodies included."""
    for each in block:
        yield each
        for body in each.blocks:
            yield from walk(body)


def always_returns(block: list[Operation]) -> bool:
    """Return whether every path through a block ends in a return."""
    if not block:
        return False
    last = block[-1]
    if last.op == "if":
        return all(always_returns(each) for each in last.blocks)
    return last.op == "return"


def refs_of(op: Operation) -> list[Ref]:
    """Return the places that the operands of an operation name, without indices."""
    return [each for each in op.args if isinstance(each, Ref)]


def places_of(parts: Iterable[Operand | Test | None]) -> set[Place]:
    """Return the places that operands and conditions name, indices included."""
    found: set[Place] = set()
    rest: list[Operand | Test | None] = list(parts)
    while rest:
        each = rest.pop()
        if isinstance(each, Ref):
            found.add(each.place)
            rest += each.index
        elif isinstance(each, Whole):
            rest += [each.ref, *each.args]
        elif isinstance(each, Test):
            rest += [*each.tests, *each.operands]
    return found


def const(value: int) -> Whole:
    """Return a whole number that is known before the first round."""
    return Whole("const", value, value, value)


__all__ = [
    "INPUT_BITS",
    "RAISED_BITS",
    "WORD_MAX",
    "WORD_MIN",
    "Const",
    "Floats",
    "LearnerCode",
    "Operand",
    "Operation",
    "Place",
    "Ref",
    "Test",
    "Value",
    "Whole",
    "always_returns",
    "const",
    "places_of",
    "refs_of",
    "walk",
]  # fmt: skip
