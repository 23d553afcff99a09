"""No two pages claim opposite orders of the same learners under conditions that overlap."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from gnomon.base.content import content_root
from gnomon.base.files import write_files
from gnomon.content.reports.learners.claims import of_drift
from gnomon.content.reports.learners.drift import HORIZONS, drift_counts
from gnomon.content.reports.learners.saving import correct_over_table
from gnomon.report.orders import ClaimedOrder, contradictions, read_claimed_orders

if TYPE_CHECKING:
    from pathlib import Path

CLAIMED = [
    order
    for path in sorted((content_root() / "reports").glob("*/*claimed.csv*"))
    for order in read_claimed_orders(path)
]
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


def test_windows_on_drift_are_compared_between_pages() -> None:
    """The pair that once had opposite orders on two pages."""
    pair = {"linucb-window", "linucb-disjoint"}
    assert any({each.better, each.worse} == pair and each.page == "learners" for each in CLAIMED)
    planted = ClaimedOrder("choose", "linucb-disjoint", "linucb-window", DRIFTING)
    assert contradictions([*CLAIMED, planted])


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
        {"horizon": horizon, "system": system, "windows": 0.5, "disjoint": 0.6, "p": p,
         "better": "windows" if p < 0.05 else ""}
        for horizon, whole in zip(HORIZONS, (0.3, 0.02, 0.001), strict=True)
        for system, p in (("101", 0.001), ("102", 0.5), ("all", whole))
    )  # fmt: skip
    counts = drift_counts(table)
    assert counts["windows better"].tolist() == [1, 1, 1]
    assert counts["no significant order"].tolist() == [1, 1, 1]
    assert [row["rounds"] for row in of_drift(table)] == list(HORIZONS[1:])
