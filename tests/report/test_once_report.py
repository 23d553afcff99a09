"""The page of learners by hand and once."""

from __future__ import annotations

import pandas as pd

from gnomon.base.content import content
from gnomon.content.reports.once.measuring import SEEDS, measure_cost
from gnomon.content.reports.once.pairs import PAIRS, SCALAR, VECTOR
from gnomon.content.reports.once.study import run_once
from gnomon.report.study import Keeps


def test_the_page_is_that_of_its_tables() -> None:
    page = content("reports", "once", "once.md").read_text(encoding="utf-8")
    assert run_once("full", Keeps(fresh=False), pages=True).page() == page


def test_every_pair_was_measured_at_five_sizes_on_its_machines() -> None:
    costs = pd.read_csv(content("reports", "once", "costs.csv"))
    decisions = pd.read_csv(content("reports", "once", "decisions.csv"))
    for pair in PAIRS:
        of = costs[costs["learner"] == pair.title]
        machines = {machine for machine, own in of.groupby("machine") if len(own) == 10}
        assert machines >= set(pair.machines("full"))
    assert {*SCALAR["full"], *VECTOR["full"]} <= set(costs["machine"])
    assert len(decisions) == 3 * len(PAIRS)
    assert set(decisions["seeds"]) == {SEEDS["full"]}


def test_a_row_is_measured_again_as_it_stands() -> None:
    costs = pd.read_csv(content("reports", "once", "costs.csv"))
    of = costs[(costs["learner"] == "UCB1") & (costs["machine"] == "t13") & (costs["d"] == 4)]
    row = of[of["by"] == "once"].iloc[0]
    assert measure_cost("UCB1", "once", "t13", 4) == tuple(row)
