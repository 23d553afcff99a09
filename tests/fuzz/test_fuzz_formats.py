"""Many damaged inputs of each format, in watched processes: the heavy group `fuzz`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.fuzz.__main__ import batch
from tests.fuzz._formats import FORMATS

if TYPE_CHECKING:
    from pathlib import Path

COUNT = int(os.environ.get("GNOMON_FUZZ_COUNT", "300"))
"""Inputs of each format; `python -m tests.fuzz` records those of more."""

FIRST = 1_000_000  # the seed of the first one: not those that are recorded
HANG_S = 20.0


@pytest.mark.heavy("fuzz")
@pytest.mark.parametrize("name", FORMATS)
def test_damaged_inputs_end_in_order(name: str, tmp_path: Path) -> None:
    # Some start a process each, and some build a program.
    count = max(1, COUNT // (10 if name in ("fst", "learner-py", "c-source") else 1))
    ends = batch(name, FIRST, count, tmp_path, HANG_S)
    bad = {end: times for end, times in ends.items() if end not in ("ok", "no", "refused")}
    assert not bad
    assert sum(ends.values()) == count
