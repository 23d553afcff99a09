"""What five papers state: judged by rows that are there, and otherwise if the rows are others."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.base.errors import GnomonError
from gnomon.content.reports.claims.power import POWER, criteria_power
from gnomon.content.reports.claims.study import (
    CONTRADICTED,
    REPRODUCED,
    VERDICTS,
    Claim,
    Where,
    claims_report,
    judge,
)
from gnomon.report.criteria import CriteriaChecker
from gnomon.report.study import Steps

COMMITTED = Path(__file__).parents[2] / "reports" / "claims" / "claims.md"


def test_the_page_is_what_the_committed_tables_say() -> None:
    report = claims_report(Steps())
    assert report.page() == COMMITTED.read_text(), "gnomon report claims --out reports/claims"
    claims = report.answer["claims"]
    assert {claim["verdict"] for claim in claims} == set(VERDICTS)
    assert len({claim["paper"] for claim in claims}) == 5
    assert all(claim["evidence"] for claim in claims)


def test_a_verdict_follows_its_rows() -> None:
    def near(limit: float, reading: str) -> str:
        keys: dict[str, str | list[str]] = {
            "table": "2", "platform": "t13", "metric": "cycles", "line": "paper",
            "reading": reading,
        }  # fmt: skip
        where = Where(file="paper/cells.csv", keys=keys)
        return judge(Claim(item="", states="", near=where, limit=limit))[0]

    assert near(0.14, "hart") == REPRODUCED
    assert near(0.13, "hart") == CONTRADICTED
    assert near(0.14, "wall") == CONTRADICTED
    for name, verdict in (("E1", REPRODUCED), ("E1 counter", CONTRADICTED)):
        where = Where(file="ares/criteria.csv", keys={"criterion": name})
        assert judge(Claim(item="", states="", criteria=where))[0] == verdict
    with pytest.raises(GnomonError, match="no row with"):
        near(0.1, "no such reading")


def test_a_criterion_catches_what_it_says_it_does() -> None:
    power = [dict(zip(POWER, row, strict=True)) for row in criteria_power()]
    assert all(row["catches"] for row in power)
    (row,) = (row for row in power if row["criterion"] == "B13")
    judge_ = CriteriaChecker(COMMITTED.parents[1] / "softucb" / "criteria.yaml")
    rows = Where(file="softucb/criteria.csv", keys={"criterion": "B13"}).rows()
    found = float(rows[0].values["value"])
    for beyond, met in ((0.999, True), (1.001, False)):
        value = found * float(str(row["factor"])) * beyond
        assert judge_.number("B13", value, setup="").met == met
