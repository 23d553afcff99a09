"""Our divider RTL under cocotb: values, the cycle of every result, and the handshake."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gnomon.base.content import content
from gnomon.rtl.designs import DIVIDER_KINDS, divider_bench, vector_divider_bench
from gnomon.rtl.validate import check_dividers, read_records
from rtl_tests.benches.division import corners
from tests.rows import light_and_heavy

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.rtl import Tool

CORNER_DIVISIONS = 2 * len(corners(32)) ** 2
SEED = 20261122
# In `make test`, one kind of each engine; narrow words where the kind has rows or skips.
FEW = ("restoring_r4", "early_clz_r4", "klessydra_vl_hf")
FEW_NARROW = ("nonrestoring_r2", "combinational", "klessydra_vl_ls")


def check(kind: str, width: int, simulator: Tool, folder: Path, **arguments: int) -> int:
    told = {"kind": kind, "width": width, **arguments}
    outcome = divider_bench(kind, width).run(folder, seed=SEED, simulator=simulator, arguments=told)
    assert outcome["value_mismatches"] == outcome["cycle_mismatches"] == 0
    return outcome["compared"]


@pytest.mark.parametrize("kind", light_and_heavy("rtl", FEW, DIVIDER_KINDS, str))
def test_corner_and_random_operands(kind: str, simulator: Tool, tmp_path: Path) -> None:
    assert check(kind, 32, simulator, tmp_path, random=300) == CORNER_DIVISIONS + 300


@pytest.mark.parametrize("kind", light_and_heavy("rtl", FEW_NARROW, DIVIDER_KINDS, str))
def test_every_pair_of_narrow_operands(kind: str, simulator: Tool, tmp_path: Path) -> None:
    # An odd width: not a multiple of any number of bits per cycle.
    assert check(kind, 5, simulator, tmp_path, every=True) == 2 * 32 * 32


def recorded(what: str) -> dict[str, tuple[int, int]]:
    """What ``gnomon validate dividers --random 100000`` compared and found wrong, by quantity."""
    rows = read_records(content("reports", "validation", "rtl-dividers.csv"))
    found = {row.quantity: (row.compared, row.mismatches) for row in rows
             if row.quantity.startswith(f"{what}: ")}  # fmt: skip
    assert len(found) == 2
    assert {wrong for _, wrong in found.values()} == {0}
    return found


@pytest.mark.heavy("rtl")
@pytest.mark.parametrize("kind", DIVIDER_KINDS)
def test_the_record_is_made_again(kind: str, simulator: Tool) -> None:
    assert simulator.usable
    rows = check_dividers(random=100_000, seed=SEED, kinds=[kind])
    now = {row.quantity: (row.compared, row.mismatches) for row in rows}
    assert now == recorded(f"divider {kind}")


@pytest.mark.heavy("rtl")
@pytest.mark.parametrize("kind", DIVIDER_KINDS)
def test_every_pair_of_bytes(kind: str, simulator: Tool, tmp_path: Path) -> None:
    assert check(kind, 8, simulator, tmp_path, every=True) == 2 * 256 * 256


def check_vectors(
    kind: str, lanes: int, simulator: Tool, folder: Path, *, vectors: int, zero_as_riscv: int = 0
) -> tuple[int, int]:
    told = {"kind": kind, "lanes": lanes, "zero_as_riscv": zero_as_riscv, "vectors": vectors}
    bench = vector_divider_bench(kind, lanes, zero_as_riscv=zero_as_riscv)
    outcome = bench.run(folder, seed=SEED, simulator=simulator, arguments=told)
    assert outcome["value_mismatches"] == outcome["cycle_mismatches"] == 0
    return outcome["elements"], outcome["compared"]


@pytest.mark.parametrize("lanes", light_and_heavy("rtl", ("2", "8"), [1, 2, 4, 8], str))
def test_the_slowest_lane_gates_a_step(lanes: int, simulator: Tool, tmp_path: Path) -> None:
    # By zero the public unit gives 0; a machine may have it as RISC-V does.
    check = {"vectors": 150, "zero_as_riscv": int(lanes == 2)}
    elements, _ = check_vectors("klessydra_vl_std", lanes, simulator, tmp_path, **check)
    assert elements > 150 * lanes


@pytest.mark.parametrize("kind", ["early_clz_r4", "combinational"])
def test_lanes_of_other_kinds(kind: str, simulator: Tool, tmp_path: Path) -> None:
    elements, _ = check_vectors(kind, 4, simulator, tmp_path, vectors=100)
    assert elements > 400


@pytest.mark.heavy("rtl")
@pytest.mark.parametrize("lanes", [1, 2, 4, 8])
def test_the_record_of_vectors_is_made_again(lanes: int, simulator: Tool, tmp_path: Path) -> None:
    vectors = 50_000 // lanes
    elements, compared = check_vectors(
        "klessydra_vl_std", lanes, simulator, tmp_path, vectors=vectors
    )
    what = f"vector division, {lanes} x klessydra_vl_std"
    assert recorded(what) == {
        f"{what}: elements": (elements, 0), f"{what}: busy cycles": (compared, 0),
    }  # fmt: skip
