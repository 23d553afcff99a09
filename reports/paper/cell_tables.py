"""Tables 2 and 3: ours beside published."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.report.table import NOTHING, Column, Table, Value, number

from .cells import (
    DIMENSIONS,
    PARAMS,
    VARIANTS,
    band_of,
)
from .published import TABLES
from .reasons import cell_reason, why

if TYPE_CHECKING:
    from .results import Results, Row

PLATFORMS = {"t13": "T13", "cortex-m4": "Cortex-M4", "cortex-a72": "Cortex-A72"}
_READINGS = {"t13": ("hart", "wall"), "*": ("left-out", "documented")}
_METRICS = (
    ("cycles", "cycles", ",.0f"),
    ("time", "time, µs", ",.0f"),
    ("energy", "energy, µJ", ",.0f"),
)


def published_table(results: Results, table: int) -> Table:
    """All cells of one published table, the three platforms below each other."""
    algorithm, _, size = TABLES[table]
    columns = [
        Column("platform", is_filter=True),
        Column("variant", is_filter=True),
        Column(size, is_number=True, is_filter=True),
    ]
    for _, head, _ in _METRICS:
        columns += [Column(name, head, is_number=True) for name in ("published", "ours", "ratio")]
    columns += [
        Column("ours", "other reading", is_number=True, in_print=False),
        Column("ratio", "other reading", is_number=True, in_print=False),
        Column("in band", in_print=False),
        Column("why not 1", in_print=False),
    ]
    rows = []
    for platform, title in PLATFORMS.items():
        reading, other = _READINGS.get(platform, _READINGS["*"])
        for variant in VARIANTS if platform == "t13" else VARIANTS[:2]:
            for param in PARAMS:
                found = [
                    results.cell(table, variant, param, reading, metric=metric, platform=platform)
                    for metric, _, _ in _METRICS
                ]
                second = results.cell(table, variant, param, other, platform=platform)
                cells = [Value(title), Value(variant), number(str(param))]
                for row, (_, _, form) in zip(found, _METRICS, strict=True):
                    cells += [row.value("published", form), row.value("ours", form)]
                    cells.append(row.value("ratio", ".3f"))
                cells += [second.value("ours", ",.0f"), second.value("ratio", ".3f")]
                cells.append(_band(table, found[0]) if platform == "t13" else NOTHING)
                name = cell_reason(table, platform, variant)
                if name != "boards" and not _differs(found[0]):
                    name = "power"  # only the energy is off
                cells.append(why(name, *(_ratio(row) for row in found), detail=found[0]["note"]))
                rows.append(tuple(cells))
    also = "" if table == 2 else ", d = 4"
    return Table(
        f"table{table}",
        f"Table {table}: {algorithm}, 8 arms{also}, one selection and one update. Ours: T13 in "
        "hart cycles, boards by a cost model whose factor was fitted without this size. Other "
        "reading: T13 wall cycles, boards with documented costs and nothing fitted",
        tuple(columns),
        tuple(rows),
    )


def _ratio(row: Row) -> float | None:
    return row.number("ratio") if row["ratio"] else None


def _differs(row: Row) -> bool:
    return str(why("product", _ratio(row))) != "agrees"


def _band(table: int, row: Row) -> Value:
    low, high = band_of(table, row["variant"])
    told = f"hart cycles over published from {low:.2f} to {high:.2f}, set before the comparison"
    return Value("yes" if low <= row.number("ratio") <= high else "no", how=told)


def stated_d_table(results: Results) -> Table:
    """Table 3 with the d of the text beside the d that its counts grow as."""
    columns = (
        Column("variant", is_filter=True),
        Column("f", is_number=True, is_filter=True),
        Column("published", is_number=True),
        *(
            Column(head, f"d = {d}", is_number=True)
            for d in DIMENSIONS
            for head in ("hart", "ratio", "wall", "ratio ")
        ),
    )
    rows = []
    for variant in VARIANTS:
        for param in PARAMS:
            cells = [Value(variant), number(str(param))]
            cells.append(results.cell(3, variant, param).value("published", ",.0f"))
            for d in DIMENSIONS:
                for reading in ("hart", "wall"):
                    row = results.cell(3, variant, param, reading, d=d)
                    cells += [row.value("ours", ",.0f"), row.value("ratio", ".3f")]
            rows.append(tuple(cells))
    caption = "Table 3 with d = 4, as its counts grow, and with d = 8, as the text says, cycles"
    return Table("table3-d", caption, columns, tuple(rows))


def tuned_table(results: Results) -> Table:
    """The cells of both tables by the tuned line."""
    columns = (
        Column("table", is_filter=True),
        Column("variant", is_filter=True),
        Column("size"),
        Column("published", is_number=True),
        *(
            Column(head, f"{reading} cycles", is_number=True)
            for reading in ("hart", "wall")
            for head in ("tuned", "ratio", "paper line")
        ),
    )
    rows = []
    for row in results.rows(
        "paper/cells.csv", platform="t13", metric="cycles", line="tuned", reading="hart"
    ):
        table, param = int(row["table"]), int(row["param"])
        size = f"{row['param_name']} = {param}" + (f", d = {row['d']}" if row["d"] else "")
        cells = [
            Value(TABLES[table][0]),
            Value(row["variant"]),
            Value(size, order=table * 1e4 + param),
            row.value("published", ",.0f"),
        ]
        for reading in ("hart", "wall"):
            d = int(row["d"] or 0) or None
            tuned = results.cell(table, row["variant"], param, reading, line="tuned", d=d)
            paper = results.cell(table, row["variant"], param, reading, d=d)
            cells += [
                tuned.value("ours", ",.0f"),
                tuned.value("ratio", ".4f"),
                paper.value("ours", ",.0f"),
            ]
        rows.append(tuple(cells))
    caption = "Tables 2 and 3 by the tuned line, T13, cycles; ratio: over the published count"
    return Table("tuned", caption, columns, tuple(rows))
