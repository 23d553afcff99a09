"""Judgement of one statement by rows of committed tables."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from pydantic import Field

from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.base.tables import CsvRow, Entry, read_csv_table

REPRODUCED, CONTRADICTED, UNTESTABLE, NO_TEST = VERDICTS = (
    "reproduced", "contradicted", "not testable", "no test",
)  # fmt: skip

Tables = Mapping[str, Sequence[CsvRow]]
"""Tables of this run by name, which take the place of the committed ones."""


class Where(Entry):
    """Rows of a table of ``reports/``; of several values of a column, any."""

    file: str
    keys: dict[str, str | list[str]] = Field(default={})

    def rows(self, made: Tables | None = None) -> list[CsvRow]:
        """Return the matching rows; none is an error, so that a renamed key is noticed."""
        path = content("reports", *self.file.split("/"))
        wanted = {name: [value] if isinstance(value, str) else value
                  for name, value in self.keys.items()}  # fmt: skip
        found = [
            row
            for row in (made or {}).get(self.file) or read_csv_table(path)
            if all(row.values[name] in values for name, values in wanted.items())
        ]
        if not found:
            raise GnomonError(f"{path}: no row with {self.keys}")
        return found


class Pairs(Entry):
    """Rows of two kinds, matched by columns: ``value`` of the first over that of the second."""

    first: Where
    second: Where
    match: list[str] = Field(min_length=1)


class Comparison(Entry):
    """One way to judge a statement: one of the first five fields names its rows.

    ``near``, and ``pairs`` without ``least`` and ``most``, compare ``value`` over ``over`` with 1:
    the median error is at most ``limit``. ``within``, and the other ``pairs``, compare each value
    with ``least`` and ``most``, numbers or columns; ``within`` without both only shows the values.
    In ``criteria`` no row with a verdict may be missed. In ``order``, the mean of ``value`` does
    not fall from one entry to the next.
    """

    criteria: Where | None = None
    near: Where | None = None
    within: Where | None = None
    pairs: Pairs | None = None
    order: list[Where] = Field(default=[])
    value: str = "ratio"
    over: str = ""
    limit: float = 0.2
    any_row: bool = False  # several interpretations of one statement: one of them is enough
    every_row: bool = False  # the statement is of every size, so the worst row decides
    orders: bool = False  # near in orders of magnitude
    least: float | str | None = None
    most: float | str | None = None
    slack: float = 0.0  # of these limits; in an order, the share by which a mean may fall


class Found(NamedTuple):
    """Outcome of a comparison: whether the statement holds, the evidence, and the rows."""

    holds: bool
    evidence: str
    source: str


def compare(by: Comparison, made: Tables | None = None) -> Found | None:
    """Return the outcome of a comparison; None if it names no rows."""
    for where, judged_by in (
        (by.criteria, _by_criteria), (by.near, _by_nearness), (by.within, _by_limits)
    ):  # fmt: skip
        if where:
            rows = where.rows(made)
            return Found(*judged_by(by, rows), _source(where.file, rows))
    if by.pairs:
        return _by_pairs(by, by.pairs, made)
    if not by.order:
        return None
    rows_of = [each.rows(made) for each in by.order]
    means = [float(np.mean(_numbers(rows, by.value))) for rows in rows_of]
    holds = all(before * (1 - by.slack) <= after for before, after in pairwise(means))
    shown = ", ".join(f"{mean:.4g}" for mean in means)
    sources = dict.fromkeys(each.file for each in by.order)
    return Found(holds, f"{by.value} {shown}", ", ".join(sources))


def _source(file: str, rows: Sequence[CsvRow]) -> str:
    first = rows[0].origin.rpartition(":")[2]
    return f"{len(rows)} of {file}, first line {first}"


def _by_criteria(_by: Comparison, rows: Sequence[CsvRow]) -> tuple[bool, str]:
    missed = [row for row in rows if row.values["met"] == "no"]
    judged = [row for row in rows if row.values["met"] in {"yes", "no"}]
    if not judged:
        raise GnomonError(f"{rows[0].origin}: rows that are only shown judge nothing")
    first = (missed or judged)[0].values
    what = first.get("measured") or first.get("quantity", "")
    found = first.get("value") or first.get("found", "")
    held = f"{len(judged) - len(missed)} of {len(judged)} met; {what}: {found}, {first['limit']}"
    return not missed, held


def _numbers(rows: Sequence[CsvRow], column: str) -> list[float]:
    return [float(row.values[column]) for row in rows if row.values[column]]


def _is_known(by: Comparison, row: CsvRow) -> bool:
    return bool(row.values[by.value] and (not by.over or row.values[by.over]))


def _by_nearness(by: Comparison, rows: Sequence[CsvRow]) -> tuple[bool, str]:
    known = [row.values for row in rows if _is_known(by, row)]
    return _by_error(by, [
        float(row[by.value]) / (float(row[by.over]) if by.over else 1.0) for row in known
    ])  # fmt: skip


def _by_error(by: Comparison, values: Sequence[float]) -> tuple[bool, str]:
    ratios = np.array(values)
    if by.orders:
        off, form, unit = np.abs(np.log10(ratios)), ".1f", " orders"
    else:
        off, form, unit = np.abs(ratios - 1), ".1%", ""
    median, worst, best = (f"{float(of(off)):{form}}{unit}" for of in (np.median, np.max, np.min))
    if by.any_row:
        text = f"error: {best} in the nearest of {len(off)} interpretations"
    elif len(off) == 1:
        text = f"error: {worst}, one value"
    else:
        text = f"error: median {median}, worst {worst}, {len(off)} values"
    decides = off.min() if by.any_row else off.max() if by.every_row else np.median(off)
    return bool(decides <= by.limit), text


def _by_limits(by: Comparison, rows: Sequence[CsvRow]) -> tuple[bool, str]:
    def end(row: CsvRow, limit: float | str | None, none: float) -> float:
        if limit is None:
            return none
        return float(row.values[limit]) if isinstance(limit, str) else limit

    values = [float(row.values[by.value]) for row in rows]
    ends = [(end(row, by.least, -np.inf), end(row, by.most, np.inf)) for row in rows]
    texts = {row.values.get("measured") or row.values.get("quantity", "") for row in rows}
    text = texts.pop() if len(texts) == 1 else ""
    return _by_ends(by, (text or by.value).replace("_", " "), values, ends)


def _by_ends(
    by: Comparison, name: str, values: Sequence[float], ends: Sequence[tuple[float, float]]
) -> tuple[bool, str]:
    inside = [
        low - by.slack <= value <= high + by.slack
        for value, (low, high) in zip(values, ends, strict=True)
    ]
    limits = " and ".join(
        f"{word} {f'`{limit}`' if isinstance(limit, str) else format(limit, 'g')}"
        for word, limit in (("at least", by.least), ("at most", by.most))
        if limit is not None
    )
    shown = " to ".join(dict.fromkeys(f"{each:.4g}" for each in (min(values), max(values))))
    count = f"{sum(inside)} of {len(inside)} {limits}" if limits else f"{len(inside)} values"
    text = f"{name} {shown}, {count}"
    return all(inside), text


def _by_pairs(by: Comparison, pairs: Pairs, made: Tables | None) -> Found:
    def named(where: Where) -> dict[tuple[str, ...], CsvRow]:
        rows = where.rows(made)
        found = {tuple(row.values[name] for name in pairs.match): row for row in rows}
        if len(found) < len(rows):
            raise GnomonError(f"{rows[0].origin}: {pairs.match} do not name one row each")
        return found

    def ratio(column: str) -> Callable[[CsvRow, CsvRow], float]:
        return lambda first, second: float(first.values[column]) / float(second.values[column])

    first, second = named(pairs.first), named(pairs.second)
    both = [(first[key], second[key]) for key in first if key in second]
    known = [each for each in both if all(_is_known(by, row) for row in each)]
    if not known:
        raise GnomonError(f"{pairs.first.file}: no row has a partner by {pairs.match}")
    values = [ratio(by.value)(*each) for each in known]
    if by.over:
        values = [value / ratio(by.over)(*each)
                  for value, each in zip(values, known, strict=True)]  # fmt: skip
    source = _source(pairs.first.file, [one for one, _ in known]) + f", over {pairs.second.file}"
    if by.least is None and by.most is None:
        return Found(*_by_error(by, values), source)
    low, high = (
        none if limit is None else float(limit)
        for limit, none in ((by.least, -np.inf), (by.most, np.inf))
    )
    name = f"ratio of {by.value.replace('_', ' ')}"
    return Found(*_by_ends(by, name, values, [(low, high)] * len(values)), source)
