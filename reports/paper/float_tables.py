"""Table 1 and the numbers behind Figures 1 to 7: the learners in floating point."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.report.table import Column, Table, Value, number

from .reasons import why

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .results import Results

_ALGORITHMS = {"linucb-disjoint": "Disjoint", "linucb-hybrid": "Hybrid"}
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
    columns = (
        Column("algorithm", is_filter=True),
        Column("variant", is_filter=True),
        Column("stage"),
        Column("published"),
        Column("over"),
        Column("exponent", is_number=True),
        Column("counted", is_number=True),
        Column("ratio", is_number=True),
        Column("verdict"),
        Column("why not 1", in_print=False),
    )
    rows = []
    for row in results.rows("linucb/complexity.csv"):
        ratio = row.number("counted") / row.number("stated")
        rows.append(
            (
                Value(_ALGORITHMS[row["algorithm"]]),
                Value(row["variant"]),
                Value(row["stage"]),
                row.value("published"),
                row.value("over"),
                row.value("stated"),
                row.value("counted", ".2f"),
                number(ratio, ".3f", how=f"{row.origin}: counted over stated"),
                row.value("verdict"),
                why("bound", ratio),
            )
        )
    caption = "Table 1: complexity of a stage, exponent stated and counted in runs; k = d f"
    return Table("table1", caption, columns, tuple(rows))


def claims_table(results: Results, name: str) -> Table:
    """What the text says of one subject, and all readings of ours: names in ``_CLAIMS``."""
    quantities, reason, caption = _CLAIMS[name]
    columns = (
        Column("quantity", is_filter=len(quantities) > 1),
        Column("published", is_number=True),
        Column("ours", is_number=True),
        Column("ratio", is_number=True),
        Column("unit"),
        Column("our reading"),
        Column("the text says"),
        Column("why not 1", in_print=False),
    )
    rows = []
    for row in results.rows("linucb/claims.csv"):
        if row["quantity"] not in quantities:
            continue
        ratio = row.number("ours") / row.number("published")
        form = ",.0f" if 1000 <= abs(row.number("ours")) < 1e5 else ".4g"
        rows.append(
            (
                Value(row["quantity"].replace("_", " ")),
                row.value("published", form),
                row.value("ours", form),
                number(ratio, ".3g",
                       how=f"{row.origin}: ours over published"),
                Value(row["unit"]),
                Value(row["reading"]),
                Value(row["meaning"], detail=row["where"]),
                why(reason, ratio),
            )
        )  # fmt: skip
    return Table(f"claims-{name}", caption, columns, tuple(rows))


def operations_table(results: Results) -> Table:
    """Figures 1 and 3: arithmetic of a step with 8 arms."""
    columns = (
        Column("algorithm", is_filter=True),
        Column("d", is_number=True, is_filter=True),
        Column("f", is_number=True, is_filter=True),
        *(
            Column(head, variant, is_number=True)
            for variant in ("standard", "optimized")
            for head in ("select", "update", "step")
        ),
        Column("fewer by", is_number=True),
    )
    rows = []
    for row in results.rows("linucb/operations.csv", arms=8, variant="standard", stage="select"):
        keys = {name: row[name] for name in ("algorithm", "arms", "d", "f")}
        cells = [
            Value(_ALGORITHMS[row["algorithm"]]),
            number(row["d"]),
            number("" if row["f"] == "0" else row["f"]),
        ]
        steps: list[float] = []
        for variant in ("standard", "optimized"):
            stages = [
                results.row("linucb/operations.csv", variant=variant, stage=stage, **keys)
                for stage in ("select", "update")
            ]
            cells += [stage.value("counted_arithmetic", ",.0f") for stage in stages]
            steps.append(sum(stage.number("counted_arithmetic") for stage in stages))
            cells.append(number(steps[-1], ",.0f", how=_sum([stage.origin for stage in stages])))
        cells.append(number(steps[0] / steps[1], ".2f", how="step of standard over optimised"))
        rows.append(tuple(cells))
    caption = "Figures 1 and 3: operations of a step, counted in a run, 8 arms"
    return Table("figure1-3", caption, columns, tuple(rows))


def gain_table(results: Results) -> Table:
    """Figure 7: other periods and methods."""
    columns = (
        Column("contexts", is_filter=True),
        Column("method", is_filter=True),
        Column("every", is_number=True),
        *(
            Column(head, "orders of magnitude", is_number=True)
            for head in ("largest", "just after", "median", "just before", "last period")
        ),
        Column("largest drift", is_number=True),
        Column("state, bytes", is_number=True),
    )
    names = ("peak_orders", "after_orders", "median_orders", "before_orders", "last_orders")
    rows = tuple(
        (
            Value(row["contexts"]),
            Value(row["variant"]),
            number(row["period"], ",.0f"),
            *(row.value(name, ".2f") for name in names),
            row.value("largest_drift", ".1e"),
            row.value("state_bytes", ",.0f"),
        )
        for row in results.rows("correction/correction_gain.csv")
    )
    caption = "What correcting gains by method and period, Hybrid, 100,000 rounds in float"
    return Table("figure7-methods", caption, columns, rows)


def _sum(origins: Sequence[str]) -> str:
    return " plus ".join(f"{origin}:counted_arithmetic" for origin in origins)
