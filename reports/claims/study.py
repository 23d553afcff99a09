"""``gnomon report claims``: statements of five papers, judged by the results of this repository.

``claims.yaml`` has the statements and the committed rows that judge them, never the verdicts.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from gnomon.base.errors import GnomonError
from gnomon.base.frames import frame
from gnomon.base.tables import Entry, check_table, read_yaml_table
from gnomon.cli.study import study_command
from gnomon.report.study import Steps, StudyReport

from .judging import (
    CONTRADICTED,
    NO_TEST,
    REPRODUCED,
    UNTESTABLE,
    VERDICTS,
    Comparison,
    Found,
    Tables,
    compare,
)
from .measured import measure, measured_rows
from .power import LOOSE, POWER, criteria_power

_COLUMNS = (
    "paper", "item", "reading", "primary", "states", "verdict", "evidence", "catches", "rows",
)  # fmt: skip


class Claim(Comparison):
    """One statement under one reading, and the way to judge it.

    ``all_of`` holds several comparisons that a statement needs. ``untestable`` and ``no_test``
    give the reason why no outcome judges the statement; the evidence then says what the runs show.
    """

    item: str
    states: str
    reading: str = ""  # interpretation of the item, where there are several
    primary: bool = True  # the one reading of an item that is counted
    fitted: bool = False  # the reading was chosen because published numbers fit it
    catches: str = ""  # detectable deviation
    all_of: list[Comparison] = Field(default=[])
    untestable: str = ""
    no_test: str = ""

    @property
    def label(self) -> str:
        mark = " \\*" if self.fitted else ""
        return (f"{self.item} ({self.reading})" if self.reading else self.item) + mark


class Paper(Entry):
    """One paper with its statements."""

    title: str
    claims: list[Claim]


class _Claims(Entry):
    schema_version: Literal[1] = Field(alias="schema")
    papers: list[Paper]


def judge(claim: Claim, made: Tables | None = None) -> tuple[str, str, str]:
    """Return the verdict, the evidence, its number of rows and their file.

    Raises:
        GnomonError: if no rows or no limit judge the statement and no reason says why.
    """
    found = [each for part in (claim, *claim.all_of) if (each := compare(part, made))]
    reason = claim.untestable or claim.no_test
    if not found and not reason:
        raise GnomonError(f"{claim.item}: names neither rows nor a reason why there are none")
    if not reason and any(each.within and each.least is None and each.most is None
                          for each in (claim, *claim.all_of)):  # fmt: skip
        raise GnomonError(f"{claim.item}: has no limit, so every value would meet it")
    joined = Found(
        all(each.holds for each in found),
        "; ".join(each.evidence for each in found),
        "; ".join(dict.fromkeys(each.source for each in found)),
    )
    if not reason:
        return REPRODUCED if joined.holds else CONTRADICTED, joined.evidence, joined.source
    shown = f"{reason}. Runs: {joined.evidence}" if found else reason
    return UNTESTABLE if claim.untestable else NO_TEST, shown, joined.source


def check_primary(papers: Sequence[Paper]) -> None:
    """Check that each item has one primary reading, which is the one counted.

    Raises:
        GnomonError: if an item has none or several.
    """
    for paper in papers:
        counts = Counter(claim.item for claim in paper.claims if claim.primary)
        for claim in paper.claims:
            if counts[claim.item] != 1:
                raise GnomonError(
                    f"{paper.title}: {claim.item}: must have one primary reading, not"
                    f" {counts[claim.item]}"
                )


def read_papers() -> list[Paper]:
    """Read ``claims.yaml``; each item has one primary reading."""
    papers = check_table(read_yaml_table(Path(__file__).parent / "claims.yaml"), _Claims).papers
    check_primary(papers)
    return papers


def claims_report(progress: Steps) -> StudyReport:
    """Judge every statement of ``claims.yaml``."""
    papers = read_papers()
    measured = measure()
    made = measured_rows(measured)
    rows: list[tuple[object, ...]] = []
    for paper in progress.over(papers, lambda each: each.title):
        for claim in paper.claims:
            verdict, evidence, source = judge(claim, made)
            rows.append((paper.title, claim.item, claim.reading, claim.primary, claim.states,
                         verdict, evidence, claim.catches, source))  # fmt: skip
    table = frame(_COLUMNS, rows)
    labels = [claim.label for paper in papers for claim in paper.claims]
    shown = table.assign(item=labels)
    fitted = [claim.fitted and claim.primary for paper in papers for claim in paper.claims]
    power = frame(POWER, criteria_power())
    reach = power["factor"].where(power["factor"] >= 1, 1 / power["factor"])
    facts = {
        "criteria": power.drop(columns="factor"),
        "loose": (power["study"] + " " + power["criterion"])[reach > LOOSE].to_list(),
        "loose_limit": LOOSE,
        "papers": [(paper.title, *_parts(shown[shown["paper"] == paper.title]))
                   for paper in papers],
        "counts": _counts([row[5] for row in rows if row[3]]),
        "fitted": _counts([row[5] for row, is_so in zip(rows, fitted, strict=True) if is_so]),
        "others": sum(not row[3] for row in rows),
    }  # fmt: skip
    answer = {"claims": table.to_dict("records")}
    return StudyReport(
        Path(__file__).parent, "claims", facts, {"measured": measured}, answer=answer
    )


def _parts(rows: Any) -> tuple[Any, Any]:
    """Return the primary readings, and the others with their outcome in other words."""
    primary = rows["primary"].astype(bool)
    others = rows[~primary]
    agrees = {REPRODUCED: "agrees", CONTRADICTED: "differs"}
    return rows[primary], others.assign(outcome=others["verdict"].map(agrees))


def _counts(verdicts: Sequence[object]) -> Mapping[str, int]:
    found = Counter(verdicts)
    return {verdict: found[verdict] for verdict in VERDICTS}


main = study_command(claims_report, title="judging claims")
