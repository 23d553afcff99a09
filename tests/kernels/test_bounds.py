"""The tables of the note on kernel bounds are what the machine gives; no kernel beats its bound."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from gnomon.arch import load_architecture
from gnomon.base.content import found
from gnomon.base.errors import GnomonError
from gnomon.measure.kernels import KernelBench, cycle_bound, find_kernel
from tests.rows import light_and_heavy

pytestmark = pytest.mark.usefixtures("sources_stay")

PAGE = (Path(__file__).parents[2] / "docs" / "notes" / "kernel-bounds.md").read_text()
BOUNDS = re.findall(
    r"^\| ([a-z-]+) \| (\d) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d\.\d\d) \| (\d\.\d\d) \|$",
    PAGE,
    re.MULTILINE,
)
CYCLES = re.findall(
    r"^\| (?!kernel)([a-z-]+) \| ([a-z-]+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$",
    PAGE,
    re.MULTILINE,
)
HARTS = re.findall(
    r"^\| multiply \| vector-harts \| (\d) \| (\d+) \| (\d+) \| (\d\.\d\d) \|$", PAGE, re.MULTILINE
)


def _four_lanes_first(rows: list[tuple[str, ...]], column: int) -> list[Any]:
    """Rows of the page; those of other widths are for the heavy group."""
    ordered = sorted(rows, key=lambda row: row[column] != "4")
    wrapped = [(row,) for row in ordered]  # a row of the page is one value
    return light_and_heavy("studies", lambda row: row[column] == "4", wrapped, "-".join)


# At four lanes, with one hart; for multiply that takes three, see test_three_harts.
AT_LEAST_80_PERCENT = {"add", "scale", "outer", "matvec", "multiply-transposed"}


@cache
def wall_cycles(kernel_name: str, variant: str, arch: str, n: int) -> int:
    kernel = find_kernel(kernel_name)
    architecture = load_architecture(arch)
    return (
        KernelBench(kernel, kernel.variant(variant), architecture)
        .measure(kernel.square(n))
        .wall_cycles
    )


def test_the_page_has_all_kernels() -> None:
    variants = [(k.name, v.name) for k in map(find_kernel, found("kernels")) for v in k.variants]
    assert sorted(row[:2] for row in CYCLES) == sorted(variants)
    assert len(BOUNDS) == 6 * 4


@pytest.mark.parametrize("row", _four_lanes_first(BOUNDS, 1))
def test_bound(row: tuple[str, ...]) -> None:
    name, simd, *numbers, of_bound, of_one_hart = row
    bound = cycle_bound(find_kernel(name), find_kernel(name).square(32), int(simd))
    wall = wall_cycles(name, "vector", f"t13-simd{simd}", 32)
    parts = (bound.vector_cycles, bound.issue_cycles, bound.transfer_cycles, wall)
    assert tuple(map(int, numbers)) == parts
    assert f"{bound.cycles / wall:.2f}" == of_bound
    assert f"{bound.one_hart_cycles / wall:.2f}" == of_one_hart
    assert bound.cycles <= bound.one_hart_cycles <= wall
    if name in AT_LEAST_80_PERCENT and simd == "4":
        assert bound.cycles >= 0.8 * wall


def test_the_page_has_all_lanes() -> None:
    assert [row[0] for row in HARTS] == ["1", "2", "4", "8"]


@pytest.mark.parametrize("row", _four_lanes_first(HARTS, 0))
def test_three_harts(row: tuple[str, ...]) -> None:
    simd, bound_cycles, wall_shown, of_bound = row
    bound = cycle_bound(find_kernel("multiply"), (32, 32, 32), int(simd)).cycles
    wall = wall_cycles("multiply", "vector-harts", f"t13-simd{simd}", 32)
    assert (int(bound_cycles), int(wall_shown)) == (bound, wall)
    assert f"{bound / wall:.2f}" == of_bound
    assert bound <= wall < wall_cycles("multiply", "vector", f"t13-simd{simd}", 32)
    if simd == "4":
        assert 10 * bound >= 8 * wall


def check_cycles(rows: list[tuple[str, ...]], smallest: int, largest: int) -> None:
    """Compare the cycles of the page that a run takes less than a second for."""
    for name, variant, *cycles in rows:
        for n, expected in zip((4, 8, 16, 32), map(int, cycles), strict=True):
            if expected < 100_000 and smallest <= n <= largest:
                measured = wall_cycles(name, variant, "t13-simd4", n)
                assert measured == expected, (name, variant, n)


def test_cycles() -> None:
    """Of the product; `test_cycles_of_all` has all rows and sizes."""
    product = [row for row in CYCLES if row[0] == "multiply"]
    assert product
    check_cycles(product, 8, 8)


@pytest.mark.heavy("studies")
def test_cycles_of_all() -> None:
    check_cycles(CYCLES, 4, 32)


def test_no_bound() -> None:
    with pytest.raises(GnomonError) as caught:
        cycle_bound(find_kernel("lu"), (4,), 4)
    assert str(caught.value) == "no bound is derived for kernel lu"
