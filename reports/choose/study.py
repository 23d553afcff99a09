"""``gnomon report choose``: the tables behind ``gnomon choose``, and how held-out sizes fare."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from gnomon.base.content import content
from gnomon.base.frames import frame
from gnomon.cli.study import Pages, study_command
from gnomon.explore.learners import FEATURES, QUANTITIES, WORDS, Candidate, rank
from gnomon.report.study import Keeps, Steps, StudyReport

from . import costs, fit, regrets

ASKED = 0.9
"""Of the held-out sizes: so many must lie within all their intervals."""


@dataclass(frozen=True, slots=True)
class ChooseSize:
    """Numbers of measured sizes: to fit, to widen intervals, held out; cases of regret."""

    name: str
    grid: int
    calibration: int
    held_out: int
    cases: int


SIZES = {
    "small": ChooseSize("small", 240, 20, 4, 1),
    "full": ChooseSize("full", *[10**6] * 4),
}


def held_out_table(measured: pd.DataFrame, laws: pd.DataFrame) -> pd.DataFrame:
    """Return measured costs with the intervals of the models, and whether all are within.

    A size that does not build is within if the model predicts this. A size without a model is not.
    """
    known = fit.by_key(laws)
    rows: list[tuple[Any, ...]] = []
    for row in measured.fillna({"settings": "", "refused": ""}).to_dict("records"):
        law = known.get(fit.key_of(row))
        d, arms, machine, settings = row["d"], row["arms"], row["machine"], row["settings"]
        head = (row["learner"], row["variant"], settings, machine, d, arms)
        if row["refused"] or law is None:
            right = _yes(law is not None and law.refuses(settings, d, arms))
            rows.append((*head, *[""] * (3 * len(QUANTITIES)), right))
            continue
        cells: list[str] = []
        within = True
        for name in QUANTITIES:
            cost = law.cost(name, machine, settings, d, arms)
            three = [f"{each:.5g}" for each in (float(row[name]), cost.low, cost.high)]
            value, low, high = map(float, three)
            within &= low <= value <= high
            cells += three
        rows.append((*head, *cells, _yes(within)))
    ends = [f"{name}{end}" for name in QUANTITIES for end in ("", "_low", "_high")]
    return frame(("learner", "variant", "settings", "machine", "d", "arms", *ends, "within"), rows)


def _yes(value: object) -> str:
    return "yes" if value else "no"


def coverage(held_out: pd.DataFrame) -> tuple[float, float]:
    """Return the chance that a size lies in all its intervals: 95 % by Clopper and Pearson."""
    found = binomtest(int((held_out["within"] == "yes").sum()), len(held_out)).proportion_ci()
    return float(found.low), float(found.high)


def inside(held_out: pd.DataFrame, name: str) -> float:
    """Return the share of held-out sizes that build whose ``name`` lies within its interval."""
    own = held_out[held_out[name] != ""]
    value, low, high = (own[f"{name}{end}"].astype(float) for end in ("", "_low", "_high"))
    return float(((low <= value) & (value <= high)).mean())


def _width(held_out: pd.DataFrame, name: str) -> str:
    """Return half an interval in logarithms, the median of those that build, in percent."""
    own = held_out[held_out[name] != ""]
    low, high = (own[f"{name}_{end}"].astype(float) for end in ("low", "high"))
    return _percent(np.median(np.log(high / low)) / 2)


def laws_table(laws: pd.DataFrame) -> pd.DataFrame:
    """Return each model's errors on sizes left out: median and interval half width, percent."""
    rows = []
    for key, each in laws.groupby(["learner", "variant", "family"], sort=False):
        own, first = each.set_index("quantity"), each.iloc[0]
        errors = own.loc[list(QUANTITIES), ["median_error", "error"]].map(_percent)
        cells = errors["median_error"] + " (" + errors["error"] + ")"
        rows.append((*key, first["sizes"], first["built"], *cells))
    heads = [f"{word}, %" for word in WORDS.values()]
    return frame(
        ("learner", "implementation", "machines", "sizes", "largest n x arms", *heads), rows
    )


def _percent(log_error: Any) -> str:
    return f"{100 * float(np.expm1(float(log_error))):.1f}"


def regret_tables(regret: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Return, per class, a row for each policy, a column for each size; best ones marked."""
    for kind, own in regret.groupby("class", sort=False):
        columns: dict[str, list[str]] = {}
        for (d, arms), case in own.groupby(["d", "arms"], sort=False):
            beaten = _beaten(case)
            columns.setdefault("learner", _policies(case))
            columns[f"{d} x {arms}"] = [
                f"{float(value):.3f}" if at in beaten else f"**{float(value):.3f}**"
                for at, value in enumerate(case["regret"])
            ]
        yield str(kind), pd.DataFrame(columns)


def _beaten(case: pd.DataFrame) -> set[int]:
    return {int(at) for beats in case["beats"] for at in str(beats).split()}


def _policies(case: pd.DataFrame) -> list[str]:
    return [f"{name} {fixed}".strip() for name, fixed in
            zip(case["learner"], case["settings"], strict=True)]  # fmt: skip


def report(
    size: ChooseSize,
    laws: pd.DataFrame,
    held_out: pd.DataFrame,
    regret: pd.DataFrame,
    *,
    pages: bool = False,
) -> StudyReport:
    """Return page and tables; the page alone if ``pages`` is set."""
    facts = {
        "size": size,
        "laws": laws_table(laws),
        "held_out": held_out,
        "coverage": coverage(held_out),
        "level": fit.LEVEL,
        "asked": ASKED,
        "shares": frame(
            ("quantity", "within its interval", "median half width"),
            (
                (word, f"{100 * inside(held_out, name):.0f} %", f"{_width(held_out, name)} %")
                for name, word in WORDS.items()
            ),
        ),
        "outside": _outside(held_out),
        "tables": list(regret_tables(regret)),
        "wins": _wins(regret),
        "decisions": decisions(laws, regret),
        "asked_for": ASKED_FOR,
        "regrets": regrets,
        "costs": costs,
        "features": FEATURES,
    }
    tables = {} if pages else {"costs": laws, "regret": regret, "held_out": held_out}
    return StudyReport(Path(__file__).parent, "choose", facts, tables)


ASKED_FOR = (8, 10)
"""d and arms of the table of decisions."""

_BUDGETS_UJ = (5, 20, 100)
_MACHINES = ("t13", "t13-simd4", "t13-paper-simd4")


def decisions(laws: pd.DataFrame, regret: pd.DataFrame) -> pd.DataFrame:
    """Return the first-ranked choice within each energy, by class and machine."""
    tables = fit.texts(laws), fit.texts(regret)
    rows = []
    for kind in regrets.CLASSES:
        for machine in _MACHINES:
            cells = []
            for budget in _BUDGETS_UJ:
                found = rank(machine, *ASKED_FOR, {"energy_uj": budget},
                             drift=kind == "drifting", tables=tables)  # fmt: skip
                first = found.candidates[0]
                keeps = first.rank and first.costs["energy_uj"].high <= budget
                cells.append(_said(first) if keeps else "none keeps it")
            rows.append((kind, machine, *cells))
    return frame(("rewards", "machine", *(f"{each} µJ" for each in _BUDGETS_UJ)), rows)


def _said(first: Candidate) -> str:
    name = " ".join(filter(None, (first.learner, first.variant, first.settings)))
    regret = f"{first.regret.regret.value:.3f}" if first.regret else "?"
    return f"{name}: {regret}, {first.costs['energy_uj'].value:.3g} µJ"


def _outside(held_out: pd.DataFrame) -> pd.DataFrame:
    """Return the values outside their intervals, and their distances."""
    rows = []
    for row in held_out.to_dict("records"):
        for name, word in WORDS.items():
            if row[name] == "":
                continue
            value, low, high = (float(row[f"{name}{end}"]) for end in ("", "_low", "_high"))
            if not low <= value <= high:
                off = value / (high if value > high else low) - 1
                size = f"{row['d']} x {row['arms']}"
                made = row["learner"], row["variant"], row["machine"]
                rows.append((*made, size, word, f"{value:,.0f}", f"{low:,.0f} to {high:,.0f}",
                             f"{100 * off:+.1f} %"))  # fmt: skip
    heads = ("learner", "implementation", "machine", "d x arms", "quantity", "measured",
             "interval", "beyond it")  # fmt: skip
    return frame(heads, rows)


def _wins(regret: pd.DataFrame) -> pd.DataFrame:
    """Count the cases of each class that leave a policy unbeaten."""
    rows = [
        (name, str(kind), at not in beaten)
        for (kind, _, _), case in regret.groupby(["class", "d", "arms"], sort=False)
        for beaten in (_beaten(case),)
        for at, name in enumerate(_policies(case))
    ]
    found = pd.DataFrame(rows, columns=["learner", "class", "wins"])
    counts = found.pivot_table("wins", "learner", "class", aggfunc="sum", sort=False)
    return counts.rename_axis(columns=None).reset_index()


def committed(*parts: str) -> pd.DataFrame:
    """Read a committed table, all cells text."""
    return pd.read_csv(content(*parts), dtype=str, keep_default_na=False)


def _run(size: ChooseSize, progress: Steps, keeps: Keeps, *, pages: Pages = False) -> StudyReport:
    if pages:
        laws, regret = (committed("models", "learners", f"{n}.csv") for n in ("costs", "regret"))
        held_out = committed("reports", "choose", "held_out.csv")
        return report(size, laws, held_out, regret, pages=True)
    grid, widths = costs.grid()[: size.grid], costs.calibration()[: size.calibration]
    points, cases = costs.held_out()[: size.held_out], regrets.CASES[: size.cases]
    progress.plan(sum(map(len, (grid, widths, points, cases))))
    fitted, others, measured = (
        costs.table(each, keeps.measuring, progress) for each in (grid, widths, points)
    )
    laws = fit.laws(fitted, others)
    regret = regrets.table(cases, keeps.learning, progress)
    return report(size, laws, held_out_table(measured, laws), regret)


main = study_command(_run, SIZES, title="measuring")
