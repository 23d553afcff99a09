"""What five papers state: judged by rows that are there, and otherwise if the rows are others."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.base.errors import GnomonError
from gnomon.content.reports.claims.study import (
    CONTRADICTED,
    REPRODUCED,
    VERDICTS,
    Claim,
    Where,
    claims_report,
    judge,
)
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
    where = Where(file="ares/criteria.csv", keys={"criterion": "E1 counter"})
    assert judge(Claim(item="", states="", criteria=where))[0] == REPRODUCED
    opposite = Claim(item="", states="", criteria=where, contradicts=True)
    assert judge(opposite)[0] == CONTRADICTED
    with pytest.raises(GnomonError, match="no row with"):
        near(0.1, "no such reading")
