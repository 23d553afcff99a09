"""Exactness checks run on the engine; on the oracle in the heavy group of this name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.exactness._runner import run_on_both_tiers, run_on_engine, run_on_oracle

if TYPE_CHECKING:
    from tests.exactness._runner import Runner

_ORACLE = pytest.param(run_on_oracle, id="oracle", marks=pytest.mark.heavy("oracle"))
_MANY = pytest.param(run_on_both_tiers, id="tiers", marks=pytest.mark.heavy("oracle"))


@pytest.fixture(params=[pytest.param(run_on_both_tiers, id="engine"), _ORACLE])
def runner(request: pytest.FixtureRequest) -> Runner:
    """Run a program on both tiers of the engine, or on the oracle."""
    found: Runner = request.param
    return found


@pytest.fixture(params=[pytest.param(run_on_engine, id="engine"), _MANY, _ORACLE])
def runner_of_many(request: pytest.FixtureRequest) -> Runner:
    """Run one of many programs: in every run of the suite, without translating each of them."""
    found: Runner = request.param
    return found
