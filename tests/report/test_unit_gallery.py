"""The page of the shipped units, and population count in hyperdimensional bandits."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from gnomon.arch.units.energy import UnitEnergy, find_unit_energy
from gnomon.arch.units.load import load_unit
from gnomon.base.content import content, found
from gnomon.content.reports.hyperdimensional.costs import NO_UNIT, UNIT, measure_unit
from gnomon.content.reports.hyperdimensional.play import ENTRIES
from gnomon.content.reports.unit_gallery.study import (
    LIBRARY,
    cost_row,
    gain_row,
    run_units,
    unit_names,
    unit_of,
)


def _table(*place: str) -> Any:
    return pd.read_csv(content("reports", *place))


def test_every_shipped_unit_has_a_program_and_current_figures() -> None:
    shipped = [name for name, item in found("units").items() if item.shipped]
    units = [load_unit(name, {}) for name in shipped]
    names = [each.name for each in units if each.rtl is not None and not each.is_vector]
    assert unit_names() == sorted(names)
    for name in names:
        assert not isinstance(unit_of(name).area, str)
        assert isinstance(find_unit_energy(unit_of(name), LIBRARY, None), UnitEnergy)


def test_the_page_is_that_of_its_tables() -> None:
    page = content("reports", "unit_gallery", "unit-gallery.md").read_text(encoding="utf-8")
    assert run_units(pages=True).page() == page
    assert [*map(cost_row, unit_names())] == [
        pytest.approx(row) for row in _table("unit_gallery", "costs.csv").itertuples(index=False)
    ]


@pytest.mark.parametrize("name", ["crc32", "requant"])
def test_a_program_gives_its_row(name: str) -> None:
    """One unit that saves, one that takes more energy; results with and without it are equal."""
    rows = _table("unit_gallery", "gains.csv").set_index("unit", drop=False)
    unit, program, executions, without, with_it, *_ = gain_row(name)
    known = rows.loc[name]
    assert (unit, program, executions) == (name, known["program"], known["executions"])
    assert (without, with_it) == (known["cycles_without"], known["cycles_with"])


def test_prob_counts_ones_with_equal_bits() -> None:
    """The measurement compares every bit with the host, which has no unit."""
    entry = next(each for each in ENTRIES if each.title == "PROB")
    found_cost = measure_unit(entry, UNIT)
    rows = _table("hyperdimensional", "units.csv").set_index(["learner", "unit"])
    known, plain = rows.loc[("PROB", UNIT)], rows.loc[("PROB", NO_UNIT)]
    assert found_cost.executions == known["executions"] > 0
    assert found_cost.select_cycles == known["select_cycles"] < plain["select_cycles"]
    assert found_cost.update_cycles == known["update_cycles"] < plain["update_cycles"]
