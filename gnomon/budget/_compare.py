"""Comparison of measured costs with those of another version, such as the base of a change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from gnomon.budget._baseline import round_value
from gnomon.budget._budget import Budget
from gnomon.budget._judge import (
    BudgetReport,
    Verdict,
    exact,
    explain_incomparable,
    format_change,
    measure_baseline,
)


@dataclass(frozen=True, slots=True)
class BaseChange:
    """One limited quantity, here and in the base."""

    verdict: Verdict  # of this version
    base: int | float | None  # value in the base; None: not comparable
    note: str  # why it is not comparable; empty if it is

    @property
    def before(self) -> str:
        """Value in the base as text."""
        return "-" if self.base is None else exact(self.verdict.limit.metric, self.base)

    @property
    def difference(self) -> str:
        """Difference as text; empty if it cannot be computed."""
        if self.base is None or self.verdict.value is None:
            return ""
        value = round_value(self.verdict.value)
        return format_change(self.verdict.limit.metric, self.base, value)

    @property
    def unchanged(self) -> bool:
        """Whether base and this version have the same known value."""
        return self.base is not None and self.difference == "unchanged"


@dataclass(frozen=True, slots=True)
class BaseComparison:
    """All limited quantities of a budget, here and in the base."""

    report: BudgetReport  # of this version
    changes: tuple[BaseChange, ...]  # one per limit, in the order of the file
    builds: tuple[tuple[str, str, str], ...]  # checks that another build compiled: base, here


def compare_with_base(budget: Budget, report: BudgetReport, base: Budget) -> BaseComparison:
    """Measure the budget of another version, and compare a report with it.

    Raises:
        CheckFailed: if a kernel or a learner of the base differs from its model.
        GnomonError: if a check of the base cannot be measured.
    """
    entries = measure_baseline(base)
    other = replace(budget, baseline=Path(base.path))
    checks = {check.name: check for check in budget.checks}
    changes = []
    for verdict in report.verdicts:
        entry = entries.get(verdict.check)
        name, energy = verdict.limit.metric.name, verdict.energy
        note = explain_incomparable(other, checks[verdict.check], verdict.limit, entry)
        if not note and entry is not None and energy is not None and energy != entry.energy:
            note = f"the energy is of {energy}; that of {base.path} is of {entry.energy}"
        value = None if note or entry is None else entry.metrics[name]
        changes.append(BaseChange(verdict, value, note))
    builds = tuple(
        (name, entries[name].build, build)
        for name, build in report.builds.items()
        if name in entries and entries[name].build != build
    )
    return BaseComparison(report, tuple(changes), builds)
