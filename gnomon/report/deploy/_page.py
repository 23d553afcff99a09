"""The report as one self-contained HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.report._deploy_tables import (
    energy_block,
    given_block,
    latency_block,
    ledger_block,
    tried_block,
)
from gnomon.report.deploy_facts import assumptions, columns_of, headline, warnings
from gnomon.report.page import picture_of, render_html
from gnomon.report.table import Column, Table, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.deploy import Found, Result
    from gnomon.report._deploy_tables import Block
    from gnomon.report.deploy._pictures import Drawn


def deployment_page(result: Result, found: Found | None, drawn: Sequence[Drawn], spec: str) -> str:
    """The page as text."""
    shown = columns_of(result, found)
    images = {
        each.name: (picture_of(each.files["svg"].decode(), each.name), each.words) for each in drawn
    }

    def section(
        title: str, block: Block | None = None, pictures: Sequence[str] = (), lines: object = ()
    ) -> dict[str, Any]:
        return {
            "title": title,
            "table": None if block is None else _table(block),
            "pictures": [images[name] for name in pictures if name in images],
            "lines": lines,
        }

    sections = [section("Latency", latency_block(shown), ("latency", "timeline"))]
    energy = energy_block(shown)
    if energy is not None:
        sections.append(section("Energy", energy, ("energy",)))
    if found is not None:
        sections.append(section("What was tried", tried_block(found), ("search",)))
    sections += [
        section("Nothing is lost", ledger_block(shown)),
        section("What was run", lines=assumptions(result)),
        section("Figures that the file gives", given_block(result.deployment)),
    ]
    return render_html(
        Path(__file__).parent,
        "deploy.html.j2",
        {
            "name": result.deployment.name,
            "title": result.deployment.title,
            "headline": headline(result, found),
            "warnings": warnings(result),
            "sections": sections,
            "spec": spec,
        },
    )


def _table(block: Block) -> Table:
    text = {0, *(range(3) if block.name == "given" else ())}
    text |= {len(block.columns) - 1} if block.name == "tried" else set()
    columns = tuple(
        Column(label, is_number=place not in text) for place, label in enumerate(block.columns)
    )
    rows = tuple(tuple(Value(cell) for cell in row) for row in block.rows)
    return Table(block.name, block.caption, columns, rows)
