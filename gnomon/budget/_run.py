"""A whole budget: read what was accepted, measure, judge, and write what is accepted now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.budget._baseline import read_baseline, write_baseline
from gnomon.budget._judge import Report, check_baseline, judge, new_baseline
from gnomon.budget._measure import measure

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.budget._limit import Budget


def run_budget(budget: Budget, *, update: bool = False) -> tuple[Report, Path | None]:
    """Measure every check and hold it against its limits.

    Args:
        budget: what is measured, and what it may cost.
        update: accept what is measured as the new baseline, unless a program failed.

    Returns:
        The report, and the baseline if it was written.

    Raises:
        CheckFailed: a kernel or a learner computes something else.
        GnomonError: something cannot be measured, or the baseline does not fit the budget.
    """
    baseline = read_baseline(budget.baseline)
    if not update:
        check_baseline(budget, baseline)
    measured = {check.name: measure(check) for check in budget.checks}
    report = judge(budget, measured, baseline, accept=update)
    if not update or report.failed_programs:
        return report, None
    write_baseline(budget.baseline, new_baseline(budget, measured))
    return report, budget.baseline
