"""The stated model of wires and of the clock tree: how it goes by size, and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest

from gnomon.base.errors import GnomonError
from gnomon.gates._liberty import Cell, Library
from gnomon.gates._wires import clock_tree_pj, length_bound, wire_ff

if TYPE_CHECKING:
    from collections.abc import Mapping

_TABLE = ((0.0, 1.0), (0.0, 1.0), ((0.25, 0.25), (0.25, 0.25)))


def library(*names: str) -> Library:
    arcs: Mapping[str, Any] = dict.fromkeys(("rise", "fall"), (("A", None, _TABLE),))
    none: Mapping[str, Any] = {"A": dict.fromkeys(("rise", "fall"), ())}
    cell = Cell("", 1.0, 0.0, ("A",), "Y", 0b10, "", {}, {"A": 0.01}, {}, {}, arcs, none, 0.0)
    truth = {"BUF": 0b10, "INV": 0b01}
    cells = {name: replace(cell, name=name, truth=truth[name]) for name in names}
    return Library("made-up", 2.0, cast("Any", cells))


def test_wires_grow_with_cells_and_with_the_exponent() -> None:
    # Of 4 x 4 places two that are drawn are 2 x (4 - 1/4) / 3 apart in the mean: a bound below it.
    assert 1 < length_bound(16, 0.501) < 2.5
    assert length_bound(10_000, 0.6) < length_bound(100_000, 0.6) < length_bound(100_000, 0.7)
    small, large = wire_ff(1000, 4e4), wire_ff(1000, 16e4)
    assert large.value == pytest.approx(2 * small.value)  # twice the pitch
    assert small.low < small.value < small.high


def test_a_tree_takes_its_buffers_and_its_wires() -> None:
    one, four = (clock_tree_pj(n, n * 100.0, library("INV", "BUF")) for n in (1500, 6000))
    assert four.value == pytest.approx(4 * one.value)  # flip-flops as dense: as much for each
    buffers = 1500 / 15 * (0.01 * 2.0**2 + 2 * 0.25)
    wires = 0.7124 * (1500 * 150_000 / 0.7) ** 0.5 * 0.2e-3 * 2.0**2
    assert one.value == pytest.approx(buffers + wires)
    with pytest.raises(GnomonError, match="made-up: has no buffer"):
        clock_tree_pj(10, 1e3, library("INV"))
