"""Our divider RTL under cocotb: values, the cycle of every result, and the handshake."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.rtl._designs import DIVIDER_KINDS, divider_bench, vector_divider_bench
from rtl_tests.benches.division import corners

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.rtl import Tool

CORNER_DIVISIONS = 2 * len(corners(32)) ** 2


def check(kind: str, width: int, simulator: Tool, folder: Path, **arguments: int) -> int:
    told = {"kind": kind, "width": width, **arguments}
    outcome = divider_bench(kind, width).run(
        folder, seed=20261122, simulator=simulator, arguments=told
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


@pytest.mark.heavy("rtl")
@pytest.mark.parametrize("kind", DIVIDER_KINDS)
def test_many_operands(kind: str, simulator: Tool, tmp_path: Path) -> None:
    assert check(kind, 32, simulator, tmp_path / "32", random=100_000) == CORNER_DIVISIONS + 100_000
    assert check(kind, 8, simulator, tmp_path / "8", every=True) == 2 * 256 * 256


def check_vectors(
    kind: str, lanes: int, simulator: Tool, folder: Path, *, vectors: int, zero_as_riscv: int = 0
) -> int:
    told = {"kind": kind, "lanes": lanes, "zero_as_riscv": zero_as_riscv, "vectors": vectors}
    bench = vector_divider_bench(kind, lanes, zero_as_riscv=zero_as_riscv)
    outcome = bench.run(folder, seed=20261122, simulator=simulator, arguments=told)
    assert outcome["value_mismatches"] == outcome["cycle_mismatches"] == 0
    return outcome["elements"]


@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_the_slowest_lane_gates_a_step(lanes: int, simulator: Tool, tmp_path: Path) -> None:
    # By zero the public unit gives 0; a machine may have it as RISC-V does.
    check = {"vectors": 150, "zero_as_riscv": int(lanes == 2)}
    assert check_vectors("klessydra_vl_std", lanes, simulator, tmp_path, **check) > 150 * lanes


@pytest.mark.parametrize("kind", ["early_clz_r4", "combinational"])
def test_lanes_of_other_kinds(kind: str, simulator: Tool, tmp_path: Path) -> None:
    assert check_vectors(kind, 4, simulator, tmp_path, vectors=100) > 400


@pytest.mark.heavy("rtl")
@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_many_vectors(lanes: int, simulator: Tool, tmp_path: Path) -> None:
    vectors = 40_000 // lanes
    elements = check_vectors("klessydra_vl_std", lanes, simulator, tmp_path, vectors=vectors)
    assert elements > 75_000
