"""The numbers behind Figures 2, 4 and 8 to 12."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.report.table import NOTHING, Column, Table, Value, number

from .cell_tables import PLATFORMS
from .reasons import why

if TYPE_CHECKING:
    from .results import Results, Row

_ALGORITHMS = {"2": "Disjoint", "3": "Hybrid"}
_LEARNERS = {"linucb-disjoint": "Disjoint", "linucb-hybrid": "Hybrid"}


def figure8_table(results: Results) -> Table:
    """Speed-ups of three kernels."""
    columns = (
        Column("kernel", is_filter=True),
        Column("line", is_filter=True),
        Column("n", is_number=True, is_filter=True),
        Column("published", is_number=True),
        *(
            Column(head, f"{reading} cycles", is_number=True)
            for reading in ("hart", "wall")
            for head in ("scalar", "vector", "speed-up", "ratio", "without clearing")
        ),
        Column("why not 1", in_print=False),
    )
    rows = []
    for row in results.rows("paper/figure8.csv", reading="hart"):
        keys = {name: row[name] for name in ("kernel", "line", "n")}
        both = (row, results.row("paper/figure8.csv", reading="wall", **keys))
        cells = [Value(row["kernel"]), Value(row["line"]), number(row["n"])]
        cells.append(row.value("published_speedup", ".4g"))
        for each in both:
            cells += [
                each.value("scalar_cycles", ",.0f"),
                each.value("vector_cycles", ",.0f"),
                each.value("speedup", ".2f"),
                each.value("ratio", ".3f"),
                each.value("speedup_without_clearing", ".2f"),
            ]
        cells.append(why("clearing", _float(row, "ratio"), detail=row["note"]))
        rows.append(tuple(cells))
    caption = "Figure 8: speed-up of vector over scalar kernels, n x n, SIMD 4, one hart"
    return Table("figure8", caption, columns, tuple(rows))


def speedup_table(results: Results, number_of_figure: int) -> Table:
    """Speed-ups of the learners over std: Figures 9 and 11."""
    file = f"paper/figure{number_of_figure}.csv"
    is_9 = number_of_figure == 9
    columns = (
        Column("algorithm", is_filter=True),
        Column("platform", is_filter=True, in_print=is_9),
        Column("variant", is_filter=True),
        Column("d", is_number=True, is_filter=True),
        Column("f", is_number=True),
        Column("table", "published", is_number=True),
        Column("text", "published", is_number=True),
        Column("speed-up", "paper line, hart", is_number=True),
        Column("ratio", "paper line, hart", is_number=True),
        Column("speed-up", "paper line, wall", is_number=True),
        Column("ratio", "paper line, wall", is_number=True),
        Column("hart", "tuned line", is_number=True),
        Column("wall", "tuned line", is_number=True),
        Column("why not 1", in_print=False),
    )
    rows = []
    for row in results.rows(file):
        is_board = row["platform"] != "t13"
        if row["variant"] == "std" or (row["line"], row["reading"]) != (
            ("published", "") if is_board else ("paper", "hart")
        ):
            continue
        keys = {name: row[name] for name in ("algorithm", "d", "param", "platform", "variant")}
        cells = [
            Value(row["algorithm"]),
            Value(PLATFORMS[row["platform"]]),
            Value(row["variant"]),
            number(row["d"]),
            number(row["param"] if row["param_name"] == "f" else ""),
            row.value("published_speedup", ".2f"),
            row.value("stated_speedup", ".2f"),
        ]
        if is_board:
            cells += [*_board(results, row), *(NOTHING for _ in range(4))]
            ratio = cells[8].order
        else:
            wall = results.row(file, line="paper", reading="wall", **keys)
            for each in (row, wall):
                cells += [each.value("speedup", ".2f"), each.value("ratio", ".3f")]
            for reading in ("hart", "wall"):
                tuned = results.rows(file, line="tuned", reading=reading, **keys)
                cells.append(tuned[0].value("speedup", ",.1f") if tuned else NOTHING)
            ratio = _float(row, "ratio")
        cells.append(why("quotient", ratio))
        rows.append(tuple(cells))
    what = "the optimised algorithms give" if is_9 else "the vector unit gives"
    boards = "; boards by their cost model, size left out" if is_9 else ""
    caption = f"Figure {number_of_figure}: what {what}, speed-up over std, 8 arms{boards}"
    return Table(f"figure{number_of_figure}", caption, columns, tuple(rows))


def _board(results: Results, row: Row) -> tuple[Value, Value]:
    table = 2 if row["algorithm"] == "Disjoint" else 3
    pair = [
        results.cell(table, variant, int(row["param"]), "left-out", platform=row["platform"])
        for variant in ("std", row["variant"])
    ]
    if any(cell["ratio"] == "" for cell in pair) or not row["published_speedup"]:
        return NOTHING, NOTHING
    speedup = pair[0].number("ours") / pair[1].number("ours")
    how = f"{pair[0].origin}:ours over {pair[1].origin}:ours"
    ratio = speedup / row.number("published_speedup")
    return number(speedup, ".2f", how=how), number(
        ratio, ".3f", how=f"this speed-up over {row.origin}:published_speedup"
    )


def energy_table(results: Results, number_of_figure: int) -> Table:
    """Energy of a variant over that of std: Figures 10 and 12."""
    columns = (
        Column("algorithm", is_filter=True),
        Column("platform", is_filter=True, in_print=number_of_figure == 10),
        Column("variant", is_filter=True),
        Column("size"),
        Column("published", is_number=True),
        Column("ours", is_number=True),
        Column("ratio", is_number=True),
        Column("ours, wall time", is_number=True),
        Column("why not 1", in_print=False),
    )
    rows = []
    for row in results.rows("energy/figures10-12.csv", figure=number_of_figure):
        known = row["ours"] != "" and row["published"] != ""
        ratio = row.number("ours") / row.number("published") if known else None
        size = "d" if row["table"] == "2" else "f"
        rows.append(
            (
                Value(_ALGORITHMS[row["table"]]),
                Value(PLATFORMS[row["platform"]]),
                Value(row["variant"]),
                Value(f"{size} = {row['param']}", order=row.number("param")),
                row.value("published", ".4f"),
                row.value("ours", ".4f"),
                number(ratio, ".3f", how=f"{row.origin}: ours over published"),
                row.value("ours_wall", ".4f"),
                why("power" if row["platform"] == "t13" else "boards", ratio),
            )
        )
    caption = f"Figure {number_of_figure}: energy of a step over that of std; T13 in hart time"
    return Table(f"figure{number_of_figure}", caption, columns, tuple(rows))


def memory_table(results: Results) -> Table:
    """Bytes of the embedded learners with 8 arms: Figures 2 and 4."""
    columns = (
        Column("algorithm", is_filter=True),
        Column("line", is_filter=True),
        Column("variant", is_filter=True),
        Column("d", is_number=True, is_filter=True),
        Column("f", is_number=True, is_filter=True),
        Column("static", is_number=True),
        Column("select", "peak stack", is_number=True),
        Column("update", "peak stack", is_number=True),
        Column("step", "peak stack", is_number=True),
        Column("all", is_number=True),
        Column("fits 128 KiB"),
    )
    rows = []
    for row in results.rows("paper/figure2-4.csv", arms=8):
        fits = row["fits_128_kib"]
        rows.append(
            (
                Value(_LEARNERS[row["learner"]]),
                Value(row["line"]),
                Value(row["variant"]),
                number(row["d"]),
                number(row["f"]),
                *(
                    row.value(column, ",.0f")
                    for column in (
                        "static_bytes",
                        "select_stack_bytes",
                        "update_stack_bytes",
                        "stack_bytes",
                        "total_bytes",
                    )
                ),
                Value(fits, detail=row["refusal"]) if fits else NOTHING,
            )
        )
    caption = "Figures 2 and 4: bytes of the embedded learners, 8 arms, Q16.15"
    return Table("figure2-4", caption, columns, tuple(rows))


def _float(row: Row, column: str) -> float | None:
    return row.number(column) if row[column] else None
