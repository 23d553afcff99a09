"""What the numbers on the page say: the tests that its sentences are chosen by."""

from __future__ import annotations

from itertools import product
from statistics import fmean
from typing import TYPE_CHECKING

from .cells import FITTED_D, PARAMS, READINGS, STATED_D
from .columns import AGREES, agrees

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .facts import Facts
    from .results import Results, Row

_ORDERS, _FEW_ORDERS = 1.5, 1.0
"""What counts as the gain of "up to two orders" that the paper states, and as little of it."""
_OFF_US = 1
"""By how much a printed time may be off its cycles over the clock by rounding."""


def findings(results: Results, facts: Facts) -> dict[str, object]:
    """By name; most are whether a sentence holds."""
    return {
        **_steps(results),
        **_published(results, facts),
        **_inverse(results, facts),
        **_kernels(results),
        **_floats(results),
        **_memory(results),
    }


def _steps(results: Results) -> dict[str, object]:
    """What speeds up a step, at the smallest and the largest size of the disjoint learner."""

    def speedup(variant: str, param: int) -> float:
        figure = 9 if variant == "opt" else 11
        return results.row(
            f"paper/figure{figure}.csv", algorithm="Disjoint", param=param, platform="t13",
            variant=variant, line="paper", reading="hart",
        ).number("speedup")  # fmt: skip

    small, large = PARAMS[0], PARAMS[-1]
    adds = {size: speedup("opt+vcu", size) / speedup("opt", size) for size in (small, large)}
    paper, tuned = (
        results.cell(2, "opt+vcu", large, "wall", line=line).number("ours")
        for line in ("paper", "tuned")
    )
    hybrid = [
        results.cell(3, "opt", param, line="tuned").number("ours") for param in (small, large)
    ]
    return {
        "mostly_algorithm": speedup("opt", large) ** 2 > speedup("opt+vcu", large),
        "vector_adds_to_large": adds[large] > max(adds[small], 1.0),
        "small_gain_less": speedup("opt+vcu", small) < speedup("opt+vcu", large),
        "unused": tuned < paper / 2,
        "tuned_is_flat": hybrid[1] < 1.5 * hybrid[0],
    }


def _off(rows: Iterable[Row], column: str = "ratio") -> float:
    """Mean distance of ratios to 1."""
    return fmean(abs(row.number(column) - 1) for row in rows)


def _published(results: Results, facts: Facts) -> dict[str, object]:
    """Which reading the published counts are of, and what is off within them."""
    printed = results.cell(3, "opt", 32, metric="time")["published"]
    expected = f"{facts['f32_expected'].order:.0f}"
    digits = sum(one != other for one, other in zip(printed, expected, strict=False))
    hybrid = [
        row
        for figure in (9, 11)
        for row in results.rows(
            f"paper/figure{figure}.csv", algorithm="Hybrid", d=FITTED_D, line="paper",
            reading="hart", platform="t13",
        )
        if row["variant"] != "std"
    ]  # fmt: skip
    off = {(table, reading): _off(results.t13(table, reading))
           for table in (2, 3) for reading in READINGS}  # fmt: skip
    return {
        "counts_are_hart": all(off[table, "hart"] < off[table, "wall"] for table in (2, 3)),
        "d_is_fitted": off[3, "hart"] < _off(results.t13(3, d=STATED_D)),
        "misprint": abs(facts["f32_off"].order or 0) > _OFF_US,
        "one_digit": digits == 1 and len(printed) == len(expected),
        "quotients_nearer": _off(hybrid) < off[3, "hart"],
    }


def _inverse(results: Results, facts: Facts) -> dict[str, object]:
    """What an inverse costs in both tables, and which work is more than published beyond that."""
    ours = [facts[f"product_ours_{table}"].order or 0 for table in (2, 3)]
    more = {
        table: results.cell(table, "opt", PARAMS[-1]).number("ratio")
        > (facts[f"inverse_ratio_{table}"].order or 0)
        for table in (2, 3)
    }
    vector = [results.cell(3, "std+vcu", param).number("ratio") for param in PARAMS[-2:]]
    return {
        "same_cost": agrees(ours[1] / ours[0]),
        "dearer": (facts["inverse_dearer"].order or 0) > 1 + AGREES,
        "vector_dearer": (facts["vector_dearer"].order or 0) > 1,
        "work": {table: "more" if is_more else "less" for table, is_more in more.items()},
        "vector_rises": vector[1] > vector[0],
    }


def _kernels(results: Results) -> dict[str, object]:
    """Figure 8: where ours are beside the numbers of the text."""
    stated = [row for row in results.rows("paper/figure8.csv", line="paper")
              if row["published_speedup"]]  # fmt: skip

    def all_agree(reading: str, column: str, kernel: str = "") -> bool:
        return all(
            agrees(row.number(column) / row.number("published_speedup"))
            for row in stated
            if row["reading"] == reading and kernel in ("", row["kernel"])
        )

    def beside(kernel: str, n: int) -> tuple[float, list[float]]:
        asked = (kernel, str(n), "hart")
        row = next(row for row in stated if (row["kernel"], row["n"], row["reading"]) == asked)
        ours = [row.number(column) for column in columns]
        return row.number("published_speedup"), ours

    columns = ("speedup", "speedup_without_clearing")
    regions = list(product(READINGS, columns))
    (product_stated, product_ours), (stated_inverse, inverse) = (
        beside(kernel, PARAMS[-1]) for kernel in ("multiply", "inverse")
    )
    return {
        "product_further": min(product_ours) > product_stated,
        "inverse_below": max(inverse) < stated_inverse,
        "a_region_agrees": any(all_agree(*region) for region in regions),
        "sum_agrees": any(all_agree(*region, kernel="add") for region in regions),
    }


def _floats(results: Results) -> dict[str, object]:
    """Figures 5 to 7 and Table 1: round-off, its correction, exponents."""
    gains = results.rows("correction/correction_gain.csv", variant="corrected", period="5000")
    after, before, peak = (
        [row.number(f"{name}_orders") for row in gains] for name in ("after", "before", "peak")
    )
    drifts = {
        name: results.rows("linucb/claims.csv", quantity=f"drift_{name}")
        for name in ("disjoint", "hybrid")
    }
    between = [
        min(row.number("ours") for row in rows)
        <= rows[0].number("published")
        <= max(row.number("ours") for row in rows)
        for rows in drifts.values()
    ]
    exponents = results.rows("linucb/complexity.csv")
    hybrid = results.row("linucb/complexity.csv", algorithm="linucb-hybrid", variant="optimized",
                         stage="select", over="d")  # fmt: skip
    return {
        "gains_after": min(after) >= _ORDERS,
        "little_before": max(before) < _FEW_ORDERS,
        "far_more_at_peaks": min(peak) > 2 * _ORDERS,
        "drift_between": all(between),
        "bounds_hold": all(
            row.number("counted") <= row.number("stated") + AGREES for row in exponents
        ),
        "one_power_less": agrees(hybrid.number("stated") - hybrid.number("counted")),
    }


def _memory(results: Results) -> dict[str, object]:
    """Figures 2 and 4 of the paper line; operations of a step."""
    rows = results.rows("paper/figure2-4.csv", line="paper", arms=8)
    selects, updates = (
        [
            other.number(column) - row.number(column)
            for row in rows
            if row["variant"].startswith("standard") and row[column]
            for other in rows
            if other["variant"] == row["variant"].replace("standard", "optimized")
            and other[column]
            and all(other[name] == row[name] for name in ("learner", "d", "f"))
        ]
        for column in ("select_stack_bytes", "update_stack_bytes")
    )
    totals = {
        row["variant"]: row.number("total_bytes")
        for row in rows
        if (row["learner"], row["d"]) == ("linucb-disjoint", "32")
    }
    counted = {
        (variant, stage): results.row(
            "linucb/operations.csv", algorithm="linucb-disjoint", variant=variant, stage=stage,
            arms=8, d=32,
        ).number("counted_arithmetic")
        for variant in ("standard", "optimized")
        for stage in ("select", "update")
    }  # fmt: skip
    steps = {
        variant: counted[variant, "select"] + counted[variant, "update"]
        for variant in ("standard", "optimized")
    }
    return {
        "select_takes_less": max(selects) < 0,
        "update_takes_more": min(updates) > 0,
        "hardly_memory": totals["optimized"] <= 1.1 * totals["standard"],
        "update_is_longer": counted["optimized", "update"] > counted["standard", "update"],
        "step_is_shorter": steps["optimized"] < steps["standard"],
    }
