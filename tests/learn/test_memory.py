"""Memory of the NumPy learners."""

from __future__ import annotations

import tracemalloc

import pytest

from gnomon.learn import Sizes, find_learner, measure_memory
from gnomon.learn._costs import _peak


def test_a_known_allocation() -> None:
    assert 100_000 <= _peak(lambda: bytearray(100_000)) < 102_000
    assert not tracemalloc.is_tracing()


@pytest.mark.parametrize("name", ["linucb-disjoint", "linucb-hybrid"])
def test_peaks(name: str) -> None:
    """The standard select holds an inverse of every matrix; the optimized one does not."""
    sizes = Sizes(8, 16, 4 if name == "linucb-hybrid" else 0)
    standard, optimized = (
        measure_memory(find_learner(name, variant).from_sizes(sizes))
        for variant in ("standard", "optimized")
    )
    assert standard.state_size_bytes == optimized.state_size_bytes
    k = sizes.features * 16
    inverses = 8 * (8 * 16 * 16 + k * k)
    saved = standard.select_peak_bytes - optimized.select_peak_bytes
    # NumPy 2.5 holds half as much again for a moment.
    assert 0.5 * inverses < saved < 2 * inverses


def test_measuring_twice_gives_nearly_the_same() -> None:
    learner = find_learner("linucb-disjoint", "optimized").from_sizes(Sizes(4, 8))
    one, two = (measure_memory(learner) for _ in range(2))
    assert abs(one.select_peak_bytes - two.select_peak_bytes) < 512
    assert abs(one.update_peak_bytes - two.update_peak_bytes) < 512
