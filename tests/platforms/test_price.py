"""Prices of mixes: sums, intervals, and what has no cost."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.base.errors import GnomonError
from gnomon.base.interval import Interval
from gnomon.cost.platforms import (
    Known,
    documented_cycles,
    fit_factor,
    leave_one_size_out,
    load_platform,
    mean_error,
)
from gnomon.cost.platforms._platform import Calibration, Cost
from gnomon.cost.platforms._price import calibrated_cycles

M4 = load_platform("cortex-m4")


def test_a_mix_by_hand() -> None:
    mix = {"alu": 10, "load": 4, "branch": 3, "branch-taken": 2, "div": 1}
    cycles = documented_cycles(mix, M4)
    assert cycles.value == 10 * 1 + 4 * 2 + 3 * 2 + 2 * 2 + 7
    assert cycles.low == 10 * 1 + 4 * 1 + 3 * 1 + 2 * 1 + 2
    assert cycles.high == 10 * 1 + 4 * 2 + 3 * 2 + 2 * 3 + 12


@given(
    st.dictionaries(st.sampled_from(sorted(M4.costs)), st.integers(0, 10**9)),
    st.sampled_from(sorted(M4.costs)),
)
def test_each_cost_moves_the_price(mix: dict[str, int], name: str) -> None:
    dearer = replace(M4.costs[name].cycles, value=M4.costs[name].cycles.value + 1)
    changed = replace(M4, costs={**M4.costs, name: Cost(dearer, "a test")})
    difference = documented_cycles(mix, changed).value - documented_cycles(mix, M4).value
    assert difference == mix.get(name, 0)
    cycles = documented_cycles(mix, M4)
    assert cycles.low <= cycles.value <= cycles.high


def test_what_has_no_cost_is_an_error() -> None:
    with pytest.raises(GnomonError) as error:
        documented_cycles({"alu": 1, "csr": 2000, "fence": 0, "amo": 1}, M4)
    assert str(error.value) == (
        "cortex-m4.yaml: no cost for what was executed: csr (2,000), amo (1); add costs.csr with"
        " cycles and source"
    )


def test_the_factor_and_its_interval() -> None:
    platform = replace(M4, calibration=Calibration(2.0, "-O0", (0.8, 1.25), "a test"))
    assert calibrated_cycles({"alu": 100}, platform) == Interval(200, 160, 250)


def test_least_squares_of_relative_errors() -> None:
    cells = [Known(4, 100, 50.0), Known(8, 1000, 400.0)]
    factor = fit_factor(cells)
    assert factor == pytest.approx((0.5 + 0.4) / (0.25 + 0.16))

    def squares(tried: float) -> float:
        return sum((tried * cell.ratio - 1) ** 2 for cell in cells)

    assert squares(factor) < min(squares(factor * 0.99), squares(factor * 1.01))


def test_no_cell_has_a_part_in_its_own_prediction() -> None:
    cells = [Known(4, 100, 50.0), Known(4, 100, 40.0), Known(8, 100, 25.0)]
    predicted = leave_one_size_out(cells)
    assert [cell.factor for cell in predicted[:2]] == [4.0, 4.0]
    assert predicted[2].factor == pytest.approx(fit_factor(cells[:2]))
    assert [cell.cycles for cell in predicted[:2]] == [200, 160]
    assert mean_error([cell.ratio for cell in predicted[:2]]) == pytest.approx((1 + 0.6) / 2)
    wrong = [*cells[:2], Known(8, 10**9, 25.0)]
    assert leave_one_size_out(wrong)[2].factor == predicted[2].factor


def test_one_size_alone_cannot_be_left_out() -> None:
    with pytest.raises(GnomonError) as error:
        leave_one_size_out([Known(4, 100, 50.0)])
    assert str(error.value) == "a factor needs at least one published cell to be fitted to"
