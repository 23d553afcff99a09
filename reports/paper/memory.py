"""Figures 2 and 4: bytes of the embedded learners, and of the NumPy ones beside them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from gnomon import learn
from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.bench.learners import Sizes, build_learner, find_learner, measure_learner
from gnomon.program import refusal_of

from .kernels import SCALAR_MACHINE, VECTOR_MACHINE
from .published import ARMS as ARMS  # noqa: PLC0414 - of the figures, too

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.bench.learners import Learner, LearnerRun, LearnerVariant
    from gnomon.learn import MemoryRow

    from .figures import FigureSize

BUDGET = "128 KiB"
_ROOMY = "4 MiB"  # every size that is run fits
_LARGEST = "64 MiB"  # the static data of every size fits
DISJOINT, HYBRID = "linucb-disjoint", "linucb-hybrid"
SHOWN_D = 4
"""Of the hybrid learners in table and picture: the d that Table 3 fits."""
_COMPARED = ("standard", "optimized", "standard-vector", "optimized-vector")


@dataclass(frozen=True, slots=True)
class MemoryPoint:
    """One embedded learner of one size; bytes of data memory.

    Attributes:
        learner: its name.
        line: which code line.
        variant: which implementation.
        sizes: of the learner.
        static_bytes: all static data, by the symbols of the program; None if it cannot be built.
        select_stack_bytes: peak stack of a selection, from the paint that is left of it; None if
            it was not run.
        update_stack_bytes: likewise of an update.
        stack_bytes: likewise of the whole program.
        refusal: why it does not run in ``BUDGET``; empty if it does.
    """

    learner: str
    line: str
    variant: str
    sizes: Sizes
    static_bytes: int | None
    select_stack_bytes: int | None
    update_stack_bytes: int | None
    stack_bytes: int | None
    refusal: str

    @property
    def numbers(self) -> tuple[int | None, ...]:
        """Static, selection, update, whole program and all together."""
        return (
            *(self.static_bytes, self.select_stack_bytes, self.update_stack_bytes),
            *(self.stack_bytes, self.total_bytes),
        )

    @property
    def total_bytes(self) -> int | None:
        """Static data and peak stack."""
        if self.static_bytes is None or self.stack_bytes is None:
            return None
        return self.static_bytes + self.stack_bytes


@dataclass(frozen=True, slots=True)
class Memory:
    """All points: of embedded learners, and of the NumPy ones."""

    points: tuple[MemoryPoint, ...]
    python: tuple[MemoryRow, ...]

    def find(
        self, learner: str, sizes: Sizes, variant: str, line: str = "paper"
    ) -> MemoryPoint | None:
        """One point; None if the line has no such variant."""
        asked = (learner, sizes, variant, line)
        found = (p for p in self.points if (p.learner, p.sizes, p.variant, p.line) == asked)
        return next(found, None)

    def find_python(self, learner: str, sizes: Sizes, variant: str) -> MemoryRow:
        """The NumPy learner of the same sizes."""
        like = _float_sizes(sizes)
        return next(
            row
            for row in self.python
            if (row.name, row.variant, row.sizes) == (learner, variant, like)
        )


def memory_sizes(size: FigureSize) -> list[tuple[str, Sizes]]:
    """Learners and sizes: d and N of the disjoint one; d and f of the hybrid one, N = 8."""
    disjoint = [(DISJOINT, Sizes(d, arms)) for arms, d in product(size.arms, size.grid)]
    return disjoint + [(HYBRID, Sizes(d, ARMS, f)) for d, f in product(size.grid, repeat=2)]


def shown_sizes(size: FigureSize, learner: str) -> list[Sizes]:
    """Of the picture and the first tables."""
    if learner == DISJOINT:
        return [Sizes(d, ARMS) for d in size.grid]
    return [Sizes(SHOWN_D, ARMS, f) for f in size.grid]


def larger_stack_bytes(point: MemoryPoint) -> int | None:
    """The larger peak of selection and update."""
    if point.select_stack_bytes is None or point.update_stack_bytes is None:
        return None
    return max(point.select_stack_bytes, point.update_stack_bytes)


def memory_steps(size: FigureSize) -> int:
    """How many times ``progress`` is called."""
    return len(memory_sizes(size))


def run_memory(size: FigureSize, progress: Callable[[str], None] = lambda _: None) -> Memory:
    """Measure all points.

    Raises:
        CheckFailed: a run differs from the same C on this computer.
    """
    points, python = [], []
    for name, sizes in memory_sizes(size):
        learner = find_learner(name)
        points += [
            _measure(learner, variant, sizes, size.largest_k)
            for variant in learner.variants
            if variant.name in _COMPARED
        ]
        python += [
            learn.measure_memory(name, variant, _float_sizes(sizes)) for variant in _COMPARED[:2]
        ]
        progress(f"memory, {name}, {sizes.named()}")
    return Memory(tuple(points), tuple(python))


def _float_sizes(sizes: Sizes) -> learn.Sizes:
    return learn.Sizes(sizes.arms, sizes.d, sizes.f or 0)


def _measure(
    learner: Learner, variant: LearnerVariant, sizes: Sizes, largest_k: int
) -> MemoryPoint:
    """In the budget; where that fails, with more memory, if it does not take too long."""
    machine = VECTOR_MACHINE if variant.vector else SCALAR_MACHINE

    def measured(memory: str) -> LearnerRun:
        architecture = load_architecture(machine, [f"memory.data.size={memory}"])
        return measure_learner(learner, variant, architecture, sizes)

    refusal, run, static_bytes = "", None, None
    try:
        run = measured(BUDGET)
    except GnomonError as error:
        refusal = refusal_of(error)
        try:
            if sizes.k <= largest_k:
                run = measured(_ROOMY)
            else:
                static_bytes = _static_bytes(learner, variant, sizes, machine)
        except GnomonError as whatever_the_memory:
            refusal = refusal_of(whatever_the_memory)
    return MemoryPoint(
        learner=learner.name,
        line=variant.line,
        variant=variant.name,
        sizes=sizes,
        static_bytes=run.static_bytes if run else static_bytes,
        select_stack_bytes=run.select.stack_bytes if run else None,
        update_stack_bytes=run.update.stack_bytes if run else None,
        stack_bytes=run.stack_bytes[0] if run else None,
        refusal=refusal,
    )


def _static_bytes(learner: Learner, variant: LearnerVariant, sizes: Sizes, machine: str) -> int:
    architecture = load_architecture(machine, [f"memory.data.size={_LARGEST}"])
    program = build_learner(learner, variant, architecture, sizes)
    return program.symbol("_data_end").address - program.symbol("_data").address
