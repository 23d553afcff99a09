"""Sweeps and budgets as human-readable tables."""

from collections import Counter

from gnomon.arch.keys import written
from gnomon.base.console import console, table
from gnomon.budget import BudgetReport
from gnomon.explore import (
    SweepResult,
    compute_sensitivities,
    find_same_binaries,
    list_sensitivity_notes,
    recommend,
)
from gnomon.explore.metrics import ENERGY_COLUMNS, Metric, technology_of

_MOST_ROWS = 12
_MOST_REASONS = 6


def print_sweep(result: SweepResult) -> None:
    """Print the results of a sweep."""
    out = console()
    counts, sweep, reasons = result.counts, result.sweep, Counter(result.failures)
    visited = f"{len(result.rows):,} of {sweep.grid_points:,} points"
    retimed = f" and {counts.retimed:,} by re-timing {counts.recorded:,} recorded paths"
    retimed = retimed if counts.retimed else ""
    out.print(
        f"{sweep.name}: {visited}, {counts.cached:,} known, {counts.computed:,} computed in"
        f" {counts.simulated:,} simulations{retimed}; {sum(reasons.values()):,} failed"
    )
    for reason, count in reasons.most_common(_MOST_REASONS):
        out.print(f"  {count:,} failed: {reason}")
    if len(reasons) > _MOST_REASONS:
        out.print(f"  ... and {len(reasons) - _MOST_REASONS} other reasons, see the results")
    _print_fronts(result)
    for objective in sweep.objectives:
        rows = table(
            f"what moves {objective.metric.word}", 1,
            *("axis", "share of variance", "factor, mean", "factor, most"),
        )  # fmt: skip
        found = compute_sensitivities(result, objective.metric)
        for each in found:
            share = "not known" if each.share is None else f"{each.share:.1%}"
            factors = ("-" if of is None else f"{of:.3f}" for of in (each.factor, each.most))
            rows.add_row(each.axis, share, *factors)
        if found:
            out.print(rows)
        for note in list_sensitivity_notes(result, objective.metric):
            out.print(f"  {note}")
    for same in find_same_binaries(result):
        out.print(same.sentence)
    for choice in recommend(result):
        out.print(choice.sentence)
    stale = result.points.tally(
        lambda each: (technology_of(each.facts), str(each.facts.get("energy_stale") or ""))
    )
    for technology, why in sorted(each for each in stale if each[1]):
        out.print(f"  stale power table of {technology}: {why}")


def _print_fronts(result: SweepResult) -> None:
    sweep, out = result.sweep, console()
    places = [
        place
        for place, axis in enumerate(sweep.axes)
        if len(axis.values) > 1 and axis.name not in sweep.per
    ]
    first = sweep.objectives[0].metric
    kept = " that keep the constraints" if sweep.constraints else ""
    for choice in recommend(result):
        where = ", ".join(f"{name} {written(value)}" for name, value in choice.where)
        ordered = sorted(choice.front, key=lambda row: (row.metric(first) or 0.0, row.index))
        found = [(tuple(row.metric(each.metric) for each in sweep.objectives), row)
                 for row in ordered]  # fmt: skip
        alike = Counter(figures for figures, _ in found)
        firsts = dict(reversed(found))
        equal = any(count > 1 for count in alike.values())
        rows = table(
            f"Pareto front{', ' if where else ''}{where}: {len(choice.front):,} of"
            f" {choice.meeting:,} points{kept}",
            len(places),
            *(sweep.axes[place].name for place in places),
            *(_with_operands(result, objective.metric) for objective in sweep.objectives),
            *(["equal points"] if equal else []),
        )
        for figures, count in list(alike.items())[:_MOST_ROWS]:
            cells = [written(firsts[figures].values[place]) for place in places]
            cells += [firsts[figures].shown(each.metric) for each in sweep.objectives]
            cells += [f"{count - 1} more" if count > 1 else ""] if equal else []
            rows.add_row(*cells)
        if alike:
            out.print(rows)
        if len(alike) > _MOST_ROWS:
            out.print(f"  ... and {len(alike) - _MOST_ROWS} more in the results")


def _with_operands(result: SweepResult, metric: Metric) -> str:
    """Return the metric's word; for an energy, with kind, library and operands of its points."""
    if metric.name not in ENERGY_COLUMNS:
        return metric.word
    assumed = sorted(map(str, result.points.tally(lambda each: each.facts.get("operands"))))
    of = f", operands {' or '.join(assumed)}" if assumed else ""
    one = f", {result.technologies[0]}" if len(result.technologies) == 1 else ""
    return metric.word + one + of


def print_budget(report: BudgetReport) -> None:
    """Print each limit: the measured value, its change, and whether it is met."""
    rows = table(f"budget {report.name}", 3, "check", "quantity", "limit", "measured",
                 "against baseline", "")  # fmt: skip
    before = ""
    for verdict in report.verdicts:
        metric = verdict.limit.metric
        rows.add_row(
            verdict.check if verdict.check != before else "",
            metric.word
            + (f", {verdict.energy}, operands {verdict.operands}" if verdict.operands else ""),
            verdict.limit.text.removeprefix(metric.word).strip(),
            verdict.measured,
            verdict.change or "-",
            "kept" if verdict.kept else "NOT KNOWN" if verdict.value is None else "EXCEEDED",
        )
        before = verdict.check
    console().print(rows)
