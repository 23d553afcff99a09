"""A deployment as tables for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base import console
from gnomon.report.deploy._facts import columns_of, headline, warnings
from gnomon.report.deploy._tables import energy_table, latency_table, ledger_table, tried_table

if TYPE_CHECKING:
    from gnomon.deploy import Found, Result


def print_deployment(result: Result, found: Found | None) -> None:
    """Print what came of it: the answer first, then the tables, then what is not in them."""
    out = console.console()
    out.print(result.deployment.title)
    for line in headline(result, found):
        out.print(f"  {line}")
    shown = columns_of(result, found)
    tried = None if found is None else tried_table(found)
    for table in (latency_table(shown), ledger_table(shown), energy_table(shown), tried):
        if table is not None:
            made = console.table(table.caption, 1, *(column.label for column in table.columns))
            made.columns[0].no_wrap = True  # a name cut short names nothing
            for row in table.rows:
                made.add_row(*map(str, row))
            out.print(made)
    for line in warnings(result):
        out.print(f"  {line}")
