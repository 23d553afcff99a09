"""The experiment as a whole: sizes, steps, published numbers."""

from __future__ import annotations

import pytest

from gnomon.base.errors import GnomonError
from gnomon.learn import EXPERIMENT_SIZES, find_size, published


def test_sizes() -> None:
    full = find_size("full")
    assert {case.rounds for case in full.cases} == {100_000}
    assert {case.correction_period for case in full.cases} == {5_000}
    assert full.grid == (4, 8, 16, 32)
    for size in EXPERIMENT_SIZES.values():
        assert {case.name for case in size.cases} == {"linucb-disjoint", "linucb-hybrid"}
        for case in size.cases:
            assert case.rounds % case.log_every == 0
            assert case.correction_period % case.log_every == 0


def test_an_unknown_size() -> None:
    with pytest.raises(GnomonError) as error:
        find_size("ful")
    assert str(error.value) == (
        "there is no size 'ful' (allowed: small, full, did you mean 'full'?)"
    )


def test_published_numbers_have_a_place() -> None:
    stated = published()
    assert stated["drift_disjoint"].value == 1e-15
    assert stated["drift_hybrid"].value == 1e-4
    assert stated["correction_gain"].value == 2
    assert stated["inversion_of_a0"].value == 128**3
    assert stated["inversion_of_a"].value == 8**3
    for number in stated.values():
        assert number.where.startswith("section 3.")
        assert number.meaning
