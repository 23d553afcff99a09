"""Prices of mixes: sums, intervals, and what has no cost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.base.errors import GnomonError
from gnomon.base.interval import Interval
from gnomon.cost.platforms import load_platform

M4 = load_platform("cortex-m4")


def test_a_mix_by_hand() -> None:
    mix = {"alu": 10, "load": 4, "branch": 3, "branch-taken": 2, "div": 1}
    cycles = M4.documented_cycles(mix)
    assert cycles.value == 10 * 1 + 4 * 2 + 3 * 2 + 2 * 2 + 7
    assert cycles.low == 10 * 1 + 4 * 1 + 3 * 1 + 2 * 1 + 2
    assert cycles.high == 10 * 1 + 4 * 2 + 3 * 2 + 2 * 3 + 12


@given(
    st.dictionaries(st.sampled_from(sorted(M4.cost_of)), st.integers(0, 10**9)),
    st.sampled_from(sorted(M4.cost_of)),
)
def test_each_cost_moves_the_price(mix: dict[str, int], name: str) -> None:
    dearer = M4.cost_of[name].model_copy(update={"cycles": M4.cost_of[name].cycles + 1})
    costs = M4.costs.model_copy(update={name.replace("-", "_"): dearer})
    changed = M4.model_copy(update={"costs": costs})
    difference = changed.documented_cycles(mix).value - M4.documented_cycles(mix).value
    assert difference == mix.get(name, 0)
    cycles = M4.documented_cycles(mix)
    assert cycles.low <= cycles.value <= cycles.high


def test_what_has_no_cost_is_an_error() -> None:
    with pytest.raises(GnomonError) as error:
        M4.documented_cycles({"alu": 1, "csr": 2000, "fence": 0, "amo": 1})
    assert str(error.value) == (
        "cortex-m4.yaml: no cost for what was executed: csr (2,000), amo (1); add costs.csr with"
        " cycles and source"
    )


def test_the_factor_and_its_interval() -> None:
    ends = {"factor": 2.0, "left_out_low": 0.8, "left_out_high": 1.25}
    platform = load_platform("cortex-m4", [f"calibration.{key}={end}" for key, end in ends.items()])
    assert platform.calibrated_cycles({"alu": 100}) == Interval(200, 160, 250)
