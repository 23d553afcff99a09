"""Damaged inputs of every format end in one message and exit code 0, 1 or 2."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from tests.fuzz._attempt import CORPUS, attempt, make
from tests.fuzz._formats import FORMATS

if TYPE_CHECKING:
    from pathlib import Path

SHARE = 15  # the group `fuzz` tries more
EVERY_FORMAT = pytest.mark.parametrize("name", FORMATS)


@EVERY_FORMAT
def test_samples_are_good(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise no code after the first check would be reached."""
    monkeypatch.chdir(tmp_path)
    for data in FORMATS[name].samples()[:4]:
        packed = gzip.compress(data) if FORMATS[name].packed == "gzip" else data
        assert attempt(name, packed, tmp_path) == "ok"


@EVERY_FORMAT
def test_damaged_inputs_end_in_order(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ends = {seed: attempt(name, make(name, seed), tmp_path) for seed in range(SHARE)}
    assert not {seed: end for seed, end in ends.items() if end.startswith("bad")}
    assert "refused" in ends.values()


@pytest.mark.parametrize(
    "path", sorted(CORPUS.glob("*/*")), ids=lambda path: f"{path.parent.name}-{path.name}"
)
def test_what_once_went_wrong(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    end = attempt(path.parent.name, path.read_bytes(), tmp_path)
    assert not end.startswith("bad"), end
