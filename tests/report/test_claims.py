"""What five papers state: judged by rows that are there, and otherwise if the rows are others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gnomon.base.errors import GnomonError
from gnomon.base.tables import read_csv_table
from gnomon.content.reports.claims.judging import (
    CONTRADICTED,
    NO_TEST,
    REPRODUCED,
    UNTESTABLE,
    VERDICTS,
    Pairs,
    Where,
)
from gnomon.content.reports.claims.measured import measure
from gnomon.content.reports.claims.power import LOOSE, POWER, criteria_power
from gnomon.content.reports.claims.study import (
    Claim,
    Paper,
    check_primary,
    claims_report,
    judge,
    read_papers,
)
from gnomon.content.reports.paper.build_tables import nearest_builds, table_errors
from gnomon.content.reports.paper.results import Results
from gnomon.report.criteria import CriteriaChecker
from gnomon.report.study import Steps, StudyReport

COMMITTED = Path(__file__).parents[2] / "reports" / "claims" / "claims.md"
REPORTS = COMMITTED.parents[1]
PAPERS = read_papers()


@pytest.fixture(scope="module")
def report() -> StudyReport:
    return claims_report(Steps())


def test_the_page_is_what_the_committed_tables_say(report: StudyReport) -> None:
    assert report.page() == COMMITTED.read_text(), "gnomon report claims --out reports/claims"
    claims = report.answer["claims"]
    assert {claim["verdict"] for claim in claims} == set(VERDICTS)
    assert len({claim["paper"] for claim in claims}) == 5
    assert all(claim["evidence"] for claim in claims)


def test_the_measured_figures_are_the_committed_ones() -> None:
    text = (COMMITTED.parent / "measured.csv").read_text()
    assert measure().to_csv(index=False) == text, "gnomon report claims --out reports/claims"


def near(limit: float, reading: str, **settings: Any) -> str:
    keys: dict[str, str | list[str]] = {
        "table": "2", "platform": "t13", "metric": "cycles", "line": "paper", "reading": reading,
    }  # fmt: skip
    where = Where(file="paper/cells.csv", keys=keys)
    return judge(Claim(item="", states="", near=where, limit=limit, **settings))[0]


def test_a_verdict_follows_its_rows() -> None:
    assert near(0.14, "hart") == REPRODUCED
    assert near(0.13, "hart") == CONTRADICTED
    assert near(0.14, "wall") == CONTRADICTED
    assert near(0.14, "hart", every_row=True) == CONTRADICTED
    assert near(0.25, "hart", every_row=True) == REPRODUCED
    for name, verdict in (("E1", REPRODUCED), ("E1 counter", CONTRADICTED)):
        where = Where(file="ares/criteria.csv", keys={"criterion": name})
        assert judge(Claim(item="", states="", criteria=where))[0] == verdict
    with pytest.raises(GnomonError, match="no row with"):
        near(0.1, "no such reading")


def test_a_reason_takes_the_place_of_a_verdict_and_shows_the_runs() -> None:
    for reason, verdict in (("untestable", UNTESTABLE), ("no_test", NO_TEST)):
        where = Where(file="ares/criteria.csv", keys={"criterion": "E1 counter"})
        named = Claim(item="", states="", criteria=where, **{reason: "because"})
        found, evidence, source = judge(named)
        assert found == verdict
        assert evidence.startswith("because. Runs: 0 of 2 met")
        assert source.startswith("2 of ares/criteria.csv")
    with pytest.raises(GnomonError, match="names neither rows nor a reason"):
        judge(Claim(item="empty", states=""))
    shown = Where(file="claims/measured.csv", keys={"quantity": "condition_number"})
    with pytest.raises(GnomonError, match="has no limit"):
        judge(Claim(item="", states="", within=shown, value="value"))


def pairs(value: str, **limits: float) -> str:
    first, second = (
        Where(file="ek_ucb/ek-ucb-runs.csv",
              keys={"environment": "chessboard", "rounds": "2000", "learner": learner})
        for learner in ("EK-UCB", "K-UCB")
    )  # fmt: skip
    matched = Pairs(first=first, second=second, match=["lambda"])
    return judge(Claim(item="", states="", pairs=matched, value=value, **limits))[0]


def test_pairs_compare_rows_that_differ_in_one_thing() -> None:
    """Regret of EK-UCB over that of K-UCB: 50.2 / 48.0, 1, and 385.7 / 431.5."""
    assert pairs("regret", most=1.05) == REPRODUCED
    assert pairs("regret", most=1.04) == CONTRADICTED
    assert pairs("regret", least=0.9) == CONTRADICTED
    assert pairs("regret", limit=0.05) == REPRODUCED  # the median
    twice = Where(file="ek_ucb/ek-ucb-runs.csv", keys={"environment": "chessboard"})
    with pytest.raises(GnomonError, match="do not name one row each"):
        judge(Claim(item="", states="", value="regret",
                    pairs=Pairs(first=twice, second=twice, match=["lambda"])))  # fmt: skip


def test_readings_that_were_chosen_because_they_fit_are_marked(report: StudyReport) -> None:
    """Every row of the boards' cells and of d = 4; not those of the stated d = 8 or of Disjoint."""
    for claim in (each for each in PAPERS[0].claims):
        keys = claim.near.keys if claim.near else claim.pairs.first.keys if claim.pairs else {}
        if keys.get("platform") not in (None, "t13"):
            assert claim.fitted, claim.label
        hybrid = keys.get("table") == "3" or keys.get("algorithm") == "Hybrid"
        if hybrid and keys.get("platform", "t13") == "t13":
            assert claim.fitted == ("d = 8" not in claim.reading), claim.label
        if keys.get("algorithm") == "Disjoint":
            assert not claim.fitted, claim.label
        if claim.fitted:
            assert f"| {claim.label} |" in report.page()
            assert claim.label.endswith("\\*")


def test_each_loose_criterion_is_explained(report: StudyReport) -> None:
    """The page says of each what it is: bound, identity, check, growth, missed or order."""
    loose = set(report.facts["loose"])
    named = {
        "softucb": ("B2", "Lemma 1", "B4", "B10", "B13"),
        "ares": ("Recursions", "ARES-chol", "Theorem 2", "Theorem 3", "Theorem 4"),
        "bento_epsilon_greedy": ("4.2 p", "A7"),
    }
    assert loose == {f"{study} {name}" for study, names in named.items() for name in names}
    for paper in PAPERS:
        for each in paper.claims:
            if each.criteria and each.criteria.keys.get("criterion") == "B13":
                assert each.no_test, each.item


def test_each_item_has_one_primary_reading() -> None:
    check_primary(PAPERS)
    for others in ([True, True], [False, False]):
        claims = [Claim(item="Table 2", states="", primary=each) for each in others]
        with pytest.raises(GnomonError, match=r"Table 2: must have one primary reading, not [02]"):
            check_primary([Paper(title="P", claims=claims)])


def test_no_claim_of_a_loose_bound_is_a_reproduction() -> None:
    """Criteria that a factor of ten would not change judge nothing, unless they are identities."""
    named = [dict(zip(POWER, row, strict=True)) for row in criteria_power()]
    bounds = {
        (str(row["study"]), str(row["criterion"]))
        for row in named
        if float(str(row["factor"])) > LOOSE and row["limit from"] == "paper"
    }
    assert ("softucb", "B10") in bounds
    for paper in PAPERS:
        for each in paper.claims:
            if each.criteria and "criterion" in each.criteria.keys:
                key = (each.criteria.file.split("/")[0], str(each.criteria.keys["criterion"]))
                if key in bounds:
                    assert each.no_test or each.untestable, each.item


def test_the_reasons_hold() -> None:
    """Numbers in the reasons of claims.yaml, from the rows that they speak of."""
    for row in read_csv_table(REPORTS / "ek_ucb_figures" / "theory.csv"):
        assert float(row.values["bound_4_1"]) > int(row.values["rounds"]) + 1
    values = {row.values["criterion"]: float(row.values["value"])
              for row in read_csv_table(REPORTS / "ares" / "criteria.csv")}  # fmt: skip
    assert max(values["Theorem 2"], values["Theorem 4"]) < 1 / 1000
    assert 1 / 1000 < values["Theorem 3"] < 1 / 100
    regrets = [float(row.values["value"])
               for row in read_csv_table(REPORTS / "softucb" / "criteria.csv")
               if row.values["criterion"] == "B10"]  # fmt: skip
    assert max(regrets) < 1 / 20
    held = [row.values for row in read_csv_table(REPORTS / "ek_ucb" / "ek-ucb-runs.csv")
            if (row.values["environment"], row.values["rounds"]) == ("bump", "500")]  # fmt: skip
    nearest = nearest_builds(table_errors(Results(REPORTS)))
    assert nearest[2].words[1:] == ("gcc -O2", "unit")
    assert nearest[3].words[1:] == ("gcc -O1", "software")
    anchors = {row["learner"]: row["anchors"] for row in held if not row["settings"]}
    assert anchors["EK-UCB"] == anchors["K-UCB"] == "501"
    for row in read_csv_table(REPORTS / "ek_ucb_figures" / "budget.csv"):
        assert set(row.values["ek_ucb_anchors"].split(" / ")) == {"1001"}  # all states


@pytest.mark.parametrize(
    ("item", "verdict"),
    [
        ("Figure 2c, MovieLens", UNTESTABLE),
        ("Figure 2d, Jester", UNTESTABLE),
        ("Skewed contexts, p", UNTESTABLE),
        ("Skewed contexts, I", UNTESTABLE),
        ("Figure 4, windows", UNTESTABLE),
        ("Figure 3, ratios to the oracle", UNTESTABLE),
        ("Figure 8, sum", CONTRADICTED),
        ("Table 2, T13, energy", NO_TEST),
        ("Proposition 4.1", NO_TEST),
        ("Figures 3 to 5, compromise", UNTESTABLE),
        ("Figures 10 to 12, compromise", UNTESTABLE),
        ("Figure 2, K-UCB", REPRODUCED),
        ("Figure 1, order", REPRODUCED),
        ("Appendix F, lambda, time", NO_TEST),
        ("Figures 10 to 12, time", NO_TEST),
        ("Table 1, both widths", UNTESTABLE),
        ("Theorem 4.2", UNTESTABLE),
        ("Theorem 4.2, growth", REPRODUCED),
        ("Figure 3, UCB and random play", UNTESTABLE),
        ("Figure 5, order", NO_TEST),
        ("Figure 1, mu", NO_TEST),
        ("Figure 1, CBKB", NO_TEST),
        ("Figures 7 to 9, CBBKB", CONTRADICTED),
        ("Figures 10 to 12, regret", NO_TEST),
        ("Figure 2, shift", REPRODUCED),
        ("section 3.3.1", UNTESTABLE),
        ("section 3.2", REPRODUCED),
        ("Section 4.1, p", CONTRADICTED),
    ],
)
def test_verdicts_that_their_evidence_carries(report: StudyReport, item: str, verdict: str) -> None:
    """Rows that were judged although data or constants are missing, too kindly or too harshly."""
    of_run = next(
        each for each in report.answer["claims"] if each["item"] == item and each["primary"]
    )
    assert of_run["verdict"] == verdict, of_run["evidence"]


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
