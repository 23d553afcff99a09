"""Tables 2 and 3: gnomon's figures next to published ones."""

from collections.abc import Callable
from functools import partial
from itertools import product

from gnomon.report.table import PageColumn, PageTable, Value

from .cells import DIMENSIONS, PARAMS, READINGS, VARIANTS
from .columns import PLATFORMS, agrees, cited, readings_of, reason, size, why, word
from .published import TABLES
from .results import Results, Row

_FILE = "paper/cells.csv"
_METRICS = {
    "cycles": "cycles",
    "time": "time, µs (T13: hart cycles over the clock)",
    "energy": "energy, µJ",
}
_OURS = (("published", ",.0f"), ("ours", ",.0f"), ("ratio", ".3f"))


def published_table(results: Results, table: int) -> PageTable:
    """Return all cells of one published table, the three platforms below each other."""
    algorithm, _, param_name = TABLES[table]

    def second(row: Row) -> Row:
        return results.beside(_FILE, reading=readings_of(row["platform"])[1])(row)

    def explained(row: Row) -> Value:
        every = [results.beside(_FILE, metric=metric)(row) for metric in _METRICS]
        name = _reason(table, row)
        if name != "boards" and agrees(row.number("ratio")):
            name = "power"  # only the energy is off
        return why(name, *(each.known("ratio") for each in every), detail=row["note"])

    rows = [
        results.cell(table, variant, param, readings_of(platform)[0], platform=platform)
        for platform in PLATFORMS
        for variant in (VARIANTS if platform == "t13" else VARIANTS[:2])
        for param in PARAMS
    ]
    columns = [
        word("platform"),
        word("variant"),
        size(param_name, "param"),
        *(
            cited(name, name, form, head, results.beside(_FILE, metric=metric))
            for metric, head in _METRICS.items()
            for name, form in _OURS
        ),
        cited("ours", "ours", ",.0f", "other reading", second, in_print=False),
        cited("ratio", "ratio", ".3f", "other reading", second, in_print=False),
        reason(explained),
    ]
    also = "" if table == 2 else ", d = 4"
    caption = (
        f"Table {table}: {algorithm}, 8 arms{also}, one selection and one update. Ours: T13 in "
        "hart cycles, boards by a cost model with a factor fitted without this size. Other "
        "reading: T13 wall cycles, boards with documented costs without a fit"
    )
    return PageTable.from_results(f"table{table}", caption, columns, rows)


def _reason(table: int, row: Row) -> str:
    """Return the reason that holds for a cell of Tables 2 and 3."""
    if row["platform"] != "t13":
        return "boards"
    if table == 2:
        return {"std": "product", "std+vcu": "vector"}.get(row["variant"], "sequence")
    return "sequence" if row["variant"] == "opt" else "inverse"


def stated_d_table(results: Results) -> PageTable:
    """Return Table 3 with the d of the text next to the d that its counts grow as."""
    columns = [word("variant"), size("f", "param"), cited("published", "published", ",.0f")]
    for d, (reading, ratio) in product(DIMENSIONS, (("hart", "ratio"), ("wall", "ratio "))):
        at = results.beside(_FILE, d=d, reading=reading)
        columns.append(cited(reading, "ours", ",.0f", f"d = {d}", at))
        columns.append(cited(ratio, "ratio", ".3f", f"d = {d}", at))
    caption = "Table 3 with d = 4, as its counts grow, and with d = 8, as the text says, cycles"
    rows = [results.cell(3, variant, param) for variant, param in product(VARIANTS, PARAMS)]
    return PageTable.from_results("table3-d", caption, columns, rows)


def tuned_table(results: Results, table: int) -> PageTable:
    """Return a table's cells by the tuned code; those of Table 3 solve another problem."""

    def sized(row: Row) -> Value:
        text = f"{row['param_name']} = {row['param']}" + (f", d = {row['d']}" if row["d"] else "")
        return Value(text, order=row.number("table") * 1e4 + row.number("param"))

    columns = [
        word("variant"), PageColumn("size", shows=sized), cited("published", "published", ",.0f"),
    ]  # fmt: skip
    for reading in READINGS:
        tuned, paper = (
            results.beside(_FILE, line=line, reading=reading) for line in ("tuned", "paper")
        )
        group = f"{reading} cycles"
        columns.append(cited("tuned", "ours", ",.0f", group, tuned))
        columns.append(cited("ratio", "ratio", ".4f", group, tuned))
        columns.append(cited("paper code", "ours", ",.0f", group, paper))
    keys = {"platform": "t13", "metric": "cycles", "line": "tuned", "reading": "hart"}
    rows = results.rows(_FILE, table=table, **keys)
    caption = f"Table {table} by the tuned code, T13, cycles; ratio: over the published count"
    return PageTable.from_results(f"tuned{table}", caption, columns, rows)


OF_PAGE: tuple[Callable[[Results], PageTable], ...] = (
    *(partial(published_table, table=table) for table in TABLES), stated_d_table,
    *(partial(tuned_table, table=table) for table in TABLES),
)  # fmt: skip
