"""Energy of all edges of blocks in two libraries, by gnomon and by a script of the tests.

osu018 is installed; sky130 is one corner that a checkout of OpenSTA has among its examples:
``make heavy GROUP=gates CHECKOUTS=opensta=/path``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.gates._engine import apply
from gnomon.gates._liberty import read_liberty
from gnomon.gates._netlist import netlist
from gnomon.gates._timing import timed
from tests.conftest import need_checkout
from tests.rtl.conftest import need_osu018
from tests.rtl.gates._sums import Cells, energy_pj

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.rtl import Tool

BLOCKS = {
    "t13_alu": (("t13_alu.sv",), {"funct3": 3, "subtract": 1, "a": 32, "b": 32}),
    "t13_multiplier": (("t13_multiplier.sv",), {"funct3": 3, "a": 32, "b": 32}),
    "vcu_adder": (("vcu_adder.sv",), {"width": 2, "subtract": 1, "a": 32, "b": 32}),
    "vcu_multiplier": (("vcu_multiplier.sv",), {"advance": 1, "width": 2, "a": 32, "b": 32}),
    "divider": (
        ("divider.sv", "div_restoring.sv", "div_rows.sv"),
        {"rst_n": 1, "start_valid": 1, "done_ready": 1, "is_signed": 1, "dividend": 32,
         "divisor": 32},
    ),
}  # fmt: skip
HELD_AT_1 = ("rst_n", "start_valid", "done_ready", "advance")
STEPS = 300


@pytest.fixture(params=["osu018", "sky130"])
def library(request: pytest.FixtureRequest) -> Path:
    if request.param == "osu018":
        return need_osu018()
    return need_checkout("opensta") / "examples" / "sky130hd_tt.lib.gz"


@pytest.mark.heavy("gates")
@pytest.mark.parametrize("block", BLOCKS)
def test_an_independent_sum_is_within_two_percent(
    block: str, library: Path, synthesizer: Tool
) -> None:
    assert synthesizer.usable
    ours = read_liberty(library)
    sources, inputs = BLOCKS[block]
    made = netlist(block, {}, sources, library, ours)
    times = timed(made, ours)
    rows = np.random.default_rng(1).integers(0, 2, (STEPS, sum(inputs.values()))).astype(np.uint8)
    rows[:, [k for k, name in enumerate(inputs) if name in HELD_AT_1]] = 1
    toggles, energy = apply(made, times, ours, tuple(inputs), rows)
    gnomon = float(energy[1:].sum())
    assert gnomon > 0
    assert energy_pj(Cells(library), made.instances, toggles) == pytest.approx(gnomon, rel=0.02)
