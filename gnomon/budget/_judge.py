"""Comparison of measured costs with limits and baseline, with a remedy for each failure."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any

from gnomon.base.errors import GnomonError
from gnomon.base.units import meets_limit
from gnomon.base.values import json_attributes, to_json_data
from gnomon.budget._baseline import (
    Baseline,
    BaselineEntry,
    check_place,
    read_baseline,
    round_value,
    write_baseline,
)
from gnomon.budget._budget import Budget, BudgetCheck
from gnomon.budget._limit import Limit
from gnomon.budget._measure import CheckMeasurement, measure_check
from gnomon.explore.metrics import ENERGY_COLUMNS, Metric, format_quantity


@dataclass(frozen=True, slots=True)
class Verdict:
    """One limit and its result."""

    check: str  # name of the check
    limit: Limit  # the limit
    # measured, in the unit of the metric; None: unavailable, which meets none of the limits
    value: int | float | None
    # the largest value that meets the limit; None: it needs a value that the baseline lacks
    most: Fraction | None
    baseline: int | float | None  # value in the baseline; None: it has none
    operands: str | int | None = None  # operands that an available energy assumes; else None
    energy: str | None = None  # kind and library of an available energy

    @property
    def kept(self) -> bool:
        """Whether the value meets the limit, which includes the bound."""
        return (
            self.value is not None and self.most is not None and meets_limit(self.value, self.most)
        )

    @property
    def measured(self) -> str:
        """Value as text; whole numbers to the last digit."""
        return "-" if self.value is None else exact(self.limit.metric, self.value)

    @property
    def change(self) -> str:
        """Change from the baseline, such as ``+124 cycles, +2.5 %``; empty without one."""
        if self.baseline is None or self.value is None:
            return ""
        return format_change(self.limit.metric, self.baseline, round_value(self.value))

    def to_json(self) -> dict[str, Any]:
        return {
            "check": self.check,
            "metric": self.limit.metric.name,
            "limit": self.limit.text,
            "value": self.value,
            "most": None if self.most is None else float(self.most),
            "baseline": self.baseline,
            "operands": self.operands,
            "energy": self.energy,
            "kept": self.kept,
            "where": self.limit.where,
        }


@dataclass(frozen=True, slots=True)
class BudgetReport:
    """Verdicts on all limits of a budget."""

    name: str  # name of the budget
    verdicts: tuple[Verdict, ...]  # one per limit, in the order of the file
    failures: tuple[str, ...]  # one complete message per failure
    builds: Mapping[str, str]  # how each check was built, by its name; empty for an ELF file

    def to_json(self) -> dict[str, Any]:
        """Return JSON-compatible data."""
        data = json_attributes(self, "name failures")
        return data | {"kept": not self.failures, "limits": to_json_data(self.verdicts)}


def judge_budget(budget: Budget, *, update: bool = False) -> tuple[BudgetReport, Path | None]:
    """Measure every check and compare it with its limits.

    Args:
        budget: the checks and their limits.
        update: accept the measured values as the new baseline, unless a program failed; relative
            limits are then met. An unavailable quantity is a failure and null in the baseline.

    Returns:
        The report, and the path of the baseline if it was written.

    Raises:
        CheckFailed: if a kernel or a learner differs from its model.
        GnomonError: if a check cannot be measured, or the baseline does not match the budget.
    """
    if update:
        check_place(budget.baseline, Path(budget.path))
    baseline = read_baseline(budget.baseline)
    if not update:
        _check_baseline(budget, baseline)
    measured = {check.name: measure_check(check) for check in budget.checks}
    verdicts, failures, failed = [], [], False
    for check in budget.checks:
        entry = None if baseline is None else baseline.get(check.name)
        found = measured[check.name]
        if check.exit_code is not None and found.exit_code != check.exit_code:
            failed = True  # the measured cost is not that of the intended work
            failures.append(
                f"{check.where}: {check.name}: the program returned {found.exit_code}, not"
                f" {check.exit_code}, so its cost is not that of its work"
            )
        for limit in check.limits:
            other = _other_technology(budget, limit, entry, found)
            known = not other and not explain_incomparable(budget, check, limit, entry)
            before = entry.metrics[limit.metric.name] if entry is not None and known else None
            value = found.metrics.get(limit.metric.name)
            if limit.relative and value is not None:
                value = round_value(value)  # as in the baseline
            reference = value if limit.relative and update else before
            most = None if limit.relative and reference is None else limit.most(reference)
            if limit.relative and isinstance(value, int) and most is not None:
                most = Fraction(floor(most))
            priced = value is not None and limit.metric.name in ENERGY_COLUMNS
            operands = found.operands if priced else None
            energy = found.energy if priced else None
            verdict = Verdict(check.name, limit, value, most, before, operands, energy)
            verdicts.append(verdict)
            if value is None:
                failures.append(_unknown(found, limit))
            elif most is None:
                why = f"cannot be compared: {other}" if other else _now_known(budget, limit, value)
                failures.append(
                    f"{limit.where}: {check.name}: {limit.metric.word} {why}; accept it"
                    f" with `gnomon budget {budget.path} --update`"
                )
            elif not verdict.kept:
                failures.append(_failure(budget, verdict, entry, found))
    report = BudgetReport(
        budget.name,
        tuple(verdicts),
        tuple(failures),
        {name: found.build for name, found in measured.items()},
    )
    if not update or failed:
        return report, None
    write_baseline(budget.baseline, _new_baseline(budget, measured))
    return report, budget.baseline


def measure_baseline(budget: Budget) -> Baseline:
    """Measure every check of a budget and return all limited quantities.

    Raises:
        CheckFailed: if a kernel or a learner differs from its model.
        GnomonError: if a check cannot be measured.
    """
    return _new_baseline(budget, {check.name: measure_check(check) for check in budget.checks})


def _new_baseline(budget: Budget, measured: Mapping[str, CheckMeasurement]) -> Baseline:
    """Return the measured values of all limited quantities as a baseline."""
    return {
        check.name: BaselineEntry(
            check.describe(),
            measured[check.name].build,
            {limit.metric.name: _known(measured[check.name], limit) for limit in check.limits},
            measured[check.name].energy if _limits_energy(check) else None,
        )
        for check in budget.checks
    }


def _check_baseline(budget: Budget, baseline: Baseline | None) -> None:
    """Check that the baseline covers every relative limit, before any run.

    Raises:
        GnomonError: if values of relative limits are missing, with each of them.
    """
    missing = []
    for check in budget.checks:
        entry = None if baseline is None else baseline.get(check.name)
        for limit in check.limits:
            why = explain_incomparable(budget, check, limit, entry)
            if limit.relative and why and not _accepted_unknown(entry, limit):
                advice = f"run `gnomon budget {budget.path} --update` and commit it"
                missing.append(f"{limit.where}: {limit.text!r}: {why}; {advice}")
    if missing:
        raise GnomonError(missing[0] if baseline is None else "\n".join(missing))


def _accepted_unknown(entry: BaselineEntry | None, limit: Limit) -> bool:
    """Return whether the baseline was accepted while this quantity was unavailable."""
    return entry is not None and entry.metrics.get(limit.metric.name, 0) is None


def _unknown(found: CheckMeasurement, limit: Limit) -> str:
    why = found.notes.get(limit.metric.name, "not measured")
    return f"{limit.where}: {limit.metric.word} is not known: {why}"


def _now_known(budget: Budget, limit: Limit, value: float) -> str:
    return f"is now known, {exact(limit.metric, value)}, and {budget.baseline} has none"


def _known(found: CheckMeasurement, limit: Limit) -> int | float | None:
    value = found.metrics.get(limit.metric.name)
    return None if value is None else round_value(value)


def explain_incomparable(
    budget: Budget, check: BudgetCheck, limit: Limit, entry: BaselineEntry | None
) -> str:
    """Return why a value cannot be compared with the baseline; empty if it can."""
    if entry is None or limit.metric.name not in entry.metrics:
        if not budget.baseline.exists():
            return f"{budget.baseline} does not exist"
        return f"{budget.baseline} has no {limit.metric.word} of {check.name}"
    now = json.loads(json.dumps(check.describe()))
    if now != entry.of:
        return f"{budget.baseline} is of another workload: {_difference(entry.of, now)}"
    if entry.metrics[limit.metric.name] is None:
        return f"{limit.metric.word} was not known when {budget.baseline} was accepted"
    return ""


def _limits_energy(check: BudgetCheck) -> bool:
    return any(limit.metric.name in ENERGY_COLUMNS for limit in check.limits)


def _other_technology(
    budget: Budget, limit: Limit, entry: BaselineEntry | None, found: CheckMeasurement
) -> str:
    """Return why an energy and that of the baseline are not comparable; empty if they are.

    Energies of different kinds or libraries are of different technologies.
    """
    if limit.metric.name not in ENERGY_COLUMNS or found.energy is None or entry is None:
        return ""
    if entry.metrics.get(limit.metric.name) is None or entry.energy == found.energy:
        return ""
    before = "without kind and library" if entry.energy is None else f"of {entry.energy}"
    return f"it is now of {found.energy}; that of {budget.baseline} is {before}"


def _difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    parts = []
    for key in dict.fromkeys([*before, *now]):
        old, new = before.get(key), now.get(key)
        if old == new:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            parts.append(_difference(old, new))
        else:
            parts.append(f"{key} was {_format_plain(old)}, is {_format_plain(new)}")
    return ", ".join(parts)


def _format_plain(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value)) or "nothing"
    return "nothing" if value is None else str(value)


def _failure(
    budget: Budget, verdict: Verdict, entry: BaselineEntry | None, found: CheckMeasurement
) -> str:
    metric = verdict.limit.metric
    assert verdict.value is not None
    assert verdict.most is not None
    over = Fraction(verdict.value) - verdict.most
    now = exact(metric, verdict.value)
    moved = f"is {now}"
    if verdict.change not in ("", "unchanged"):
        assert verdict.baseline is not None
        verb = "rose" if verdict.value > verdict.baseline else "fell"
        moved = f"{verb} from {exact(metric, verdict.baseline)} to {now} ({verdict.change})"
    text = (
        f"{verdict.limit.where}: {verdict.check}: {metric.word} {moved},"
        f" {exact(metric, float(over))} above the limit {verdict.limit.text!r}"
    )
    if verdict.limit.relative:
        text += f", which is {exact(metric, float(verdict.most))}"
        text += f"; if intended, `gnomon budget {budget.path} --update` and commit"
        text += f" {budget.baseline}"
    else:
        text += "; if intended, raise the limit there"
    if entry is not None and found.build != entry.build:
        text += f"; the build changed too: {entry.build or 'an ELF file'!r} to {found.build!r}"
    return text


def exact(metric: Metric, value: float) -> str:
    """Return a value with its unit; whole numbers to the last digit."""
    if metric.unit in ("cycles", "bytes"):
        digits = f"{value:,.6f}".rstrip("0").rstrip(".")
        return f"{digits} {metric.unit[:-1] if value == 1 else metric.unit}"
    return format_quantity(metric, value)


def format_change(metric: Metric, before: float, now: float) -> str:
    """Return a difference with its share, such as ``+124 cycles, +2.5 %``, or ``unchanged``."""
    difference = now - before
    if difference == 0:
        return "unchanged"
    sign = "+" if difference > 0 else "-"
    share = f", {difference / before:+.2%}".replace("%", " %") if before else ""
    return f"{sign}{exact(metric, abs(difference))}{share}"
