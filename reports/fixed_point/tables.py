"""The tables of the study, as they are in its CSV files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.frames import frame

from .host_run import checkpoints

if TYPE_CHECKING:
    import pandas as pd

    from gnomon.bench.regret import RegretCase, RegretCell

    from .cells import CellResult, FixedPointStudy
    from .history import InverseError

_CASE = ("algorithm", "contexts", "context_scale", "seed")
CELL = (*_CASE, "line", "variant", "fraction_bits")
_ERROR = (
    "inverse_error", "inverse_relative_error", "shared_inverse_error", "theta_relative_error",
    "below_one_unit_percent",
)  # fmt: skip


def cells(study: FixedPointStudy) -> pd.DataFrame:
    """One row per cell: how long it stayed with float, and why it left."""
    return frame(
        (*CELL, "rounds", "equal_following_percent", "equal_alone_percent",
         "first_other_arm_round", "average_reward", "average_reward_float", "regret",
         "regret_float", "regret_left_first_round", "regret_left_round", "regret_left_side",
         "reward_left_round", "cause", "evidence", "evidence_round", "evidence_exact", "overflows",
         *_ERROR),
        (_cell_row(study, result) for result in study.results),
    )  # fmt: skip


def _cell_row(study: FixedPointStudy, result: CellResult) -> tuple[object, ...]:
    case = result.cell.case
    reference = study.float_of(case)
    event = result.explaining
    return (
        *cell_names(result.cell),
        case.rounds,
        f"{100 * result.equal_following:.3f}",
        f"{100 * result.equal_alone:.3f}",
        result.first_other_arm or None,
        f"{result.reward[-1] / case.rounds:.6f}",
        f"{reference.reward[-1] / case.rounds:.6f}",
        f"{result.regret[-1]:.3f}",
        f"{reference.regret[-1]:.3f}",
        result.left_regret.first or None,
        result.left_regret.for_good or None,
        result.left_regret.side,
        result.left_reward.for_good or None,
        result.cause or None,
        event and event.name,
        event and event.round_number,
        event and ("yes" if event.exact else "no"),
        _overflows(result, -1),
        *_error(result.errors[-1] if result.errors else None),
    )


def _overflows(result: CellResult, index: int) -> int | None:
    """So far, at one of the checkpoints, -1: the last; None where they are not counted."""
    counts = result.overflows or ()
    return counts[index] if max(index, 0) < len(counts) else None


def _error(error: InverseError | None) -> tuple[str | None, ...]:
    if error is None:
        return (None,) * len(_ERROR)
    numbers = (error.absolute, error.relative, error.shared_absolute, error.theta)
    return (
        *(None if each is None else f"{each:.2e}" for each in numbers),
        f"{100 * error.below_unit:.1f}",
    )


def events(study: FixedPointStudy) -> pd.DataFrame:
    """Every first event of every cell; the round is its own, or between two checkpoints."""
    return frame(
        (*CELL, "group", "event", "round", "earliest_round"),
        (
            (*cell_names(result.cell), event.group, event.name, event.round_number, event.earliest)
            for result in study.results
            for event in result.events
        ),
    )


def curves(study: FixedPointStudy) -> pd.DataFrame:
    """Sums and errors at the checkpoints."""
    rows = []
    for result in study.results:
        errors = {error.round_number: error for error in result.errors}
        for index, stop in enumerate(checkpoints(result.cell.case.rounds)):
            rows.append(
                (*cell_names(result.cell), stop, f"{result.reward[stop - 1] / stop:.6f}",
                 f"{result.regret[stop - 1]:.3f}", _overflows(result, index),
                 *_error(errors.get(stop)))
            )  # fmt: skip
    return frame((*CELL, "round", "average_reward", "regret", "overflows", *_ERROR), rows)


def float_curves(study: FixedPointStudy) -> pd.DataFrame:
    """What the float learners earned, at the same checkpoints."""
    return frame(
        (*_CASE, "round", "average_reward", "regret"),
        (
            (*_case(curve.case), stop, f"{curve.reward[stop - 1] / stop:.6f}",
             f"{curve.regret[stop - 1]:.3f}")
            for curve in study.floats
            for stop in checkpoints(curve.case.rounds)
        ),
    )  # fmt: skip


def _case(case: RegretCase) -> tuple[object, ...]:
    return case.name, case.law, f"{case.context_scale:g}", case.seed


def cell_names(cell: RegretCell) -> tuple[object, ...]:
    """What names a cell: ``CELL``."""
    return *_case(cell.case), cell.line, cell.variant, cell.fraction_bits


CSV = {"cells": cells, "events": events, "curves": curves, "float": float_curves}
