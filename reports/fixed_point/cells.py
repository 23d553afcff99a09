"""Runs of each size, and the result of one cell: every learner, number format, environment."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from gnomon.learn import Rounds
from gnomon.learn.environment import ContextLaw
from gnomon.learn.kernels import Floats
from gnomon.measure.learners import LearnerVariant
from gnomon.measure.regret import RegretCase, RegretCell, play_float, sums
from gnomon.report.study import Steps

from .events import Cause, Event, Leave, cause, explaining, find_events, leave
from .history import History, InverseError, inverse_errors
from .host_run import HostRun, model_checkpoints, run_host
from .layout import layout_of

DISJOINT, HYBRID = "linucb-disjoint", "linucb-hybrid"
_LAWS: tuple[ContextLaw, ...] = ("uniform", "normal")


@dataclass(frozen=True, slots=True)
class StudySize:
    """Size of a study."""

    name: str  # as on the command line
    cells: tuple[RegretCell, ...]  # in the order of the report
    # by algorithm, rounds in which a learner also learns what float learned, and in which its
    # overflows are counted; both take time. All rounds of others
    follow_rounds: Mapping[str, int] = field(default_factory=dict)

    def follow(self, case: RegretCase) -> int:
        """Return the rounds in which learners of a case follow float."""
        return min(self.follow_rounds.get(case.name, case.rounds), case.rounds)


@dataclass(frozen=True, slots=True)
class FloatCurve:
    """Rewards of the float learner of a case; one value per round."""

    case: RegretCase  # the environment
    # expected reward of the best arm less that of the arm played, summed up
    regret: Floats = field(repr=False)
    reward: Floats = field(repr=False)  # summed up
    plays: tuple[int, ...]  # of each arm


@dataclass(frozen=True, slots=True)
class CellResult:
    """Result of one cell."""

    cell: RegretCell  # which one
    regret: Floats = field(repr=False)  # summed up, one value per round, playing alone
    reward: Floats = field(repr=False)  # as ``regret``
    equal_alone: float  # share of the rounds in which it played float's arm, each playing alone
    # share of the rounds of following in which it chose float's arm, both learning what float
    # played
    equal_following: float
    first_other_arm: int  # the first round in which it played another arm than float; 0: none
    left_regret: Leave  # departure of the regret from that of float
    left_reward: Leave  # departure of the reward from that of float
    # at each checkpoint of following, all kinds together; None if they cannot be counted
    overflows: tuple[int, ...] | None
    events: tuple[Event, ...]  # deviations from exact arithmetic
    # of the inverses, at each checkpoint; empty if the layout is unavailable
    errors: tuple[InverseError, ...]

    @property
    def cause(self) -> Cause:
        """Reason why regret left that of float."""
        return cause(self.left_regret.for_good, self.events)

    @property
    def explaining(self) -> Event | None:
        return explaining(self.left_regret.for_good, self.events)


@dataclass(frozen=True, slots=True)
class FixedPointStudy:
    """All results."""

    size: StudySize
    floats: tuple[FloatCurve, ...]
    results: tuple[CellResult, ...]

    def float_of(self, case: RegretCase) -> FloatCurve:
        return next(curve for curve in self.floats if curve.case == case)


def _cells(
    cases: Iterable[RegretCase], formats: tuple[int, ...], wanted: Callable[[LearnerVariant], bool]
) -> tuple[RegretCell, ...]:
    def of(variant: LearnerVariant, case: RegretCase) -> tuple[int, ...]:
        if variant.fraction_bits is not None:
            return (variant.fraction_bits,)
        if case.features and variant.correction_period is not None:
            return (15,)  # slow, and it fails where its original variant fails
        return formats

    return tuple(
        RegretCell(case, variant.line, variant.name, bits)
        for case in cases
        for variant in case.learner.variants
        if variant.once is None and wanted(variant)
        for bits in of(variant, case)
    )


def _size(
    name: str, rounds: Mapping[str, int], formats: tuple[int, ...],
    scaled_formats: tuple[int, ...], seeds: Mapping[str, int],
) -> StudySize:  # fmt: skip
    """Return a size: both algorithms in all formats, disjoint with scaled contexts, other seeds.

    Vector variants of the paper code are in the full size only, which follows the hybrid algorithm
    for some rounds.
    """
    is_full = name == "full"
    disjoint = [RegretCase(DISJOINT, law, rounds[DISJOINT], 8) for law in _LAWS]
    hybrid = [RegretCase(HYBRID, law, rounds[HYBRID], 4, 8) for law in _LAWS]
    scaled = [replace(case, context_scale=0.125) for case in disjoint]
    others = [
        replace(case, seed=seed)
        for case in (*disjoint, *hybrid)
        for seed in range(2, seeds.get(case.name, 1) + 1)
    ]

    def main(variant: LearnerVariant) -> bool:
        shown = is_full or not variant.vector or variant.line == "tuned"
        return shown and variant.name != "corrected-vector"

    plain = {"standard", "optimized"}
    cells = (
        *_cells((*disjoint, *hybrid), formats, main),
        *_cells(scaled, scaled_formats, lambda each: each.line == "tuned" or each.name in plain),
        *_cells(others, formats, lambda each: each.line == "tuned"),
    )
    return StudySize(name, cells, {HYBRID: 20_000} if is_full else {})


_FEW = (10, 15, 20, 24)
SIZES: Mapping[str, Callable[[], StudySize]] = {
    "small": partial(_size, "small", {DISJOINT: 2_000, HYBRID: 300}, _FEW, _FEW, {}),
    "full": partial(
        _size, "full", dict.fromkeys((DISJOINT, HYBRID), 100_000), tuple(range(10, 25)),
        (12, 14, 15, 16, 17, 18, 20, 22), {DISJOINT: 5, HYBRID: 3},
    ),
}  # fmt: skip


def run_fixed_point(
    size: StudySize, progress: Steps | None = None, *, fresh: bool = False
) -> FixedPointStudy:
    """Run a study; finished cells come from the cache, so a stopped study resumes.

    Args:
        size: selection of cells.
        progress: of the cells.
        fresh: ignore the cache.
    """
    results: list[CellResult] = []
    floats: dict[RegretCase, FloatCurve] = {}
    played: dict[RegretCase, tuple[Rounds, NDArray[np.uint8]]] = {}
    for cell in (progress or Steps()).over(size.cells, lambda cell: cell.title):
        if cell.case not in played:
            rounds = cell.case.play()
            played = {cell.case: (rounds, play_float(cell.case, rounds, fresh=fresh))}
        rounds, reference = played[cell.case]
        if cell.case not in floats:
            plays = np.bincount(reference, minlength=cell.case.arms).tolist()
            floats[cell.case] = FloatCurve(cell.case, *sums(rounds, reference), tuple(plays))
        run = run_host(cell, rounds, reference, follow_rounds=size.follow(cell.case), fresh=fresh)
        results.append(_result(cell, rounds, reference, floats[cell.case], run))
    return FixedPointStudy(size, tuple(floats.values()), tuple(results))


def _result(
    cell: RegretCell, rounds: Rounds, reference: NDArray[np.uint8], curve: FloatCurve, run: HostRun
) -> CellResult:
    history, layout = History(cell.case, rounds, run.arms), layout_of(cell)
    models = dict(zip(model_checkpoints(cell.case.rounds), run.models, strict=True))
    errors = inverse_errors(cell, layout, models, history) if layout else ()
    regret, reward = sums(rounds, run.arms)
    equal = run.arms == reference
    return CellResult(
        cell=cell,
        regret=regret,
        reward=reward,
        equal_alone=float(equal.mean()),
        equal_following=float((run.followed == reference[: len(run.followed)]).mean()),
        first_other_arm=0 if equal.all() else int(equal.argmin()) + 1,
        left_regret=leave(regret, curve.regret),
        left_reward=leave(reward, curve.reward),
        overflows=tuple(run.overflows.sum(axis=1).tolist()) if run.counts_overflows else None,
        events=find_events(cell, run, history, layout, errors),
        errors=errors,
    )
