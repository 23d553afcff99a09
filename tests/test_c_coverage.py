"""Counters of lines of C: they are cleared alone, and a floor or the option must be given."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from tests.c_coverage import main

if TYPE_CHECKING:
    from pathlib import Path


def test_counters_alone_are_cleared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GNOMON_CACHE", str(tmp_path))
    folder = tmp_path / "native" / "coverage-1"
    folder.mkdir(parents=True)
    for name in ("a.gcda", "a.gcno", "a.so"):
        (folder / name).touch()
    monkeypatch.setattr(sys, "argv", ["c_coverage", "--clear"])
    main()
    assert sorted(path.name for path in folder.iterdir()) == ["a.gcno", "a.so"]
    monkeypatch.setattr(sys, "argv", ["c_coverage", "95"])
    with pytest.raises(SystemExit, match="nothing ran with GNOMON_NATIVE=coverage"):
        main()


@pytest.mark.parametrize("words", [[], ["95", "--clear"]])
def test_a_floor_or_the_option_is_given(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["c_coverage", *words])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 2
