"""Deployments whose energies are of different kinds are not ranked."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from gnomon.base.errors import GnomonError
from gnomon.deploy._search import _check_one_energy as check_deployments


def test_deployments_are_not_ranked_over_kinds() -> None:
    def candidate(name: str, energy: str) -> SimpleNamespace:
        return SimpleNamespace(
            name=name, result=SimpleNamespace(costs=SimpleNamespace(energy=energy))
        )

    fpga, gates = candidate("a", "FPGA-calibrated, K7"), candidate("b", "gate-level, osu018")
    check_deployments([fpga, fpga])  # type: ignore[list-item]
    check_deployments([])
    with pytest.raises(GnomonError, match=r"never ranked.*FPGA.* \(a\); gate-level, osu018 \(b\)"):
        check_deployments([fpga, gates])  # type: ignore[list-item]
