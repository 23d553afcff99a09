"""No page claims a front that another page of ours contradicts and does not name."""

from __future__ import annotations

import pandas as pd

from gnomon.base.content import content_root
from gnomon.content.reports.learners.page import elsewhere

REPORTS = content_root() / "reports"
POINTS = pd.read_csv(REPORTS / "learners" / "comparison_points.csv.xz")
OF_ARES = pd.read_csv(REPORTS / "ares" / "regret.csv")
PAGE = (REPORTS / "learners" / "comparison.md").read_text(encoding="utf-8")


def unnamed(points: pd.DataFrame, measured: pd.DataFrame, page: str) -> list[str]:
    """What dominates a point of the drifting front in another table, and is not on the page."""
    front = points[(points["problem"] == "drifting") & (points["front"] == "yes")]
    if "ares" not in set(front["learner"]):
        return []
    said = page[page.index("## What is not compared") :]
    return [each for each in elsewhere(measured)["said"] if each not in said]


def test_a_policy_that_dominates_a_front_is_named() -> None:
    assert not elsewhere(OF_ARES).empty  # there is something to name
    assert unnamed(POINTS, OF_ARES, PAGE) == []


def test_a_page_that_leaves_one_out_is_refused() -> None:
    claims = POINTS.assign(front="yes")  # ARES-P among them
    better = OF_ARES[(OF_ARES["system"] == 17) & (OF_ARES["policy"] == "ares-p")]
    planted = better.assign(policy="planted", ratio=0.9 * better["ratio"])
    measured = pd.concat((OF_ARES, planted))
    assert [each.split()[0] for each in unnamed(claims, measured, PAGE)] == ["planted"]
    assert unnamed(claims[claims["learner"] != "ares"], measured, PAGE) == []
