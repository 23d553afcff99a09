"""Table 1 and the numbers behind the figures."""

from collections.abc import Callable
from functools import partial

from gnomon.report.table import NOTHING, PageColumn, PageTable, Value, format_number

from .cells import READINGS
from .columns import cited, computed, quotient, ratio_of, reason, size, why, word
from .results import Results, Row


def figure8_table(results: Results) -> PageTable:
    file = "paper/figure8.csv"
    columns = [
        word("kernel"),
        word("line"),
        size("n"),
        cited("published", "published_speedup", ".4g"),
        *(
            cited(label, column, form, f"{reading} cycles", results.beside(file, reading=reading))
            for reading in READINGS
            for label, column, form in (
                ("scalar", "scalar_cycles", ",.0f"),
                ("vector", "vector_cycles", ",.0f"),
                ("speed-up", "speedup", ".2f"),
                ("ratio", "ratio", ".3f"),
                ("without clearing", "speedup_without_clearing", ".2f"),
            )
        ),
        reason(lambda row: why("clearing", row.known("ratio"), detail=row["note"])),
    ]
    caption = "Figure 8: speed-up of vector over scalar kernels, n x n, SIMD 4, one hart"
    return PageTable.from_results("figure8", caption, columns, results.rows(file, reading="hart"))


def speedup_table(results: Results, number_of_figure: int) -> PageTable:
    """Return the speed-ups of the learners over std: Figures 9 and 11."""
    file = f"paper/figure{number_of_figure}.csv"
    is_9 = number_of_figure == 9

    def wall(row: Row) -> Row | None:
        return results.beside(file, reading="wall")(row) if _is_t13(row) else None

    def tuned(reading: str) -> PageColumn:
        def at(row: Row) -> Row | None:
            if row["algorithm"] != "Disjoint":  # another formulation: the table tuned3 has it
                return None
            keys = {name: row[name] for name in ("algorithm", "d", "param", "platform", "variant")}
            return next(iter(results.rows(file, line="tuned", reading=reading, **keys)), None)

        return cited(reading, "speedup", ",.1f", "tuned code", at)

    def paper(column: str, at: int, form: str) -> PageColumn:
        def shows(row: Row) -> Value:
            return row.value(column, form) if _is_t13(row) else _board(results, row)[at]

        label = column.replace("speedup", "speed-up")
        return PageColumn(label, "paper code, hart", is_number=True, shows=shows)

    columns = [
        word("algorithm"),
        word("platform", in_print=is_9),
        word("variant"),
        size("d"),
        PageColumn("f", is_number=True,
               shows=lambda row: format_number(row["param"] if row["param_name"] == "f" else "")),
        cited("table", "published_speedup", ".2f", "published"),
        cited("text", "stated_speedup", ".2f", "published"),
        paper("speedup", 0, ".2f"),
        paper("ratio", 1, ".3f"),
        cited("speed-up", "speedup", ".2f", "paper code, wall", wall),
        cited("ratio", "ratio", ".3f", "paper code, wall", wall),
        *map(tuned, READINGS),
        reason(lambda row: why(
            "quotient", row.known("ratio") if _is_t13(row) else _board(results, row)[1].order)),
    ]  # fmt: skip
    kind = {True: ("paper", "hart"), False: ("published", "")}
    rows = [
        row
        for row in results.rows(file)
        if row["variant"] != "std" and (row["line"], row["reading"]) == kind[_is_t13(row)]
    ]
    what = "optimized algorithms" if is_9 else "vector unit"
    boards = "; boards by their cost model, size left out" if is_9 else ""
    caption = f"Figure {number_of_figure}: {what}, speed-up over std, 8 arms{boards}"
    return PageTable.from_results(f"figure{number_of_figure}", caption, columns, rows)


def _is_t13(row: Row) -> bool:
    return row["platform"] == "t13"


def _board(results: Results, row: Row) -> tuple[Value, Value]:
    """Return a board's speed-up by its cost model, and its ratio to the published one."""
    table, param = 2 if row["algorithm"] == "Disjoint" else 3, int(row["param"])
    std, own = (
        results.cell(table, variant, param, "left-out", platform=row["platform"])
        for variant in ("std", row["variant"])
    )
    if "" in (std["ratio"], own["ratio"], row["published_speedup"]):
        return NOTHING, NOTHING
    speedup = std.number("ours") / own.number("ours")
    over_published = speedup / row.number("published_speedup")
    how = f"this speed-up over {row.origin}:published_speedup"
    return (format_number(speedup, ".2f", how=f"{std.origin}:ours over {own.origin}:ours"),
            format_number(over_published, ".3f", how=how))  # fmt: skip


def energy_table(results: Results, number_of_figure: int) -> PageTable:
    """Return the energy of a variant over that of std: Figures 10 and 12."""

    def sized(row: Row) -> Value:
        name = "d" if row["table"] == "2" else "f"
        return Value(f"{name} = {row['param']}", order=row.number("param"))

    columns = [
        word("algorithm", "table"),
        word("platform", in_print=number_of_figure == 10),
        word("variant"),
        PageColumn("size", shows=sized),
        cited("published", "published", ".4f"),
        cited("ours", "ours", ".4f"),
        ratio_of("ours", "published"),
        cited("ours, wall time", "ours_wall", ".4f"),
        reason(lambda row: why("power" if _is_t13(row) else "boards",
                               quotient(row, "ours", "published"))),
    ]  # fmt: skip
    caption = f"Figure {number_of_figure}: energy of a step over that of std; T13 in hart time"
    rows = results.rows("energy/figures10-12.csv", figure=number_of_figure)
    return PageTable.from_results(f"figure{number_of_figure}", caption, columns, rows)


def memory_table(results: Results) -> PageTable:
    """Return the bytes of the embedded learners with 8 arms: Figures 2 and 4."""

    def fits(row: Row) -> Value:
        text = row["fits_128_kib"]
        return Value(text, detail=row["refusal"]) if text else NOTHING

    columns = [
        word("algorithm", "learner"),
        word("line"),
        word("variant"),
        size("d"),
        size("f"),
        cited("static", "static_bytes", ",.0f"),
        cited("select", "select_stack_bytes", ",.0f", "peak stack"),
        cited("update", "update_stack_bytes", ",.0f", "peak stack"),
        cited("step", "stack_bytes", ",.0f", "peak stack"),
        cited("all", "total_bytes", ",.0f"),
        PageColumn("fits 128 KiB", shows=fits),
    ]
    caption = "Figures 2 and 4: bytes of the embedded learners, 8 arms, Q16.15"
    return PageTable.from_results(
        "figure2-4", caption, columns, results.rows("paper/figure2-4.csv", arms=8)
    )


_CLAIMS = {
    "operations": (("inversion_of_a", "inversion_of_a0"), "zeros",
                   "Figures 1 and 3: operations of an inversion"),
    "memory": (("memory_saving_disjoint", "memory_saving_hybrid"), "profiler",
               "Figures 2 and 4: savings of peak memory, NumPy learners"),
    "drift": (("drift_disjoint", "drift_hybrid", "equal_arms"), "contexts",
              "Figures 5 and 6: round-off of the stored inverse, and share of equal arms"),
    "gain": (("correction_gain",), "gain",
             "Figure 7: gain of the periodic correction, in orders of magnitude"),
}  # fmt: skip


def complexity_table(results: Results) -> PageTable:
    """Return Table 1: exponents as stated, and as counted in runs."""
    columns = [
        word("algorithm"),
        word("variant"),
        word("stage", is_filter=False),
        cited("published", "published", is_number=False),
        cited("over", "over", is_number=False),
        cited("exponent", "stated"),
        cited("counted", "counted", ".2f"),
        ratio_of("counted", "stated"),
        cited("verdict", "verdict", is_number=False),
        reason(lambda row: why("bound", quotient(row, "counted", "stated"))),
    ]
    caption = "Table 1: complexity of a stage, exponent stated and counted in runs; k = d f"
    return PageTable.from_results("table1", caption, columns, results.rows("linucb/complexity.csv"))


def claims_table(results: Results, name: str) -> PageTable:
    """Return the text's claims on one subject, with all gnomon readings: see ``_CLAIMS``."""
    quantities, because, caption = _CLAIMS[name]

    def claim(column: str) -> PageColumn:
        def shows(row: Row) -> Value:
            form = ",.0f" if 1000 <= abs(row.number("ours")) < 1e5 else ".4g"
            return row.value(column, form)

        return PageColumn(column, is_number=True, shows=shows)

    columns = [
        PageColumn("quantity", is_filter=len(quantities) > 1,
               shows=lambda row: Value(row["quantity"].replace("_", " "))),
        claim("published"),
        claim("ours"),
        ratio_of("ours", "published", ".3g"),
        word("unit", is_filter=False),
        word("our reading", "reading", is_filter=False),
        PageColumn("the text says", shows=lambda row: Value(row["meaning"], detail=row["where"])),
        reason(lambda row: why(because, quotient(row, "ours", "published"))),
    ]  # fmt: skip
    rows = (row for row in results.rows("linucb/claims.csv") if row["quantity"] in quantities)
    return PageTable.from_results(f"claims-{name}", caption, columns, rows)


def operations_table(results: Results) -> PageTable:
    """Return Figures 1 and 3: arithmetic of a step with 8 arms."""
    file, counted = "linucb/operations.csv", "counted_arithmetic"

    def stages(variant: str) -> list[Callable[[Row], Row]]:
        both = ("select", "update")
        return [results.beside(file, variant=variant, stage=stage) for stage in both]

    def step(row: Row, variant: str) -> float:
        return sum(at(row).number(counted) for at in stages(variant))

    def how(row: Row, variant: str) -> str:
        return " plus ".join(f"{at(row).origin}:{counted}" for at in stages(variant))

    def columns_of(variant: str) -> list[PageColumn]:
        select, update = stages(variant)
        return [
            cited("select", counted, ",.0f", variant, select),
            cited("update", counted, ",.0f", variant, update),
            computed("step", ",.0f", lambda row: step(row, variant),
                     lambda row: how(row, variant), variant),
        ]  # fmt: skip

    columns = [
        word("algorithm"), size("d"), size("f"),
        *columns_of("standard"), *columns_of("optimized"),
        computed("fewer by", ".2f", lambda row: step(row, "standard") / step(row, "optimized"),
                 lambda _: "step of standard over optimized"),
    ]  # fmt: skip
    caption = "Figures 1 and 3: operations of a step, counted in a run, 8 arms"
    rows = results.rows(file, arms=8, variant="standard", stage="select")
    return PageTable.from_results("figure1-3", caption, columns, rows)


def gain_table(results: Results) -> PageTable:
    """Return Figure 7: other periods and methods."""
    heads = {"largest": "peak", "just after": "after", "median": "median",
             "just before": "before", "last period": "last"}  # fmt: skip
    columns = [
        word("contexts"),
        word("method", "variant"),
        size("every", "period", ",.0f", is_filter=False),
        *(
            cited(head, f"{name}_orders", ".2f", "orders of magnitude")
            for head, name in heads.items()
        ),
        cited("largest drift", "largest_drift", ".1e"),
        cited("state, bytes", "state_bytes", ",.0f"),
    ]
    caption = "Gain of the correction by method and period, Hybrid, 100,000 rounds in float"
    rows = results.rows("correction/correction_gain.csv")
    return PageTable.from_results("figure7-methods", caption, columns, rows)


OF_PAGE: tuple[Callable[[Results], PageTable], ...] = (
    operations_table, *(partial(claims_table, name=name) for name in _CLAIMS), memory_table,
    gain_table, figure8_table, partial(speedup_table, number_of_figure=9),
    partial(energy_table, number_of_figure=10), partial(speedup_table, number_of_figure=11),
    partial(energy_table, number_of_figure=12),
)  # fmt: skip
