"""The page of the study: its tables, sentences and figure."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from scipy.stats import binomtest

from gnomon.base.frames import frame
from gnomon.base.interval import Interval
from gnomon.explore.learner_costs import FEATURES, MODELED, WORDS
from gnomon.explore.learner_terms import terms_file
from gnomon.explore.learners import LearnerTables, rank
from gnomon.explore.regret_law import CONTEXT_LAWS, EARLIEST, RANGES, STATE, Conditions
from gnomon.learn.estimates import wilson_interval
from gnomon.report.canvas import COLOURS, panels
from gnomon.report.ranking_text import locked_text
from gnomon.report.study import StudyReport

from . import checking, costs, fit, law, orders, playing, tally
from .claims import claimed_table
from .results import Results

ASKED_ORDERS = 0.95
"""Share of claimed orders that must hold on fresh seeds."""
ASKED_NEAR = 0.8
"""Share of first choices that must be near the least measured energy to the target."""
ASKED = 0.9
"""Share of held-out values that must lie within their intervals."""
MACHINES = ("t13", "t13-simd4", "t13-paper-simd4")
DECIDED = {
    "zero-mean": Conditions(8, 10, 10_000),
    "weights drift": Conditions(8, 10, 10_000, rate=1e-3),
    "hidden state": Conditions(8, 10, 10_000, contexts=STATE),
}
"""Conditions of the tables of decisions, and of the figure."""
TARGET = 0.2
PER_DAY = (100, 10_000)
_UJ_PER_MJ = 1000.0
_SHOWN = 0.02  # least regret of the figure


def report(size: str, results: Results, power: str | None, *, pages: bool = False) -> StudyReport:
    """Return page, tables and figure; ``power``: another power table than the machines'."""
    tables = results.tables()
    named = ("costs", "counts", "cells", "regret", "laws", "held_out", "priced", "skipped",
             "checked", "orders", "switching")  # fmt: skip
    facts: dict[str, Any] = {
        "size": size, "power": power, "results": results, "law": law, "playing": playing,
        "tally": tally,
        "checking": checking, "costs": costs, "fit": fit, "features": FEATURES, "asked": ASKED,
        "asked_orders": ASKED_ORDERS, "asked_near": ASKED_NEAR,
        "ranges": RANGES, "earliest": EARLIEST, "context_laws": CONTEXT_LAWS, "target": TARGET,
        "seeds": _seeds(results.regret),
        "decisions": decisions(tables, power),
        "to_target": to_target(tables, power),
        "daily": daily(tables, power),
        "weights": ", ".join(f"{name} {x:g}" for name, x in law.COVARIANCE.weights.items()),
        "laws": laws_table(results.laws), "counted": counts_table(results.counts),
        "skipped": skipped_table(results.skipped),
        "checks": checks(results.checked), "orders": orders_facts(results.orders),
        "not_ranked": terms_file().not_ranked,
        "locked": locked_table(results.regret),
        "models": models_table(results.costs),
        "coverage": coverage(results.held_out),
        "shares": shares_table(results.held_out),
        "outside": outside(results.held_out),
    }  # fmt: skip
    written = {} if pages else {name: getattr(results, name) for name in named}
    written["claimed"] = claimed_table(tables)
    folder = Path(__file__).parent
    figures = {"choose": partial(curves_figure, tables, power)}
    packed = ("counts", "regret", "switching", "priced", "checked", "orders", "claimed")
    return StudyReport(folder, "choose", facts, written, figures, packed=packed)


def _seeds(regret: pd.DataFrame) -> tuple[int, int, int]:
    """Return the least, median and largest number of seeds of a policy in a cell."""
    if regret.empty:
        return 0, 0, 0
    seeds = regret.groupby(["cell", "learner", "settings"])["seeds"].first().astype(int)
    return int(seeds.min()), int(seeds.median()), int(seeds.max())


def decisions(tables: LearnerTables, power: str | None) -> pd.DataFrame:
    """Return the first choice by regret at the horizon, with the energy of a decision."""
    rows = []
    for name, at in DECIDED.items():
        for machine in MACHINES:
            found = rank(machine, at, {}, power=power, tables=tables)
            first = found.candidates[0]
            if not first.rank or first.regret is None:
                rows.append((name, machine, found.note, "", "", "", ""))
                continue
            energy = first.costs.get("energy_uj")
            rows.append((
                name, machine, ", ".join(filter(None, (first.name, first.chosen))),
                f"{first.regret.value:.3f} ({first.regret.low:.3f} to {first.regret.high:.3f})",
                locked_text(first.near) or "?",
                "unavailable" if energy is None else f"{energy.value:.3g}",
                found.second.name if found.second else "none",
            ))  # fmt: skip
    heads = ("rewards", "machine", "first choice", "regret", "locked in", "µJ", "second choice")
    return frame(heads, rows)


def to_target(tables: LearnerTables, power: str | None) -> pd.DataFrame:
    """Return the first choice by energy to the target."""
    rows = []
    for name, at in DECIDED.items():
        for machine in MACHINES:
            found = rank(machine, at, {}, target=TARGET, power=power, tables=tables)
            first = found.candidates[0]
            if not first.rank or first.goal is None or first.goal.to.rounds is None:
                rows.append((name, machine, "none reaches it", "", "", ""))
                continue
            goal, to = first.goal, first.goal.to
            last = f"{to.last:,}" if to.last else "not reached"
            energy = goal.energy_uj
            rows.append((
                name, machine, first.name,
                f"{to.rounds:,} ({to.first or 0:,} to {last})",
                "?" if goal.time_us is None else f"{goal.time_us / 1e3:,.3g}",
                "unavailable" if energy is None else f"{energy.value / _UJ_PER_MJ:.3g}",
            ))  # fmt: skip
    return frame(("rewards", "machine", "first choice", "rounds", "ms", "mJ"), rows)


def daily(tables: LearnerTables, power: str | None) -> pd.DataFrame:
    """Return energy per day of the first choices by decisions per day and horizon, on t13-simd4."""
    rows = []
    for per_day in PER_DAY:
        for horizon in (1_000, 10_000, 100_000):
            at = Conditions(8, 10, horizon)
            first = rank("t13-simd4", at, {}, power=power, tables=tables).candidates[0]
            energy = first.costs.get("energy_uj")
            if not first.rank or first.regret is None:
                rows.append((per_day, horizon, "nothing is ranked", "", ""))
                continue
            rows.append((
                per_day, horizon, f"{first.learner} {first.variant}", f"{first.regret.value:.3f}",
                "unavailable" if energy is None else f"{energy.value * per_day / _UJ_PER_MJ:.3g}",
            ))  # fmt: skip
    return frame(("decisions a day", "rounds", "first choice", "regret", "mJ a day"), rows)


def laws_table(laws: pd.DataFrame) -> pd.DataFrame:
    """Return cells and errors of each law of regret."""
    return frame(
        ("learner", "settings", "cells", "points", "median error", "half width"),
        (
            (row["learner"], row["settings"], int(row["cells"]), int(row["points"]),
             _percent(row["median_error"]),
             _percent(float(row["error"]) * float(row["median_deviation"])))
            for row in laws.to_dict("records")
        ),
    )  # fmt: skip


def counts_table(counts: pd.DataFrame) -> pd.DataFrame:
    """Return errors of the laws of event counts."""
    heads = ("learner", "implementation", "machines", "runs", "median error", "half width")
    rows = (
        (*key, int(own["sizes"].iloc[0]), _percent(own["median_error"].iloc[0]),
         _percent(own["error"].iloc[0]))
        for key, own in counts.groupby(["learner", "variant", "family"], sort=False)
    )  # fmt: skip
    return frame(heads, rows)


def locked_table(regret: pd.DataFrame) -> pd.DataFrame:
    """Return the share of locked runs at the horizon: of all cells together, and the largest."""
    own = regret[regret["locked"].astype(str) != ""]
    rows = []
    for (learner, settings), each in own.groupby(["learner", "settings"], sort=False):
        seeds, shares = each["seeds"].astype(int), each["locked"].astype(float)
        largest = int(np.argmax(shares.to_numpy()))
        rows.append((learner, settings, len(shares), int(seeds.sum()),
                     _share(float((shares * seeds).sum()), int(seeds.sum())),
                     _share(shares.iloc[largest] * seeds.iloc[largest], seeds.iloc[largest])
                     + f" of {seeds.iloc[largest]}"))  # fmt: skip
    return frame(("learner", "settings", "cells", "runs", "locked in", "largest share"), rows)


def _share(count: float, of: int) -> str:
    found = wilson_interval(count, of)
    return f"{100 * found.value:.1f} % ({100 * found.low:.1f} to {100 * found.high:.1f})"


def skipped_table(skipped: pd.DataFrame) -> pd.DataFrame:
    """Return numbers of cells without runs, by policy and reason."""
    counts = skipped.groupby(["learner", "settings", "why"], sort=False).size()
    return counts.rename("cells").reset_index()


def checks(checked: pd.DataFrame) -> dict[str, Any]:
    """Return counts of the held-out configurations."""
    refused = int(checked["quantity"].eq("").sum())
    checked = checked[checked["quantity"] != ""]
    if checked.empty:
        return {"configurations": 0, "refused": refused}
    within = checked["within"].eq("yes")
    firsts = checked[checked["first"].eq("yes")].drop_duplicates("configuration")
    over = firsts["over_best"][firsts["over_best"].astype(str) != ""].astype(float)
    by_quantity = (
        (name, len(own), f"{100 * own['within'].eq('yes').mean():.0f} %")
        for name, own in checked.groupby("quantity", sort=False)
    )
    return {
        "configurations": int(checked["configuration"].nunique()), "refused": refused,
        "values": len(checked), "within": int(within.sum()),
        "share": grouped_share(within, checked["configuration"]),
        "table": frame(("quantity", "values", "within"), by_quantity),
        "near_best": int((over <= checking.WITHIN).sum()), "with_target": len(over),
        "never": int(np.isinf(over).sum()), "unmeasured": int(np.isnan(over).sum()),
        "near_share": _share(int((over <= checking.WITHIN).sum()), len(over)) if len(over) else "",
        "broken": int(firsts["breaks"].astype(str).ne("").sum()),
    }  # fmt: skip


def grouped_share(holds: pd.Series, groups: pd.Series) -> Interval:
    """Return the share of values that hold, with its 95 % interval; those of a group go together.

    Wilson's interval for as many independent values as have the variance of the share between
    groups (Kish's design effect); one value per group where no value differs.
    """
    value, count = float(holds.mean()), len(holds)
    of_groups = (holds - value).groupby(groups).sum()
    between, alone = float((of_groups**2).sum()) / count**2, value * (1.0 - value) / count
    independent = count * min(1.0, alone / between) if between else float(len(of_groups))
    return wilson_interval(value * independent, independent)


def orders_facts(table: pd.DataFrame) -> dict[str, Any]:
    """Return how many claimed orders hold on fresh seeds, with the share and its interval."""
    hold, count = orders.held(table)
    if not count:
        return {"count": 0}
    conditions = table.groupby(["contexts", "shared", "d", "arms", "rounds"]).ngroup()
    share = grouped_share(table["holds"].eq("yes"), conditions)
    return {"count": count, "hold": hold, "share": share, "conditions": conditions.nunique(),
            "seeds": int(table["seeds"].iloc[0])}  # fmt: skip


def models_table(models: pd.DataFrame) -> pd.DataFrame:
    """Return each cost model's errors on sizes left out: median and interval half width."""
    rows = []
    for key, each in models.groupby(["learner", "variant", "family"], sort=False):
        own, first = each.set_index("quantity"), each.iloc[0]
        errors = own.loc[list(MODELED), ["median_error", "error"]].map(_percent)
        cells = errors["median_error"] + " (" + errors["error"] + ")"
        rows.append((*key, first["sizes"], first["built"], *cells))
    heads = [f"{WORDS[name]}" for name in MODELED]
    return frame(
        ("learner", "implementation", "machines", "sizes", "largest n x arms", *heads), rows
    )


def coverage(held_out: pd.DataFrame) -> tuple[float, float]:
    """Return the chance that a size lies in all its intervals: 95 % by Clopper and Pearson."""
    found = binomtest(int((held_out["within"] == "yes").sum()), len(held_out)).proportion_ci()
    return float(found.low), float(found.high)


def inside(held_out: pd.DataFrame, name: str) -> float:
    """Return the share of held-out sizes that build whose ``name`` lies within its interval."""
    own = held_out[held_out[name] != ""]
    value, low, high = (own[f"{name}{end}"].astype(float) for end in ("", "_low", "_high"))
    return float(((low <= value) & (value <= high)).mean())


def shares_table(held_out: pd.DataFrame) -> pd.DataFrame:
    """Return the share within intervals and their median half width, by quantity."""
    rows = []
    for name in MODELED:
        own = held_out[held_out[name] != ""]
        low, high = (own[f"{name}_{end}"].astype(float) for end in ("low", "high"))
        width = _percent(np.median(np.log(high / low)) / 2)
        rows.append((WORDS[name], f"{100 * inside(held_out, name):.0f} %", width))
    return frame(("quantity", "within its interval", "median half width"), rows)


def outside(held_out: pd.DataFrame) -> pd.DataFrame:
    """Return the values outside their intervals, and their distances."""
    heads = ("learner", "implementation", "machine", "d x arms", "quantity", "measured",
             "interval", "beyond it")  # fmt: skip
    return frame(heads, _outside(held_out))


def _outside(held_out: pd.DataFrame) -> Iterator[tuple[str, ...]]:
    for row in held_out.to_dict("records"):
        for name in MODELED:
            if row[name] == "":
                continue
            value, low, high = (float(row[f"{name}{end}"]) for end in ("", "_low", "_high"))
            if not low <= value <= high:
                off = value / (high if value > high else low) - 1
                yield (row["learner"], row["variant"], row["machine"],
                       f"{row['d']} x {row['arms']}", WORDS[name], f"{value:,.0f}",
                       f"{low:,.0f} to {high:,.0f}", f"{100 * off:+.1f} %")  # fmt: skip


def curves_figure(tables: LearnerTables, power: str | None) -> Figure:
    """Return regret against the energy spent so far, a panel for each of ``DECIDED``, on t13."""
    figure, axes = panels(1, len(DECIDED), size=(11.0, 5.0))
    curves = {name: _curves(tables, at, power) for name, at in DECIDED.items()}
    labels = dict.fromkeys(label for each in curves.values() for label in each)
    places = {label: place for place, label in enumerate(labels)}  # one color in all panels
    shown = {}
    for axis, (name, found) in zip(np.ravel(axes), curves.items(), strict=True):
        axis.set_title(name)
        axis.set_xlabel("energy so far in µJ, t13" if _priced(tables, power) else "cycles so far")
        axis.set_ylabel("relative regret")
        for label, points in found.items():
            xs, ys = zip(*points, strict=True)
            style = "-" if places[label] < len(COLOURS) else "--"
            color = COLOURS[places[label] % len(COLOURS)]
            (shown[label],) = axis.loglog(xs, ys, style, color=color)
        axis.set_ylim(_SHOWN, 1.2)
    if shown:
        figure.legend([shown[each] for each in labels], labels, loc="outside lower center", ncols=4,
                      fontsize="small")  # fmt: skip
    return figure


def _priced(tables: LearnerTables, power: str | None) -> bool:
    found = rank("t13", DECIDED["zero-mean"], {}, power=power, tables=tables)
    return any("energy_uj" in each.costs for each in found.candidates)


def _curves(
    tables: LearnerTables, at: Conditions, power: str | None
) -> dict[str, list[tuple[float, float]]]:
    """Return, for each scalar implementation, energy (cycles without a table) and regret."""
    found: dict[str, list[tuple[float, float]]] = {}
    for rounds in np.geomspace(50, at.horizon, 8).astype(int):
        here = Conditions(at.d, at.arms, int(rounds), at.noise, at.rate, at.contexts, at.shared)
        for each in rank("t13", here, {}, power=power, tables=tables).candidates:
            cost = each.costs.get("energy_uj") or each.costs.get("cycles")
            if each.regret and cost and each.reads_context:
                label = " ".join(filter(None, (each.learner, each.settings)))
                found.setdefault(label, []).append((cost.value * int(rounds), each.regret.value))
    return found


def _percent(log_error: Any) -> str:
    return f"{100 * float(np.expm1(float(log_error))):.1f} %"
