"""Long commands killed at random times give the same bytes when run again: the group `kills`."""

from __future__ import annotations

import os
import shutil
from collections import Counter

import pytest

from tests.conftest import absent
from tests.kills.__main__ import COMMANDS, NEEDS, import_all, kills

COUNT = int(os.environ.get("GNOMON_KILLS_COUNT", "3"))
"""Kills of each command."""


@pytest.fixture(scope="module", autouse=True)
def imported() -> None:
    import_all()


@pytest.mark.heavy("kills")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_killed_command_gives_the_same_bytes(name: str) -> None:
    if name in NEEDS and shutil.which(NEEDS[name]) is None:
        absent(f"{NEEDS[name]}: not found, which {name} runs")
    ends: Counter[str] = sum(kills(name, COUNT, seed=1), Counter())
    assert ends["killed"] + ends["ended before"] == COUNT
    assert (ends["changed"], ends["left over"]) == (0, 0)
