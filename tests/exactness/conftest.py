"""Every exactness check runs on the compiled engine and on the oracle."""

from __future__ import annotations

import pytest

from tests.exactness._runner import Runner, run_on_engine, run_on_oracle


@pytest.fixture(params=["engine", "oracle"])
def runner(request: pytest.FixtureRequest) -> Runner:
    return run_on_engine if request.param == "engine" else run_on_oracle
