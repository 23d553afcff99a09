"""The study of the float learners: what its sizes are, and the published numbers."""

from __future__ import annotations

from gnomon.content.reports.linucb.study import SIZES
from gnomon.content.reports.linucb.tables import published


def test_sizes() -> None:
    full = SIZES["full"]
    assert {case.rounds for case in full.cases} == {100_000}
    assert {case.correction_period for case in full.cases} == {5_000}
    for size in SIZES.values():
        assert {case.name for case in size.cases} == {"linucb-disjoint", "linucb-hybrid"}
        for case in size.cases:
            assert case.rounds % case.log_every == 0
            assert case.correction_period % case.log_every == 0


def test_published_numbers_have_a_place() -> None:
    stated = published()
    values = stated["value"].astype(float)
    assert values["drift_disjoint"] == 1e-15
    assert values["drift_hybrid"] == 1e-4
    assert values["correction_gain"] == 2
    assert values["inversion_of_a0"] == 128**3
    assert values["inversion_of_a"] == 8**3
    assert stated["where"].str.startswith("section 3.").all()
    assert stated["meaning"].astype(bool).all()
