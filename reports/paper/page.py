"""The page and its tables as files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from gnomon.base.files import write_files
from gnomon.report.explain import read_sources
from gnomon.report.page import read_picture, render_html
from gnomon.report.table import Column, Table, Value

from .cell_tables import published_table, stated_d_table, tuned_table
from .cells import FITTED_D, STATED_D
from .columns import AGREES, REASONS
from .facts import Facts, headline_table, stated_table
from .figure_tables import (
    claims_table,
    complexity_table,
    energy_table,
    figure8_table,
    gain_table,
    memory_table,
    operations_table,
    speedup_table,
)
from .findings import findings
from .results import Results

_PICTURES = {
    "operations": "linucb/operations.svg",
    "memory": "paper/figure2-4.svg",
    "memory_float": "linucb/memory.svg",
    "drift": "linucb/drift.svg",
    "reward": "linucb/reward.svg",
    "figure8": "paper/figure8.svg",
    "figure9": "paper/figure9.svg",
    "energy": "energy/figures10-12.svg",
    "figure11": "paper/figure11.svg",
}


_SHOWN = (
    "area/machines.csv",
    "correction/correction_gain.csv",
    "energy/figures10-12.csv",
    "linucb/claims.csv",
    "linucb/complexity.csv",
    "linucb/operations.csv",
    "paper/cells.csv",
    "paper/figure11.csv",
    "paper/figure2-4.csv",
    "paper/figure8.csv",
    "paper/figure9.csv",
    "paper/platform-mixes.csv",
)
"""The tables of results that the page is made of."""


def paper_page(results: Results) -> tuple[str, Mapping[str, Table]]:
    """The page as HTML, and its tables by name."""
    tables = {
        table.name: table
        for table in (
            headline_table(results),
            complexity_table(results),
            published_table(results, 2),
            published_table(results, 3),
            stated_d_table(results),
            tuned_table(results),
            operations_table(results),
            *(claims_table(results, name) for name in ("operations", "memory", "drift", "gain")),
            memory_table(results),
            gain_table(results),
            figure8_table(results),
            speedup_table(results, 9),
            energy_table(results, 10),
            speedup_table(results, 11),
            energy_table(results, 12),
            stated_table(results),
        )
    }
    facts = Facts(results)
    data = {
        "tables": tables,
        "facts": facts,
        "says": findings(results, facts),
        "results": results,
        "pictures": {name: read_picture(results.folder / file) for name, file in _PICTURES.items()},
        "reasons": REASONS,
        "agrees": f"{AGREES:.0%}",
        "fitted_d": FITTED_D,
        "stated_d": STATED_D,
        "provenance": _provenance(results),
    }
    page = render_html(Path(__file__).parent, "paper.html.j2", data)
    assert results.used == _SHOWN
    return page, tables


def write_paper(results: Results, folder: Path) -> tuple[Path, ...]:
    """Write ``paper.html`` and ``tables/*.tex``; the same results give the same bytes."""
    page, tables = paper_page(results)
    files = {"paper.html": page}
    files |= {f"tables/{name}.tex": table.latex() for name, table in tables.items()}
    return write_files(folder, files)


def _provenance(results: Results) -> Table:
    described, _ = read_sources("reports")

    def new_rows(file: str) -> Value:
        new = len(results.new_rows(file))
        return Value(f"{new} of {len(results.rows(file))}" if new else "0")

    columns = (
        Column("table of results", shows=lambda file: Value(f"reports/{file}")),
        Column("what", shows=lambda file: Value(described[file].what)),
        Column("rebuilt by", shows=lambda file: Value("; ".join(described[file].commands))),
        Column("SHA-256", shows=lambda file: Value(results.digest(file))),
        Column("rows of this run", is_number=True, shows=new_rows),
    )
    caption = "Tables that this page shows, as committed; `gnomon explain` goes on from any cell"
    return Table.of("provenance", caption, columns, _SHOWN)
