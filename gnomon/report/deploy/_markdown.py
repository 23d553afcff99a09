"""The report as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.report._deploy_tables import (
    energy_block,
    given_block,
    latency_block,
    ledger_block,
    tried_block,
)
from gnomon.report.deploy_facts import assumptions, columns_of, headline, warnings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.deploy import Found, Result
    from gnomon.report._deploy_tables import Block
    from gnomon.report.deploy._pictures import Drawn


def deployment_markdown(
    result: Result, found: Found | None, drawn: Sequence[Drawn], spec: str
) -> str:
    """The page."""
    shown = columns_of(result, found)
    figures = {each.name: f"![{each.words}]({each.name}.svg)" for each in drawn}
    parts = [f"# {result.deployment.title}", *headline(result, found)]
    told = warnings(result)
    if told:
        parts += ["## Before you use the figures", "\n".join(f"- {line}" for line in told)]
    parts += ["## Latency", _table(latency_block(shown))]
    parts += [figures[name] for name in ("latency", "timeline") if name in figures]
    energy = energy_block(shown)
    if energy is not None:
        parts += ["## Energy", _table(energy)]
        parts += [figures[name] for name in ("energy",) if name in figures]
    if found is not None:
        parts += ["## What was tried", _table(tried_block(found))]
        parts += [figures[name] for name in ("search",) if name in figures]
    parts += ["## Nothing is lost", _table(ledger_block(shown))]
    parts += ["## What was run", "\n".join(f"- {line}" for line in assumptions(result))]
    parts += [_table(given_block(result.deployment))]
    parts += ["All runs: [runs.csv](runs.csv). The file:", f"```yaml\n{spec.rstrip()}\n```"]
    return "\n\n".join(parts) + "\n"


def _table(block: Block) -> str:
    marks = ["---", *("---" if block.name == "given" else "---:" for _ in block.columns[1:])]
    lines = [f"{block.caption}:", "", _line(block.columns), _line(marks)]
    return "\n".join([*lines, *(_line(row) for row in block.rows)])


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
