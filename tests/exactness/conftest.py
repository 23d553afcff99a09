"""Exactness checks run on the engine; on the oracle in the heavy group of this name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.exactness._runner import run_on_both_tiers, run_on_engine, run_on_oracle
from tests.rows import light_and_heavy

if TYPE_CHECKING:
    from tests.exactness._runner import Runner

_ORACLE = pytest.param(run_on_oracle, id="oracle")
_BOTH = light_and_heavy("oracle", 1, [pytest.param(run_on_both_tiers, id="engine"), _ORACLE])
_MANY = light_and_heavy("oracle", 1, [
    pytest.param(run_on_engine, id="engine"), pytest.param(run_on_both_tiers, id="tiers"), _ORACLE
])  # fmt: skip


@pytest.fixture(params=_BOTH)
def runner(request: pytest.FixtureRequest) -> Runner:
    """Run a program on both tiers of the engine, or on the oracle."""
    found: Runner = request.param
    return found


@pytest.fixture(params=_MANY)
def runner_of_many(request: pytest.FixtureRequest) -> Runner:
    """Run one of many programs: in every run of the suite, without translating each of them."""
    found: Runner = request.param
    return found
