"""Every exactness check runs on the engine, on it with translated blocks, and on the oracle."""

from __future__ import annotations

import pytest

from tests.exactness._runner import Runner, run_on_engine, run_on_oracle


@pytest.fixture(params=["engine", "blocks", "oracle"])
def runner(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Runner:
    if request.param == "blocks":
        monkeypatch.setenv("GNOMON_BLOCKS", "force")
    return run_on_oracle if request.param == "oracle" else run_on_engine
