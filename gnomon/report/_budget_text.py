"""A budget as a table for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.console import console, table

if TYPE_CHECKING:
    from gnomon.budget import Report


def print_budget(report: Report) -> None:
    """Print each limit: what was measured, how it changed, and whether it is kept."""
    from gnomon.budget import exact

    rows = table(f"budget {report.name}", 3, "check", "quantity", "limit", "measured",
                 "against baseline", "")  # fmt: skip
    before = ""
    for verdict in report.verdicts:
        metric = verdict.limit.metric
        rows.add_row(
            verdict.check if verdict.check != before else "",
            metric.word,
            verdict.limit.text.removeprefix(metric.word).strip(),
            exact(metric, verdict.value),
            verdict.change or "-",
            "kept" if verdict.kept else "EXCEEDED",
        )
        before = verdict.check
    console().print(rows)
