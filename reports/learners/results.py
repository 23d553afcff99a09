"""Results as the tables of the CSV files, and back: the page shows what the files hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from gnomon.base.frames import frame, rows_of, worded
from gnomon.base.interval import Interval

from .claims import claimed_table
from .drift import LEARNERS, PAIRS, p_of
from .entries import known_regrets, missing_variants
from .points import Comparison, ComparisonSize, Point, front, panels
from .problems import FRACTION_BITS, PROBLEMS

_POINT = (
    "problem", "machine", "learner", "line", "variant", "setting", "fraction_bits", "regret",
    "regret_low", "regret_high", "energy_uj", "energy_low_uj", "energy_high_uj", "select_uj",
    "update_uj", "time_us", "select_cycles", "update_cycles", "slowest_select_cycles",
    "slowest_update_cycles", "model_bytes", "text_bytes", "extrapolated", "front",
)  # fmt: skip
_FORMS: dict[str, dict[str, str]] = {
    "orders": {"less": ".4f", "p": ".3g", "fresh_less": ".4f", "fresh_p": ".3g",
               "check_less": ".4f"},
    "settings": {"regret": ".4f"},
    "formats": {"regret": ".4f"},
    "drift": {**dict.fromkeys(LEARNERS, ".4f"), **{p_of(*pair): ".2g" for pair in PAIRS}},
    "hybrid": {**dict.fromkeys(("hybrid", "disjoint", "difference", "low", "high"), ".4f"),
               "p": ".2g"},
    "spread": dict.fromkeys(("first_uj", "mean_uj", "mean_low_uj", "mean_high_uj"), ".5g"),
    "thrifty": {"updates": ".3f", "difference": ".4f", "low": ".4f", "high": ".4f",
                "regret": ".4f", "of_all": ".4f", "uj": ".3g", "uj_of_all": ".3g",
                "earned": ".2f", "earned_low": ".2f", "earned_high": ".2f", "p": ".2g"},
    "windows": {"regret": ".4f", "window": ".1f", "fixed_2": ".4f", "fixed_3": ".4f",
                "difference": ".4f", "low": ".4f", "high": ".4f", "macs": ".0f",
                "macs_fixed": ".0f", "p": ".2g"},
}  # fmt: skip
_FIELDS = {
    "orders": "orders", "settings": "trials", "formats": "formats", "spread": "spread",
    "drift": "drift", "hybrid": "hybrid", "thrifty": "thrifty", "windows": "windows",
}  # fmt: skip


def tables_of(comparison: Comparison) -> dict[str, pd.DataFrame]:
    """Return all tables, numbers as the texts of their files."""
    tables = {"points": points_table(comparison)}
    for name, field in _FIELDS.items():
        of: pd.DataFrame = getattr(comparison, field)
        tables[name] = of if of.empty else _texts(worded(of, _FORMS[name]))
    return {**tables, "claimed": claimed_table(comparison)}


def points_table(comparison: Comparison) -> pd.DataFrame:
    """Return every point, as in the CSV file."""
    best = [point for each in panels(comparison.points).values() for point in front(each)]
    return frame(
        _POINT,
        (
            (*each.names[:1], each.machine, *each.names[1:], FRACTION_BITS,
             *(f"{end:.4f}" for end in each.regret.to_json().values()),
             *(f"{end:.5g}" for end in each.energy_uj.to_json().values()),
             f"{each.select_uj:.5g}", f"{each.update_uj:.5g}",
             f"{each.time_us:.2f}", f"{each.select_cycles:.1f}", f"{each.update_cycles:.1f}",
             str(each.slowest_select_cycles), str(each.slowest_update_cycles),
             str(each.model_bytes), str(each.text_bytes), _yes(each.extrapolated),
             _yes(each in best))
            for each in comparison.points
        ),
    )  # fmt: skip


def comparison_of(
    tables: dict[str, pd.DataFrame], size: ComparisonSize, seed_base: int
) -> Comparison:
    """Return the results that tables hold, to the digits of their texts."""
    points = tuple(_point(row) for row in rows_of(tables["points"]))
    names = {point.problem for point in points}
    problems = tuple(each for each in PROBLEMS if each.name in names)
    machines = tuple(dict.fromkeys(point.machine for point in points))
    learners = tuple(dict.fromkeys(point.learner for point in points))
    fields = {field: _numbers(tables[name]) for name, field in _FIELDS.items()}
    return Comparison(
        size, problems, machines, points, missing_variants(learners, machines, size),
        known=known_regrets(problems, size), seed_base=seed_base, **fields,
    )  # fmt: skip


def to_printed_digits(comparison: Comparison) -> Comparison:
    """Return the results as the files show them, so that the fronts are those of the files."""
    return comparison_of(tables_of(comparison), comparison.size, comparison.seed_base)


def committed(size: ComparisonSize, seed_base: int) -> Comparison:
    """Return the committed results."""
    files = {name: Path(__file__).with_name(f"comparison_{name}.csv") for name in _FIELDS}
    files["points"] = Path(__file__).with_name("comparison_points.csv.xz")
    tables = {
        name: pd.read_csv(path, dtype=str, keep_default_na=False)
        if path.is_file()
        else pd.DataFrame()
        for name, path in files.items()
    }
    return comparison_of(tables, size, seed_base)


def _point(row: Any) -> Point:
    def three(name: str, unit: str = "") -> Interval:
        value, low, high = (
            float(getattr(row, f"{name}{end}{unit}")) for end in ("", "_low", "_high")
        )
        return Interval(value, low, high)

    return Point(
        problem=row.problem, machine=row.machine, learner=row.learner, line=row.line,
        variant=row.variant, setting=row.setting, regret=three("regret"),
        energy_uj=three("energy", "_uj"), select_uj=float(row.select_uj),
        update_uj=float(row.update_uj), time_us=float(row.time_us),
        select_cycles=float(row.select_cycles), update_cycles=float(row.update_cycles),
        slowest_select_cycles=int(row.slowest_select_cycles),
        slowest_update_cycles=int(row.slowest_update_cycles), model_bytes=int(row.model_bytes),
        text_bytes=int(row.text_bytes), extrapolated=row.extrapolated == "yes",
    )  # fmt: skip


def _texts(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of texts; truth values are yes and no."""
    return table.map(lambda value: _yes(value) if isinstance(value, bool) else str(value))


def _numbers(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of texts with columns of numbers and of truth values as such."""
    return table if table.empty else table.apply(_column)


def _column(texts: pd.Series[Any]) -> pd.Series[Any]:
    given = texts[texts != ""]
    if given.empty:
        return texts
    if texts.isin(["yes", "no"]).all():
        return texts == "yes"
    numbers = pd.to_numeric(texts, errors="coerce")
    return texts if numbers[given.index].isna().any() else numbers


def _yes(value: object) -> str:
    return "yes" if value else "no"
