"""Findings on the page: the tests that choose its sentences."""

from itertools import product
from typing import Any

import pandas as pd

from gnomon.report.table import format_number

from .agreement import nearest_readings, rival_errors
from .build_tables import (
    build_errors,
    division_errors,
    extra_shown,
    nearest_builds,
    nearest_table,
    programs,
    table_errors,
)
from .builds import HART, RIVALS, SCALAR_ONLY, SOFTWARE, UNIT
from .cells import FITTED_D, PARAMS, READINGS, STATED_D
from .columns import AGREES, agrees
from .facts import Facts, t13_of
from .results import Results

_ORDERS, _FEW_ORDERS = 1.5, 1.0
"""What counts as the gain of "up to two orders" that the paper states, and as little of it."""
_OFF_US = 1
"""By how much a printed time may be off its cycles over the clock by rounding."""


def findings(results: Results, facts: Facts) -> dict[str, object]:
    """Return the findings by name; most are whether a sentence holds."""
    return {
        **_steps(results), **_published(results, facts), **_inverse(results, facts),
        **_kernels(results), **_floats(results), **_memory(results),
    }  # fmt: skip


def _steps(results: Results) -> dict[str, object]:
    """Return findings on a step's speed-up, smallest and largest size of the disjoint learner."""
    keys = {"algorithm": "Disjoint", "platform": "t13", "line": "paper", "reading": "hart"}
    opt, both = (
        results.frame(file, variant=variant, **keys).set_index("param")["speedup"]
        for file, variant in (("paper/figure9.csv", "opt"), ("paper/figure11.csv", "opt+vcu"))
    )
    small, large = PARAMS[0], PARAMS[-1]
    adds = both / opt
    paper, tuned = (
        results.cell(2, "opt+vcu", large, "wall", line=line).number("ours")
        for line in ("paper", "tuned")
    )
    hybrid = [
        results.cell(3, "opt", param, line="tuned").number("ours") for param in (small, large)
    ]
    return {
        "mostly_algorithm": bool(opt[large] ** 2 > both[large]),
        "vector_adds_to_large": bool(adds[large] > max(adds[small], 1.0)),
        "small_gain_less": bool(both[small] < both[large]),
        "unused": tuned < paper / 2,
        "tuned_is_flat": hybrid[1] < 1.5 * hybrid[0],
    }


def _off(table: Any) -> float:
    return float((table["ratio"] - 1).abs().mean())


def _published(results: Results, facts: Facts) -> dict[str, object]:
    """Return findings on the reading of the published counts, and on disagreements in them."""
    printed = results.cell(3, "opt", 32, metric="time")["published"]
    expected = f"{facts['f32_expected'].order:.0f}"
    digits = sum(one != other for one, other in zip(printed, expected, strict=False))
    keys = {"algorithm": "Hybrid", "d": FITTED_D, "line": "paper", "reading": "hart"}
    figures = [results.frame(f"paper/figure{figure}.csv", **keys) for figure in (9, 11)]
    quotients = pd.concat(figures).query("variant != 'std'")
    off = {(table, reading): _off(t13_of(results, table, reading=reading))
           for table in (2, 3) for reading in READINGS}  # fmt: skip
    rivals = {reading: rival_errors(results, reading) for reading in RIVALS}
    of_codes = [
        {reading: rival_errors(results, reading, table, code).mean
         for reading in RIVALS if not (code == "vector" and reading in SCALAR_ONLY)}
        for table, code in product((2, 3), ("scalar", "vector"))
    ]  # fmt: skip
    of_tables = table_errors(results)
    of_build = {
        table: {each.words[1:]: each for each in errors} for table, errors in of_tables.items()
    }
    nearest_build = nearest_builds(of_tables)
    built, different = programs(results)
    divided = {
        division: {table: division_errors(results, table, division) for table in (2, 3)}
        for division in (UNIT, SOFTWARE)
    }
    fits = {table: divided[SOFTWARE][table].mean < divided[UNIT][table].mean for table in (2, 3)}
    builds = build_errors(results)
    columns = {(row[0].text, row[1].text): row for row in nearest_table(results).rows}
    std3 = columns["Table 3", "std"][2].text
    compiler, level = std3.split()
    keys = {"table": 2, "variant": "std", "compiler": compiler, "level": level}
    same_build = (results.frame("paper/builds.csv.xz", **keys)["hart_ratio"] - 1).abs().max()
    return {
        "counts_are_hart": all(off[table, "hart"] < off[table, "wall"] for table in (2, 3)),
        "rivals": rivals,
        "nearest_reading": nearest_readings(results),
        "reading": {
            reading: {table: rival_errors(results, reading, table) for table in (2, 3)}
            for reading in RIVALS
        },
        "hart_everywhere": all(min(of, key=lambda name: of[name]) == HART for of in of_codes),
        "of_build": of_build,
        "nearest_build": nearest_build,
        "one_build": len({each.words[1:] for each in nearest_build.values()}) == 1,
        "built": format_number(built, how="paper/builds.csv.xz: rows of one cell"),
        "different": format_number(different, how="paper/builds.csv.xz: program_sha256, least"),
        "all_differ": built == different,
        "software": {table: each.value("mean") for table, each in divided[SOFTWARE].items()},
        "unit": {table: each.value("mean") for table, each in divided[UNIT].items()},
        "software_fits_2": fits[2],
        "software_fits_3": fits[3],
        "same_build": format_number(
            same_build, ".1%", how=f"paper/builds.csv.xz, Table 2, std, {std3}"
        ),
        "builds": builds,
        "best_build": min(builds, key=lambda each: each.mean),
        "nearest": columns,
        "extra": {2: extra_shown(results, "clang")},
        "extra_gcc": {2: extra_shown(results, "gcc")},
        "d_is_fitted": off[3, "hart"] < _off(t13_of(results, 3, d=STATED_D)),
        "misprint": abs(facts["f32_off"].order or 0) > _OFF_US,
        "one_digit": digits == 1 and len(printed) == len(expected),
        "quotients_nearer": _off(quotients) < off[3, "hart"],
    }


def _inverse(results: Results, facts: Facts) -> dict[str, object]:
    """Return findings on the cost of an inverse in both tables, and on further work."""
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
        "work": {table: "more" if more[table] else "less" for table in more},
        "vector_rises": vector[1] > vector[0],
    }


def _kernels(results: Results) -> dict[str, object]:
    """Return findings on Figure 8, compared with the numbers of the text."""
    stated = results.frame("paper/figure8.csv", line="paper").dropna(subset="published_speedup")
    columns = ["speedup", "speedup_without_clearing"]
    off = stated[columns].div(stated["published_speedup"], axis=0)
    agree = off.sub(1).abs().le(AGREES)

    def some_region(of: Any) -> bool:
        return any(of.loc[stated["reading"] == reading, column].all()
                   for reading, column in product(READINGS, columns))  # fmt: skip

    at = stated[stated["reading"].eq("hart") & stated["n"].eq(PARAMS[-1])].index
    last = off.loc[at].set_index(stated.loc[at, "kernel"])
    return {
        "product_further": bool(last.loc["multiply"].min() > 1),
        "inverse_below": bool(last.loc["inverse"].max() < 1),
        "a_region_agrees": some_region(agree),
        "sum_agrees": some_region(agree.where(stated["kernel"] == "add", other=True)),
    }


def _floats(results: Results) -> dict[str, object]:
    """Return findings on Figures 5 to 7 and Table 1: round-off, its correction, exponents."""
    keys = {"variant": "corrected", "period": "5000"}
    gains = results.frame("correction/correction_gain.csv", **keys)
    claims = results.frame("linucb/claims.csv").set_index("quantity")
    drifts = [claims.loc[[f"drift_{name}"]] for name in ("disjoint", "hybrid")]
    exponents = results.frame("linucb/complexity.csv")
    hybrid = results.row("linucb/complexity.csv", algorithm="linucb-hybrid", variant="optimized",
                         stage="select", over="d")  # fmt: skip
    return {
        "gains_after": bool(gains["after_orders"].min() >= _ORDERS),
        "little_before": bool(gains["before_orders"].max() < _FEW_ORDERS),
        "far_more_at_peaks": bool(gains["peak_orders"].min() > 2 * _ORDERS),
        "drift_between": all(
            each["ours"].min() <= each["published"].iloc[0] <= each["ours"].max() for each in drifts
        ),
        "bounds_hold": bool((exponents["counted"] <= exponents["stated"] + AGREES).all()),
        "one_power_less": agrees(hybrid.number("stated") - hybrid.number("counted")),
    }


def _memory(results: Results) -> dict[str, object]:
    """Return findings on Figures 2 and 4 of the paper code, and on operations of a step."""
    rows = results.frame("paper/figure2-4.csv", line="paper", arms=8).fillna({"f": 0})
    unit = rows["variant"].str.extract("(-vector)?$")[0].fillna("")
    rows = rows.assign(unit=unit, variant=rows["variant"].str.removesuffix("-vector"))
    peaks = rows.pivot(index=["learner", "d", "f", "unit"], columns="variant")  # noqa: PD010
    select, update = (
        (of["optimized"] - of["standard"]).dropna()
        for of in (peaks["select_stack_bytes"], peaks["update_stack_bytes"])
    )
    total = peaks.loc["linucb-disjoint", 32, 0, ""]["total_bytes"]
    counted = results.frame("linucb/operations.csv", algorithm="linucb-disjoint", arms=8, d=32)
    steps = counted.pivot(index="variant", columns="stage", values="counted_arithmetic")  # noqa: PD010
    whole = steps.sum(axis=1)
    return {
        "select_takes_less": bool((select < 0).all()),
        "update_takes_more": bool((update > 0).all()),
        "hardly_memory": bool(total["optimized"] <= 1.1 * total["standard"]),
        "update_is_longer": bool(steps["update"]["optimized"] > steps["update"]["standard"]),
        "step_is_shorter": bool(whole["optimized"] < whole["standard"]),
    }
