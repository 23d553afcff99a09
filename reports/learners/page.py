"""The page, its tables and the CSV files."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd

from gnomon.base.content import content
from gnomon.base.frames import frame, rows_of, worded
from gnomon.content.reports.embedded_learners.step_costs import LARGEST_LOSS, lossless_bits
from gnomon.measure.learners import embedded_learners
from gnomon.report.study import StudyReport

from .drift import FIRST_SYSTEM, MANY, drift_orders, sentences_of_means
from .orders import CHECK_STEP, LEVEL, distinct_orders, unconfirmed
from .pictures import alone, comparison_figures
from .points import Comparison, Point, front, panels
from .problems import FRACTION_BITS, SYSTEM, TITLES
from .results import comparison_of, tables_of


def comparison_report(comparison: Comparison, *, pages: bool = False) -> StudyReport:
    """Return page, tables that have rows, and pictures of results to the digits of the tables.

    ``pages``: without the tables.
    """
    tables = tables_of(comparison)
    shown = comparison_of(tables, comparison.size, comparison.seed_base)
    found = replace(shown, missing=comparison.missing, known=comparison.known)
    formats = found.formats
    facts = {
        "comparison": found,
        "size": found.size,
        "alone": alone(found.machines),
        "fraction_bits": FRACTION_BITS,
        "most": FRACTION_BITS if formats.empty else formats["fraction_bits"].max(),
        "extrapolated": sum(point.extrapolated for point in found.points),
        "fronts": fronts_table(found),
        "spread": _spread_facts(found.spread),
        **_order_facts(found),
        **_saving_facts(found),
        "best": best_table(found),
        "problems": frame(
            ("problem", "d", "arms", "f", "the papers of", "what it is"),
            ((p.name, p.d, p.arms, p.f, p.whose, p.about) for p in found.problems),
        ),
        "formats": formats_table(found),
        "missing": _missing_table(found.missing),
        "learners": len({point.learner for point in found.points}),
        "others": [each.name for each in embedded_learners() if each.name not in TITLES],
        "elsewhere": elsewhere(pd.read_csv(content("reports", "ares", "regret.csv"))),
    }
    written = {} if pages else tables
    return StudyReport(
        Path(__file__).parent, "comparison", facts,
        {f"comparison_{name}": table for name, table in written.items() if not table.empty},
        comparison_figures(found), packed=("comparison_points",),
    )  # fmt: skip


def _missing_table(missing: pd.DataFrame) -> pd.DataFrame:
    if missing.empty:
        return missing
    made = missing["variant"] + ", " + missing["line"]
    shown = missing.assign(implementation=made, learner=missing["learner"].map(TITLES))
    return shown[["machine", "learner", "implementation", "why"]]


def _spread_facts(spread: pd.DataFrame) -> dict[str, Any] | None:
    """Return the spread of energy over runs; ``half``: of the 95 % interval, over the mean."""
    if spread.empty:
        return None
    half = spread["mean_high_uj"] / spread["mean_uj"] - 1.0
    apart = (spread["first_uj"] / spread["mean_uj"] - 1.0).abs()
    widest = rows_of(spread)[int(half.to_numpy().argmax())]
    return {
        "points": len(spread), "runs": int(spread["runs"].max()),
        "machine": spread["machine"].iloc[0], "half": float(half.max()),
        "median": float(half.median()), "apart": float(apart.max()),
        "widest": f"{TITLES[widest.learner]} {widest.variant} on {widest.problem}",
    }  # fmt: skip


def fronts_table(comparison: Comparison) -> pd.DataFrame:
    """Return the front of each problem on each machine, from the cheapest on."""
    agreed = {(row.problem, row.order)
              for row in rows_of(distinct_orders(comparison.orders)) if row.claimed}  # fmt: skip
    claimed = {
        (row.problem, row.machine, row.cheaper, row.better)
        for row in rows_of(comparison.orders)
        if row.claimed and (row.problem, row.order) in agreed
    }

    def steps(key: tuple[str, str], best: Sequence[Point]) -> Iterator[str]:
        for at, point in enumerate(best):
            if at:
                yield " → " if (*key, best[at - 1].title, point.title) in claimed else " ⇢ "
            yield f"{point.title}: {_short(point.energy_uj.value)} µJ, {point.regret.value:.3f}"

    return frame(
        ("problem", "machine", "front"),
        (
            (*key, "".join(steps(key, front(points))))
            for key, points in panels(comparison.points).items()
        ),
    )


def _order_facts(comparison: Comparison) -> dict[str, object]:
    """Return the numbers of pairs and of distinct orders, in total and by problem."""
    orders, base, seeds = comparison.orders, comparison.seed_base, comparison.size.seeds
    distinct = distinct_orders(orders)
    flags = ["found", "claimed", "held"]
    counts = (
        distinct.assign(orders=1)
        .groupby("problem", sort=False)[["pairs", "orders", *flags]]
        .sum()
        .astype(int)
    )
    # of differences that all have one sign, corrected for all pairs: no p can be smaller
    least_p = min(1.0, len(orders) * 2.0 ** (1 - seeds))
    names = {"pairs": "pairs of points", "orders": "distinct orders", "found": "significant"}
    return {
        "orders": counts.sum().to_dict() | {"least_p": least_p},
        "found_pairs": int(orders["found"].sum()),
        "unconfirmed": unconfirmed(orders),
        "failed": [f"{row.order} on {row.problem}" for row in rows_of(distinct)
                   if row.claimed and not row.held],
        "ordered": counts.reset_index().rename(columns=names),
        "seed_base": base,
        "fresh": (base + 1, base + seeds),
        "check": (base + CHECK_STEP + 1, base + CHECK_STEP + seeds),
        "level": LEVEL,
    }  # fmt: skip


def _drift_facts(comparison: Comparison) -> dict[str, object]:
    """Return the orders over drifting systems, and where system ``SYSTEM`` is none like them."""
    if comparison.drift.empty:
        return {"drift": None}
    orders = drift_orders(comparison.drift)
    shown = orders.assign(pair=orders["one"] + ", " + orders["other"])
    shown["better_on"] = [f"{row.one_better}, {row.other_better}" for row in rows_of(orders)]
    means = worded(shown, {"one_mean": ".3f", "other_mean": ".3f", "p": ".2g"})
    means["means"] = means["one_mean"] + ", " + means["other_mean"]
    columns = {"horizon": "rounds", "pair": "pair", "means": "means", "p": "p", "better_on":
               "better on", "unordered": "no significant order"}  # fmt: skip
    return {
        "drift": means[list(columns)].rename(columns=columns),
        "drift_systems": int(orders["systems"].max()),
        "system": SYSTEM,
        "first_system": FIRST_SYSTEM,
        "drift_runs": comparison.size.seeds,
        "drift_means": sentences_of_means(orders),
        "drift_even": sentences_of_means(orders, significant=False),
        "both_ways": bool(((orders["one_better"] > 0) & (orders["other_better"] > 0)).any()),
    }


def _hybrid_facts(hybrid: pd.DataFrame) -> dict[str, object]:
    """Return the table of hybrid against disjoint, and where it has less regret and more."""
    if hybrid.empty:
        return {"hybrid": None}
    forms = {**dict.fromkeys(("hybrid", "disjoint", "difference"), ".4f"), "p": ".2g"}
    shared = hybrid["shared"].map({True: "yes", False: "no"})
    shown = worded(hybrid.assign(between=_between(hybrid), shared=shared), forms)[
        ["contexts", "shared", "horizon", "hybrid", "disjoint", "difference", "between", "p"]
    ]

    def cases(rows: pd.DataFrame) -> list[str]:
        return [
            f"{contexts} contexts {'and' if shared else 'but no'} shared weights"
            f" ({', '.join(f'{each:,}' for each in own['horizon'])} rounds)"
            for (contexts, shared), own in rows.groupby(["contexts", "shared"], sort=False)
        ]

    return {
        "hybrid": shown.set_axis(
            ["contexts", "shared weights", "rounds", "hybrid", "disjoint", "difference",
             "95 % interval", "p"], axis=1
        ),
        "hybrid_less": cases(hybrid[hybrid["less"]]),
        "hybrid_more": cases(hybrid[hybrid["more"]]),
        "hybrid_even": cases(hybrid[~hybrid["less"] & ~hybrid["more"]]),
    }  # fmt: skip


def _saving_facts(comparison: Comparison) -> dict[str, object]:
    """Return tables of the savings of two learners, and where they have less regret and more."""
    thrifty, windows = comparison.thrifty, comparison.windows
    others = {**_drift_facts(comparison), **_hybrid_facts(comparison.hybrid)}
    if thrifty.empty or windows.empty:
        return {"thrifty": None, **others}
    earned = [
        f"{row.earned:.2f} ({row.earned_low:.2f} to {row.earned_high:.2f})"
        for row in rows_of(thrifty)
    ]
    shown = worded(
        thrifty.assign(between=_between(thrifty), earned=earned),
        {"p": ".2g", "updates": ".1%", "regret": ".4f", "of_all": ".4f", "difference": ".4f",
         "uj": ".3g", "uj_of_all": ".3g"},
    )[["problem", "cost", "updates", "regret", "of_all", "difference", "between", "p", "uj",
       "uj_of_all", "earned"]]  # fmt: skip
    return {
        **others,
        "many": MANY,
        "thrifty": shown.set_axis(
            ["problem", "cost of an update", "updates made", "regret", "with all", "difference",
             "95 % interval", "p", "µJ, estimated", "µJ with all", "rewards saved in a run"], axis=1
        ),
        "thrifty_less": _cases(thrifty[thrifty["less"]]),
        "thrifty_more": _cases(thrifty[thrifty["more"]]),
        "windows": worded(
            windows.assign(between=_between(windows)),
            {"p": ".2g", "regret": ".4f", "window": ".1f", "difference": ".4f", "macs": ",.0f",
             "macs_fixed": ",.0f", "fixed_2": ".4f", "fixed_3": ".4f"},
        )[
            ["problem", "regret", "window", "fixed_2", "fixed_3", "difference", "between", "p",
             "macs", "macs_fixed"]
        ].set_axis(
            ["problem", "regret", "window at the end", "window 2", "window 3", "less the better",
             "95 % interval", "p", "MAC a round", "of window 3 alone"], axis=1
        ),
        "windows_less": list(windows[windows["less"]]["problem"]),
        "windows_more": list(windows[windows["more"]]["problem"]),
    }  # fmt: skip


def _between(rows: pd.DataFrame) -> list[str]:
    return [f"{row.low:.4f} to {row.high:.4f}" for row in rows_of(rows)]


def _cases(rows: pd.DataFrame) -> list[str]:
    """Return the problems, each with its costs."""
    return [
        f"{name} (cost {', '.join(f'{cost:g}' for cost in own['cost'])})"
        for name, own in rows.groupby("problem", sort=False)
    ]


def best_table(comparison: Comparison) -> pd.DataFrame:
    """Return each learner's implementation of least energy within 2 % of its least regret."""
    of_panel = panels(comparison.points)
    rows = []
    for problem, (learner, title) in product(comparison.problems, TITLES.items()):
        own = (
            [point for point in of_panel[problem.name, machine] if point.learner == learner]
            for machine in comparison.machines
        )
        found = [_good(points) for points in own if points]
        if found:
            last = found[-1]
            costs = (f"{_short(each.energy_uj.value)}, {each.time_us:,.0f} ({each.made})"
                     for each in found)  # fmt: skip
            rows.append((problem.name, title, last.setting, f"{last.regret.value:.3f}",
                         f"{last.regret.low:.3f} to {last.regret.high:.3f}", *costs,
                         f"{last.model_bytes:,}", f"{last.text_bytes:,}"))  # fmt: skip
    heads = ("problem", "learner", "setting", "regret", "95 % interval",
             *(f"µJ, µs on {machine}" for machine in comparison.machines),
             "model bytes", "text bytes")  # fmt: skip
    return frame(heads, rows)


def _good(own: Sequence[Point]) -> Point:
    """Return the first of equals."""
    least = min(point.regret.value for point in own)
    return min(
        (point for point in own if point.regret.value <= LARGEST_LOSS * least),
        key=lambda point: point.energy_uj.value,
    )


_OF_ARES = {"linucb": "linucb-window"}  # learners by prefix of the page's policies


def elsewhere(measured: pd.DataFrame) -> pd.DataFrame:
    """Return policies that ARES's page finds better than ARES-P here and that do not play here.

    ``measured``: its table of regret; ``ratio`` is relative to the oracle, which does not count.
    Better: by more than two standard errors of the difference.
    """
    own = measured[measured["system"] == SYSTEM].set_index("policy")
    ours = own.loc["ares-p"]
    variance = (own["ratio_std"] ** 2 + ours["ratio_std"] ** 2) / own["runs"]
    better = own[(ours["ratio"] - own["ratio"] > 2 * variance**0.5) & (own.index != "oracle")]
    away = [_OF_ARES.get(name.partition("-")[0], name) not in TITLES for name in better.index]
    found = better[away].reset_index()[["policy", "ratio"]].assign(ares_p=ours["ratio"])
    return found.assign(
        said=[f"{p} {r:.2f}" for p, r in zip(found.policy, found.ratio, strict=True)]
    )


def formats_table(comparison: Comparison) -> pd.DataFrame:
    """Return the fewest fraction bits of each implementation in each problem."""
    rows = []
    for (learner, line, variant), own in comparison.formats.groupby(
        ["learner", "line", "variant"], sort=False
    ):
        cells = {problem: least_bits(each) for problem, each in own.groupby("problem", sort=False)}
        implementation = f"{variant}, {line}"
        rows.append({"learner": TITLES[str(learner)], "implementation": implementation, **cells})
    return pd.DataFrame(rows)


def least_bits(formats: pd.DataFrame) -> int | None:
    """Return lossless bits of an implementation in a problem, relative to the most of them."""
    regret = formats.set_index("fraction_bits")["regret"]
    return lossless_bits(regret / regret[max(regret.index)])


def _short(value: float) -> str:
    """Format three digits, without an exponent."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
