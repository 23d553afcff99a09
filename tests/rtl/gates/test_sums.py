"""Energy of all edges of two blocks in osu018, by gnomon and by a script of the tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.gates._engine import apply
from gnomon.gates._liberty import read_liberty
from gnomon.gates._netlist import netlist
from gnomon.gates._timing import timed
from tests.rtl.conftest import need_osu018
from tests.rtl.gates._sums import Cells, energy_pj

if TYPE_CHECKING:
    from gnomon.rtl import Tool

BLOCKS = {
    "t13_alu": (("t13_alu.sv",), {"funct3": 3, "subtract": 1, "a": 32, "b": 32}),
    "divider": (
        ("divider.sv", "div_restoring.sv", "div_rows.sv"),
        {"rst_n": 1, "start_valid": 1, "done_ready": 1, "is_signed": 1, "dividend": 32,
         "divisor": 32},
    ),
}  # fmt: skip
HELD_AT_1 = ("rst_n", "start_valid", "done_ready")
STEPS = 300


@pytest.mark.heavy("gates")
@pytest.mark.parametrize("block", BLOCKS)
def test_an_independent_sum_is_within_two_percent(block: str, synthesizer: Tool) -> None:
    assert synthesizer.usable
    path = need_osu018()
    ours = read_liberty(path)
    sources, inputs = BLOCKS[block]
    made = netlist(block, {}, sources, path, ours)
    times = timed(made, ours)
    rows = np.random.default_rng(1).integers(0, 2, (STEPS, sum(inputs.values()))).astype(np.uint8)
    rows[:, [k for k, name in enumerate(inputs) if name in HELD_AT_1]] = 1
    toggles, energy = apply(made, times, ours, tuple(inputs), rows)
    gnomon = float(energy[1:].sum())
    assert gnomon > 0
    assert energy_pj(Cells(path), made.instances, toggles) == pytest.approx(gnomon, rel=0.02)
