"""``gnomon report claims``: statements of five papers, judged by the results of this repository.

``claims.yaml`` has the statements and the committed rows that judge them, never the verdicts.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field

from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.base.frames import frame
from gnomon.base.tables import CsvRow, Entry, check_table, read_csv_table, read_yaml_table
from gnomon.cli.study import study_command
from gnomon.report.study import Steps, StudyReport

from .power import LOOSE, POWER, criteria_power

REPRODUCED, CONTRADICTED, UNTESTABLE = VERDICTS = ("reproduced", "contradicted", "not testable")
_COLUMNS = ("paper", "item", "states", "verdict", "evidence", "catches", "rows")


class Where(Entry):
    """Rows of a table of ``reports/``; of several values of a column, any."""

    file: str
    keys: dict[str, str | list[str]] = Field(default={})

    def rows(self) -> list[CsvRow]:
        """Return the matching rows; none is an error, so that a renamed key is noticed."""
        path = content("reports", *self.file.split("/"))
        wanted = {name: [value] if isinstance(value, str) else value
                  for name, value in self.keys.items()}  # fmt: skip
        found = [
            row
            for row in read_csv_table(path)
            if all(row.values[name] in values for name, values in wanted.items())
        ]
        if not found:
            raise GnomonError(f"{path}: no row with {self.keys}")
        return found


class Claim(Entry):
    """One statement, and one way to judge it."""

    item: str
    states: str
    catches: str = ""  # detectable deviation
    criteria: Where | None = None  # rows with a column ``met``
    near: Where | None = None  # ``value`` over ``over`` at most ``limit`` from 1, by the median
    within: Where | None = None  # each ``value`` from ``least`` to ``most``, which may be columns
    order: list[Where] = Field(default=[])  # ``value`` does not fall from one to the next
    value: str = "ratio"
    over: str = ""
    limit: float = 0.2
    any_row: bool = False  # several readings of one statement: one of them is enough
    orders: bool = False  # near in orders of magnitude
    least: float | str | None = None
    most: float | str | None = None
    slack: float = 0.0  # of these limits
    untestable: str = ""  # reason why no row can judge it


class Paper(Entry):
    """One paper with its statements."""

    title: str
    claims: list[Claim]


class _Claims(Entry):
    schema_version: Literal[1] = Field(alias="schema")
    papers: list[Paper]


def judge(claim: Claim) -> tuple[str, str, str]:
    """Return the verdict, the evidence, its number of rows and their file."""
    if claim.untestable:
        return UNTESTABLE, claim.untestable, ""
    for where, judged_by in (
        (claim.criteria, _by_criteria), (claim.near, _by_nearness), (claim.within, _by_limits)
    ):  # fmt: skip
        if where:
            rows = where.rows()
            return *judged_by(claim, rows), _source(where, rows)
    means = [float(np.mean(_numbers(each.rows(), claim.value))) for each in claim.order]
    holds = all(before <= after for before, after in pairwise(means))
    shown = ", ".join(f"{mean:.4g}" for mean in means)
    sources = {each.file for each in claim.order}
    return _verdict(holds), f"{claim.value} {shown}", ", ".join(sorted(sources))


def _verdict(holds: bool) -> str:
    return REPRODUCED if holds else CONTRADICTED


def _source(where: Where, rows: Sequence[CsvRow]) -> str:
    first = rows[0].origin.rpartition(":")[2]
    return f"{len(rows)} of {where.file}, first line {first}"


def _by_criteria(claim: Claim, rows: Sequence[CsvRow]) -> tuple[str, str]:
    missed = [row for row in rows if row.values["met"] == "no"]
    judged = [row for row in rows if row.values["met"] in {"yes", "no"}]
    if not judged:
        raise GnomonError(f"{claim.item}: rows that are only shown judge nothing")
    first = (missed or judged)[0].values
    what = first.get("measured") or first.get("quantity", "")
    found = first.get("value") or first.get("found", "")
    held = f"{len(judged) - len(missed)} of {len(judged)} met; {what}: {found}, {first['limit']}"
    return _verdict(not missed), held


def _numbers(rows: Sequence[CsvRow], column: str) -> list[float]:
    return [float(row.values[column]) for row in rows if row.values[column]]


def _by_nearness(claim: Claim, rows: Sequence[CsvRow]) -> tuple[str, str]:
    known = [row.values for row in rows if row.values[claim.value]]
    ratios = np.array([
        float(row[claim.value]) / (float(row[claim.over]) if claim.over else 1.0) for row in known
    ])  # fmt: skip
    if claim.orders:
        off, form, unit = np.abs(np.log10(ratios)), ".1f", " orders"
    else:
        off, form, unit = np.abs(ratios - 1), ".1%", ""
    median, worst, best = (f"{float(of(off)):{form}}{unit}" for of in (np.median, np.max, np.min))
    if claim.any_row:
        told = f"error: {best} in the nearest of {len(off)} interpretations"
    elif len(off) == 1:
        told = f"error: {worst}, one value"
    else:
        told = f"error: median {median}, worst {worst}, {len(off)} values"
    judged = off.min() if claim.any_row else np.median(off)
    return _verdict(bool(judged <= claim.limit)), told


def _by_limits(claim: Claim, rows: Sequence[CsvRow]) -> tuple[str, str]:
    def end(row: CsvRow, limit: float | str | None, none: float) -> float:
        if limit is None:
            return none
        return float(row.values[limit]) if isinstance(limit, str) else limit

    values = [float(row.values[claim.value]) for row in rows]
    inside = [
        end(row, claim.least, -np.inf) - claim.slack
        <= value
        <= end(row, claim.most, np.inf) + claim.slack
        for row, value in zip(rows, values, strict=True)
    ]
    limits = " and ".join(
        f"{word} {f'`{limit}`' if isinstance(limit, str) else format(limit, 'g')}"
        for word, limit in (("at least", claim.least), ("at most", claim.most))
        if limit is not None
    )
    ends = " to ".join(dict.fromkeys(f"{each:.4g}" for each in (min(values), max(values))))
    told = f"{claim.value.replace('_', ' ')} {ends}, {sum(inside)} of {len(inside)} {limits}"
    return _verdict(all(inside)), told


def claims_report(progress: Steps) -> StudyReport:
    """Judge every statement of ``claims.yaml``."""
    folder = Path(__file__).parent
    papers = check_table(read_yaml_table(folder / "claims.yaml"), _Claims).papers
    rows = []
    for paper in progress.over(papers, lambda each: each.title):
        for claim in paper.claims:
            verdict, evidence, source = judge(claim)
            rows.append((paper.title, claim.item, claim.states, verdict, evidence, claim.catches,
                         source))  # fmt: skip
    table = frame(_COLUMNS, rows)
    power = frame(POWER, criteria_power())
    reach = power["factor"].where(power["factor"] >= 1, 1 / power["factor"])
    facts = {
        "criteria": power.drop(columns="factor"),
        "loose": (power["study"] + " " + power["criterion"])[reach > LOOSE].to_list(),
        "loose_limit": LOOSE,
        "papers": [(paper.title, table[table["paper"] == paper.title]) for paper in papers],
        "counts": _counts([row[3] for row in rows]),
    }
    answer = {"claims": table.to_dict("records")}
    return StudyReport(folder, "claims", facts, {}, answer=answer)


def _counts(verdicts: Sequence[str]) -> Mapping[str, int]:
    found = Counter(verdicts)
    return {verdict: found[verdict] for verdict in VERDICTS}


main = study_command(claims_report, title="judging claims")
