"""No two pages claim opposite orders of the same learners under conditions that overlap."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from gnomon.base.content import content_root
from gnomon.base.files import write_files
from gnomon.content.reports.learners.claims import of_drift
from gnomon.content.reports.learners.drift import PAIRS, drift_orders, p_of
from gnomon.content.reports.learners.horizons import HORIZONS
from gnomon.content.reports.learners.paired import correct_over_table
from gnomon.content.reports.learners.results import committed, tables_of
from gnomon.content.reports.learners.study import SIZES
from gnomon.report.orders import ClaimedOrder, contradictions, read_claimed_orders

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CLAIMED = [
    order
    for path in sorted((content_root() / "reports").glob("*/*claimed.csv*"))
    for order in read_claimed_orders(path)
]
LEARNERS = {path.parent.name.replace("_", "-")
            for path in (content_root() / "algorithms").glob("*/algorithm.yaml")}  # fmt: skip
DRIFTING = {"contexts": "state", "d": "3", "arms": "3", "rounds": "1000"}


def test_no_page_contradicts_another() -> None:
    assert {"choose", "learners"} <= {each.page for each in CLAIMED}
    assert contradictions(CLAIMED) == []


@pytest.mark.parametrize("at", range(0, len(CLAIMED), max(1, len(CLAIMED) // 40)))
def test_a_planted_contradiction_to_any_claim_is_found(at: int) -> None:
    own = CLAIMED[at]
    planted = replace(own, page="planted", better=own.worse, worse=own.better)
    found = contradictions([*CLAIMED, planted])
    assert (own, planted) in found
    assert all(planted in pair for pair in found)


TOPICS: dict[str, Callable[[ClaimedOrder], bool]] = {
    "drift": lambda each: each.where["contexts"] == "state" and not each.where["system"],
    "thrifty": lambda each: "linucb-thrifty" in (each.better, each.worse),
    "windows": lambda each: "linucb-window" in (each.better, each.worse),
    "hybrid": lambda each: "linucb-hybrid" in (each.better, each.worse),
}


@pytest.mark.parametrize("topic", TOPICS)
def test_another_page_cannot_state_the_opposite(topic: str, tmp_path: Path) -> None:
    """Each plant is a file of a page, with names of learners and conditions as other pages have."""
    claimed = [each for each in CLAIMED if each.page == "learners" and TOPICS[topic](each)]
    assert claimed
    folder = tmp_path / "planted"
    folder.mkdir()
    for own in claimed:
        where = {**own.where, "noise": "0.1", "rate": "0", "cost": ""}
        row = {"better": own.worse, "worse": own.better, **where}
        text = "\n".join((",".join(row), ",".join(row.values()), ""))
        write_files(folder, {"claimed.csv": text})
        (planted,) = read_claimed_orders(folder / "claimed.csv")
        assert planted.better in LEARNERS
        assert planted.worse in LEARNERS
        assert (own, planted) in contradictions([*CLAIMED, planted])


def test_the_claims_are_those_of_the_committed_tables() -> None:
    table = tables_of(committed(SIZES["full"], 500_000))["claimed"].astype(str)
    path = content_root() / "reports" / "learners" / "comparison_claimed.csv"
    written = pd.read_csv(path, dtype=str, keep_default_na=False)
    pd.testing.assert_frame_equal(table.reset_index(drop=True), written)


@pytest.mark.parametrize(
    ("changes", "overlap"),
    [
        ({}, True),
        ({"rounds": "500..2000"}, True),
        ({"rounds": "2000..5000"}, False),
        ({"contexts": "uniform | state"}, True),
        ({"contexts": "uniform"}, False),
        ({"system": "17"}, True),
        ({"rounds": ""}, True),
    ],
)
def test_conditions_overlap(changes: dict[str, str], overlap: bool) -> None:
    one = ClaimedOrder("one", "a", "b", DRIFTING)
    other = ClaimedOrder("other", "b", "a", {**DRIFTING, **changes})
    assert bool(contradictions([one, other])) == overlap
    assert bool(contradictions([other, one])) == overlap
    assert contradictions([one, replace(other, exception="one")]) == []


def test_claims_are_read_with_page_and_conditions(tmp_path: Path) -> None:
    folder = tmp_path / "some_page"
    folder.mkdir()
    write_files(folder, {"claimed.csv": "better,worse,exception,d,basis\na,b,,2..4,x\n"})
    (found,) = read_claimed_orders(folder / "claimed.csv")
    assert found == ClaimedOrder("some_page", "a", "b", {"d": "2..4"}, "")


def test_savings_are_corrected_over_their_table() -> None:
    """Twelve tests of noise claim nothing; a difference that stands out is claimed."""
    import numpy as np

    rng = np.random.default_rng(4)
    rows = [{"difference": float(each.mean()), "differences": each}
            for each in rng.normal(0.0, 1.0, (11, 100))]  # fmt: skip
    clear = rng.normal(-1.0, 1.0, 100)
    found = correct_over_table([*rows, {"difference": float(clear.mean()), "differences": clear}])
    assert found["less"].tolist() == [False] * 11 + [True]
    assert not found["more"].any()


def test_drift_claims_are_of_the_mean_of_all_systems() -> None:
    table = pd.DataFrame(
        {"horizon": horizon, "system": system, "windows": 0.5, "disjoint": 0.6, "hybrid": 0.4,
         **dict.fromkeys((p_of(*pair) for pair in PAIRS), 0.5), p_of(*PAIRS[0]): p}
        for horizon, whole in zip(HORIZONS, (0.3, 0.02, 0.001), strict=True)
        for system, p in (("101", 0.001), ("102", 0.5), ("all", whole))
    )  # fmt: skip
    orders = drift_orders(table)
    first = orders[(orders["one"] == PAIRS[0][0]) & (orders["other"] == PAIRS[0][1])]
    assert first["one_better"].tolist() == [1, 1, 1]
    assert first["unordered"].tolist() == [1, 1, 1]
    assert first["better"].tolist() == ["", "windows", "windows"]
    assert [row["rounds"] for row in of_drift(table)] == list(HORIZONS[1:])
    assert {row["better"] for row in of_drift(table)} == {"linucb-window"}
