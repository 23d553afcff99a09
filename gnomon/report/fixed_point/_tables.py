"""The tables of the report, as CSV."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from gnomon.bench.fixedpoint import checkpoints

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gnomon.bench.fixedpoint import Cell, CellResult, FixedPointStudy, StudyCase

_CASE = ("algorithm", "contexts", "context_scale", "seed")
_CELL = (*_CASE, "line", "variant", "fraction_bits")


def cells_csv(study: FixedPointStudy) -> str:
    """One row per cell: how long it stayed with float, and why it left."""
    header = (
        *_CELL, "rounds", "equal_following_percent", "equal_alone_percent", "first_other_arm_round",
        "average_reward", "average_reward_float", "regret", "regret_float",
        "regret_left_first_round", "regret_left_round", "regret_left_side",
        "reward_left_round", "cause", "evidence", "evidence_round", "evidence_exact",
        "overflows", "inverse_error", "inverse_relative_error", "shared_inverse_error",
        "theta_relative_error", "below_one_unit_percent",
    )  # fmt: skip
    return _csv(header, (_cell_row(study, result) for result in study.results))


def cell_rows(study: FixedPointStudy) -> list[dict[str, str]]:
    """The rows of ``cells_csv``, by the names of its columns."""
    return list(csv.DictReader(io.StringIO(cells_csv(study))))


def _cell_row(study: FixedPointStudy, result: CellResult) -> tuple[object, ...]:
    case = result.cell.case
    reference = study.float_of(case)
    event = result.explaining
    last = result.errors[-1] if result.errors else None
    shared = last.shared_absolute if last else None
    return (
        *_cell(result.cell),
        case.rounds,
        f"{100 * result.equal_following:.3f}",
        f"{100 * result.equal_alone:.3f}",
        result.first_other_arm or "",
        f"{result.reward[-1] / case.rounds:.6f}",
        f"{reference.reward[-1] / case.rounds:.6f}",
        f"{result.regret[-1]:.3f}",
        f"{reference.regret[-1]:.3f}",
        result.left_regret.first or "",
        result.left_regret.for_good or "",
        result.left_regret.side,
        result.left_reward.for_good or "",
        result.cause,
        event.name if event else "",
        event.round_number if event else "",
        ("yes" if event.exact else "no") if event else "",
        _overflows(result, -1),
        f"{last.absolute:.2e}" if last else "",
        f"{last.relative:.2e}" if last else "",
        "" if shared is None else f"{shared:.2e}",
        f"{last.theta:.2e}" if last and last.theta is not None else "",
        f"{100 * last.below_unit:.1f}" if last else "",
    )


def _overflows(result: CellResult, index: int) -> int | str:
    """So far, at one of the checkpoints, -1: the last; nothing where they are not counted."""
    counts = result.overflows or ()
    return counts[index] if max(index, 0) < len(counts) else ""


def events_csv(study: FixedPointStudy) -> str:
    """Every first event of every cell; the round is its own, or between two checkpoints."""
    header = (*_CELL, "group", "event", "round", "earliest_round")
    return _csv(
        header,
        (
            (*_cell(result.cell), event.group, event.name, event.round_number, event.earliest)
            for result in study.results
            for event in result.events
        ),
    )


def curves_csv(study: FixedPointStudy) -> str:
    """Sums and errors at the checkpoints."""
    header = (
        *_CELL, "round", "average_reward", "regret", "overflows", "inverse_error",
        "inverse_relative_error", "shared_inverse_error", "theta_relative_error",
        "below_one_unit_percent",
    )  # fmt: skip
    lines = []
    for result in study.results:
        errors = {error.round_number: error for error in result.errors}
        for index, stop in enumerate(checkpoints(result.cell.case.rounds)):
            error = errors.get(stop)
            shared = error.shared_absolute if error else None
            lines.append(
                (
                    *_cell(result.cell),
                    stop,
                    f"{result.reward[stop - 1] / stop:.6f}",
                    f"{result.regret[stop - 1]:.3f}",
                    _overflows(result, index),
                    f"{error.absolute:.2e}" if error else "",
                    f"{error.relative:.2e}" if error else "",
                    "" if shared is None else f"{shared:.2e}",
                    f"{error.theta:.2e}" if error and error.theta is not None else "",
                    f"{100 * error.below_unit:.1f}" if error else "",
                )
            )
    return _csv(header, lines)


def float_csv(study: FixedPointStudy) -> str:
    """What the float learners earned, at the same checkpoints."""
    header = (*_CASE, "round", "average_reward", "regret")
    return _csv(
        header,
        (
            (
                *_case(curve.case),
                stop,
                f"{curve.reward[stop - 1] / stop:.6f}",
                f"{curve.regret[stop - 1]:.3f}",
            )
            for curve in study.floats
            for stop in checkpoints(curve.case.rounds)
        ),
    )


def _case(case: StudyCase) -> tuple[object, ...]:
    return case.name, case.law, f"{case.context_scale:g}", case.seed


def _cell(cell: Cell) -> tuple[object, ...]:
    return *_case(cell.case), cell.line, cell.variant, cell.fraction_bits


def _csv(header: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()
