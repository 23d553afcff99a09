"""The second tiers of the runs of a test, for their figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.sim._hot import SecondTier

if TYPE_CHECKING:
    import pytest

    from gnomon.sim._effort import Effort
    from gnomon.sim._machine import Machine


def note_tiers(monkeypatch: pytest.MonkeyPatch) -> list[SecondTier]:
    """Return the list to which each later run adds its second tier."""
    made: list[SecondTier] = []

    class Noted(SecondTier):
        def __init__(self, machine: Machine, effort: Effort | None) -> None:
            super().__init__(machine, effort)
            made.append(self)

    monkeypatch.setattr("gnomon.sim._simulate.SecondTier", Noted)
    return made
