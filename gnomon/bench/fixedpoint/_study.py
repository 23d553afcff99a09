"""The study: every embedded learner, number format and environment beside float."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from gnomon.base.errors import known
from gnomon.bench.fixedpoint._case import DISJOINT, HYBRID, Cell, StudyCase
from gnomon.bench.fixedpoint._errors import inverse_errors
from gnomon.bench.fixedpoint._events import cause, explaining, find_events
from gnomon.bench.fixedpoint._float_run import run_float
from gnomon.bench.fixedpoint._history import History
from gnomon.bench.fixedpoint._host_run import run_host
from gnomon.bench.fixedpoint._inputs import make_inputs
from gnomon.bench.fixedpoint._layout import layout_of
from gnomon.bench.fixedpoint._leave import leave
from gnomon.bench.fixedpoint._regret import sums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from gnomon.bench.fixedpoint._errors import InverseError
    from gnomon.bench.fixedpoint._events import Cause, Event
    from gnomon.bench.fixedpoint._float_run import FloatRun
    from gnomon.bench.fixedpoint._host_run import HostRun
    from gnomon.bench.fixedpoint._layout import Floats
    from gnomon.bench.fixedpoint._leave import Leave
    from gnomon.bench.learners import LearnerVariant
    from gnomon.learn import Rounds
    from gnomon.learn.environment import ContextLaw


@dataclass(frozen=True, slots=True)
class FloatCurve:
    """What the float learner of a case earned; one value per round.

    Attributes:
        case: the environment.
        regret: expected reward of the best arm less that of the arm played, summed up.
        reward: summed up.
        plays: of each arm.
    """

    case: StudyCase
    regret: Floats = field(repr=False)
    reward: Floats = field(repr=False)
    plays: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CellResult:
    """What one cell did.

    Attributes:
        cell: which one.
        regret: summed up, one value per round, playing alone.
        reward: likewise.
        equal_alone: share of the rounds in which it played float's arm, each playing alone.
        equal_following: share of the first ``follow_rounds`` in which it chose float's arm, both
            learning what float played.
        first_other_arm: the first round in which it played another arm than float; 0: none.
        left_regret: how the regret stayed with that of float.
        left_reward: likewise the reward.
        overflows: at each checkpoint up to ``follow_rounds``, all kinds together; None where they
            cannot be counted.
        events: what went wrong.
        errors: of the inverses, at each checkpoint; empty where the layout is not known.
    """

    cell: Cell
    regret: Floats = field(repr=False)
    reward: Floats = field(repr=False)
    equal_alone: float
    equal_following: float
    first_other_arm: int
    left_regret: Leave
    left_reward: Leave
    overflows: tuple[int, ...] | None
    events: tuple[Event, ...]
    errors: tuple[InverseError, ...]

    @property
    def cause(self) -> Cause:
        """Why regret left that of float."""
        return cause(self.left_regret.for_good, self.events)

    @property
    def explaining(self) -> Event | None:
        """The event behind ``cause``."""
        return explaining(self.left_regret.for_good, self.events)


@dataclass(frozen=True, slots=True)
class StudySize:
    """How large a study is; ``cells`` in the order of the report."""

    name: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class FixedPointStudy:
    """All results."""

    size: StudySize
    floats: tuple[FloatCurve, ...]
    results: tuple[CellResult, ...]

    def float_of(self, case: StudyCase) -> FloatCurve:
        """The float run of a case."""
        return next(curve for curve in self.floats if curve.case == case)


def _formats(
    variant: LearnerVariant, case: StudyCase, formats: tuple[int, ...], few: tuple[int, ...]
) -> tuple[int, ...]:
    """``few``: of a costly variant that fails where the one it is made from does."""
    if variant.fraction_bits is not None:
        return (variant.fraction_bits,)
    if case.features and variant.correction_period is not None:
        return few
    return formats


def _cells(
    cases: Iterable[StudyCase],
    formats: tuple[int, ...],
    few: tuple[int, ...],
    wanted: Callable[[LearnerVariant], bool],
) -> tuple[Cell, ...]:
    return tuple(
        Cell(case, variant.line, variant.name, bits)
        for case in cases
        for variant in case.learner.variants
        if wanted(variant)
        for bits in _formats(variant, case, formats, few)
    )


def _make_size(
    name: str,
    rounds: tuple[int, int],
    follow_rounds: tuple[int, int],
    formats: tuple[int, ...],
    few: tuple[int, ...],
    *,
    of_scaled: tuple[int, ...],
    vectors: bool,
    seeds: tuple[int, int],
) -> StudySize:
    """Pairs: of the disjoint and of the hybrid algorithm; ``of_scaled``: with contexts scaled."""
    laws: tuple[ContextLaw, ...] = ("uniform", "normal")
    disjoint = [StudyCase(DISJOINT, law, rounds[0], follow_rounds[0], 8) for law in laws]
    hybrid = [StudyCase(HYBRID, law, rounds[1], follow_rounds[1], 4, 8) for law in laws]
    scaled = [
        StudyCase(DISJOINT, law, rounds[0], follow_rounds[0], 8, context_scale=0.125)
        for law in laws
    ]
    others = [
        replace(case, seed=seed)
        for cases, most in ((disjoint, seeds[0]), (hybrid, seeds[1]))
        for case in cases
        for seed in range(2, most + 1)
    ]
    corrected_vector = "corrected-vector"
    return StudySize(
        name,
        (
            *_cells(
                (*disjoint, *hybrid),
                formats,
                few,
                lambda v: (
                    (vectors or not v.vector or v.line == "tuned") and v.name != corrected_vector
                ),
            ),
            *_cells(
                scaled,
                of_scaled,
                few,
                lambda v: v.line == "tuned" or v.name in {"standard", "optimized"},
            ),
            *_cells(others, formats, few, lambda v: v.line == "tuned"),
        ),
    )


STUDY_SIZES = {
    "small": _make_size(
        "small",
        (2_000, 300),
        (2_000, 300),
        (10, 15, 20, 24),
        (15,),
        of_scaled=(10, 15, 20, 24),
        vectors=False,
        seeds=(1, 1),
    ),
    "full": _make_size(
        "full",
        (100_000, 100_000),
        (100_000, 20_000),
        tuple(range(10, 25)),
        (15,),
        of_scaled=(12, 14, 15, 16, 17, 18, 20, 22),
        vectors=True,
        seeds=(5, 3),
    ),
}


def find_study_size(name: str) -> StudySize:
    """The size of this name.

    Raises:
        GnomonError: there is none.
    """
    return STUDY_SIZES[known("size", name, STUDY_SIZES)]


def run_fixed_point(
    size: StudySize, progress: Callable[[str], None] = lambda _: None, *, fresh: bool = False
) -> FixedPointStudy:
    """Run a study; finished cells come from the cache, so one that was stopped goes on.

    Args:
        size: what to run.
        progress: called with the name of each cell when it is done.
        fresh: take nothing from the cache.

    Raises:
        GnomonError: something does not compile, does not fit its format, or cannot be kept.
    """
    results: list[CellResult] = []
    floats: dict[StudyCase, FloatCurve] = {}
    played: dict[StudyCase, tuple[Rounds, FloatRun]] = {}
    for cell in size.cells:
        if cell.case not in played:
            rounds = cell.case.play()
            played = {cell.case: (rounds, run_float(cell.case, rounds, fresh=fresh))}
        rounds, reference = played[cell.case]
        if cell.case not in floats:
            floats[cell.case] = FloatCurve(
                cell.case,
                *sums(rounds, reference.arms),
                tuple(np.bincount(reference.arms, minlength=cell.case.arms).tolist()),
            )
        run = run_host(cell, rounds, reference, fresh=fresh)
        results.append(_result(cell, rounds, reference, floats[cell.case], run))
        progress(cell.title)
    return FixedPointStudy(size, tuple(floats.values()), tuple(results))


def _result(
    cell: Cell, rounds: Rounds, reference: FloatRun, curve: FloatCurve, run: HostRun
) -> CellResult:
    history = History(cell.case, rounds, run.arms)
    layout = layout_of(cell)
    sizes = make_inputs(cell, rounds).sizes
    errors = inverse_errors(cell, sizes, layout, run, history) if layout else ()
    regret, reward = sums(rounds, run.arms)
    equal = run.arms == reference.arms
    return CellResult(
        cell=cell,
        regret=regret,
        reward=reward,
        equal_alone=float(equal.mean()),
        equal_following=float((run.followed == reference.arms[: len(run.followed)]).mean()),
        first_other_arm=0 if equal.all() else int(equal.argmin()) + 1,
        left_regret=leave(regret, curve.regret),
        left_reward=leave(reward, curve.reward),
        overflows=tuple(run.overflows.sum(axis=1).tolist()) if run.counts_overflows else None,
        events=find_events(cell, run, history, layout, errors),
        errors=errors,
    )
