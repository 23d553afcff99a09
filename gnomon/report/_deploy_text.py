"""A deployment as tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.console import console, table
from gnomon.report._deploy_tables import (
    energy_block,
    latency_block,
    ledger_block,
    tried_block,
)
from gnomon.report.deploy_facts import columns_of, headline, warnings

if TYPE_CHECKING:
    from gnomon.deploy import Found, Result
    from gnomon.report._deploy_tables import Block


def print_deployment(result: Result, found: Found | None) -> None:
    """Print what came of it: the answer first, then the tables, then what is not in them."""
    out = console()
    out.print(result.deployment.title)
    for line in headline(result, found):
        out.print(f"  {line}")
    shown = columns_of(result, found)
    energy = energy_block(shown)
    blocks = [latency_block(shown), ledger_block(shown), *([energy] if energy else [])]
    if found is not None:
        blocks.append(tried_block(found))
    for block in blocks:
        _print(block)
    for line in warnings(result):
        out.print(f"  {line}")


def _print(block: Block) -> None:
    made = table(block.caption, 1, *block.columns)
    made.columns[0].no_wrap = True  # a name cut short names nothing
    for row in block.rows:
        made.add_row(*row)
    console().print(made)
