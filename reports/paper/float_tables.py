"""Table 1 and the numbers behind Figures 1 to 7: the learners in floating point."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.report.table import Column, Table, Value, number

from .columns import ALGORITHMS, cited, quotient, ratio_of, reason, size, why, word

if TYPE_CHECKING:
    from .results import Results, Row

_CLAIMS = {
    "memory": (("memory_saving_disjoint", "memory_saving_hybrid"), "profiler",
               "Figures 2 and 4: savings of peak memory, NumPy learners"),
    "operations": (("inversion_of_a", "inversion_of_a0"), "zeros",
                   "Figures 1 and 3: operations of an inversion"),
    "drift": (("drift_disjoint", "drift_hybrid", "equal_arms"), "contexts",
              "Figures 5 and 6: round-off of the kept inverse, and arms chosen alike"),
    "gain": (("correction_gain",), "gain",
             "Figure 7: what the periodic correction gains, in orders of magnitude"),
}  # fmt: skip


def complexity_table(results: Results) -> Table:
    """Table 1: exponents as stated, and as counted in runs."""
    columns = [
        word("algorithm", names=ALGORITHMS),
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
    return Table.of("table1", caption, columns, results.rows("linucb/complexity.csv"))


def claims_table(results: Results, name: str) -> Table:
    """What the text says of one subject, and all readings of ours: names in ``_CLAIMS``."""
    quantities, because, caption = _CLAIMS[name]

    def claim(column: str) -> Column:
        def shows(row: Row) -> Value:
            form = ",.0f" if 1000 <= abs(row.number("ours")) < 1e5 else ".4g"
            return row.value(column, form)

        return Column(column, is_number=True, shows=shows)

    columns = [
        Column("quantity", is_filter=len(quantities) > 1,
               shows=lambda row: Value(row["quantity"].replace("_", " "))),
        claim("published"),
        claim("ours"),
        ratio_of("ours", "published", ".3g"),
        word("unit", is_filter=False),
        word("our reading", "reading", is_filter=False),
        Column("the text says", shows=lambda row: Value(row["meaning"], detail=row["where"])),
        reason(lambda row: why(because, quotient(row, "ours", "published"))),
    ]  # fmt: skip
    rows = (row for row in results.rows("linucb/claims.csv") if row["quantity"] in quantities)
    return Table.of(f"claims-{name}", caption, columns, rows)


def operations_table(results: Results) -> Table:
    """Figures 1 and 3: arithmetic of a step with 8 arms."""
    file, counted = "linucb/operations.csv", "counted_arithmetic"

    def stages(row: Row, variant: str) -> list[Row]:
        return [results.beside(file, variant=variant, stage=stage)(row)
                for stage in ("select", "update")]  # fmt: skip

    def step(row: Row, variant: str) -> Value:
        both = stages(row, variant)
        how = " plus ".join(f"{stage.origin}:{counted}" for stage in both)
        return number(sum(stage.number(counted) for stage in both), ",.0f", how=how)

    def fewer(row: Row) -> Value:
        standard, optimized = (
            sum(stage.number(counted) for stage in stages(row, variant))
            for variant in ("standard", "optimized")
        )
        return number(standard / optimized, ".2f", how="step of standard over optimised")

    columns = [word("algorithm", names=ALGORITHMS), size("d"), size("f")]
    for variant in ("standard", "optimized"):
        columns += [
            cited(stage, counted, ",.0f", variant,
                  results.beside(file, variant=variant, stage=stage))
            for stage in ("select", "update")
        ]  # fmt: skip
        columns.append(
            Column("step", variant, is_number=True,
                   shows=lambda row, of=variant: step(row, of))  # type: ignore[misc]
        )  # fmt: skip
    columns.append(Column("fewer by", is_number=True, shows=fewer))
    caption = "Figures 1 and 3: operations of a step, counted in a run, 8 arms"
    rows = results.rows(file, arms=8, variant="standard", stage="select")
    return Table.of("figure1-3", caption, columns, rows)


def gain_table(results: Results) -> Table:
    """Figure 7: other periods and methods."""
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
    caption = "What correcting gains by method and period, Hybrid, 100,000 rounds in float"
    rows = results.rows("correction/correction_gain.csv")
    return Table.of("figure7-methods", caption, columns, rows)
