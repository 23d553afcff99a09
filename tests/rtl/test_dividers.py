"""Our divider RTL under cocotb: values, the cycle of every result, and the handshake."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.rtl import DIVIDER_KINDS, Tool, divider_bench, run_bench
from rtl_tests.benches.operands import corners

if TYPE_CHECKING:
    from pathlib import Path

CORNER_DIVISIONS = 2 * len(corners(32)) ** 2


def check(kind: str, width: int, simulator: Tool, folder: Path, **arguments: int) -> int:
    told = {"kind": kind, "width": width, **arguments}
    outcome = run_bench(
        divider_bench(kind, width), folder, seed=20261122, simulator=simulator, arguments=told
    )
    assert outcome["value_mismatches"] == outcome["cycle_mismatches"] == 0
    return outcome["compared"]


@pytest.mark.parametrize("kind", DIVIDER_KINDS)
def test_corner_and_random_operands(kind: str, simulator: Tool, tmp_path: Path) -> None:
    assert check(kind, 32, simulator, tmp_path, random=1000) == CORNER_DIVISIONS + 1000


@pytest.mark.parametrize("kind", DIVIDER_KINDS)
def test_every_pair_of_narrow_operands(kind: str, simulator: Tool, tmp_path: Path) -> None:
    # An odd width: not a multiple of any number of bits per cycle.
    assert check(kind, 5, simulator, tmp_path, every=True) == 2 * 32 * 32


@pytest.mark.nightly
@pytest.mark.parametrize("kind", DIVIDER_KINDS)
def test_many_operands(kind: str, simulator: Tool, tmp_path: Path) -> None:
    assert check(kind, 32, simulator, tmp_path / "32", random=100_000) == CORNER_DIVISIONS + 100_000
    assert check(kind, 8, simulator, tmp_path / "8", every=True) == 2 * 256 * 256
