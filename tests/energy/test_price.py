"""Energy of work: sums, intervals, sensitivity to each price, tables that are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import yaml

from gnomon.arch import load_architecture
from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.cost.energy import Activity, Energy, PowerTable, price_functions
from gnomon.cost.energy import _price as inside
from gnomon.cost.energy._power_table import CLOCK, GroupPrice, Price
from gnomon.cost.energy._price import price
from gnomon.measure.learners import EmbeddedSizes, LearnerBench, find_embedded_learner
from gnomon.sim import VectorCount, simulate
from tests.energy._work import work

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MACHINE = load_architecture("t13-paper-simd4")
VECTORS = ("kaddv", "kvmul", "ksrav", "kvslt", "kvred", "kvdiv", "kmemld")
EVERYTHING = work(
    {"add": 400, "lw": 100, "mul": 50, "divu": 5, "csr.vector": 20},
    cycles=4000,
    vector={name: VectorCount(10, 1280, 0) for name in VECTORS},
    retries=20,
    parked=(0, 600, 600),
    waiting=100,
)
"""Work in which every unit switches."""


def test_units_and_events_sum_to_the_whole() -> None:
    energy = Energy.from_work(EVERYTHING, MACHINE, data="q15")
    whole = energy.energy_uj.value
    assert sum(part.value for part in energy.units.values()) == pytest.approx(whole)
    clock = energy.units[CLOCK].value
    assert sum(part.energy_uj for part in energy.events) + clock == pytest.approx(whole)
    assert list(energy.units)[-1] == CLOCK
    assert energy.power_mw.value * 4000 / 1e8 * 1e3 == pytest.approx(whole)
    assert energy.time_us == pytest.approx(40)
    assert energy.energy_delay_uj_us.value == pytest.approx(whole * 40)


def test_a_sum_that_is_wrong_is_caught() -> None:
    with pytest.raises(AssertionError, match=r"^energy accounting is wrong: units sum to 3.0"):
        inside._check_sum("units", [1.0, 2.0], 3.1)


def test_every_part_has_an_interval_around_it() -> None:
    energy = Energy.from_work(EVERYTHING, MACHINE)
    for part in energy.units.values():
        assert part.low <= part.value <= part.high
        assert part.low < part.high
    assert energy.power_mw.low < energy.power_mw.value < energy.power_mw.high
    assert energy.energy_uj.low < energy.energy_uj.value < energy.energy_uj.high


def test_each_price_moves_the_result() -> None:
    """One price a tenth higher raises the energy by a tenth of that part, and no other part."""
    activity = Activity.from_work(EVERYTHING, MACHINE, data="q15")
    table = one_price_each(PowerTable.load("t13"), activity.units)
    before = price(activity, table, 100_000_000)

    def raised(name: str) -> PowerTable:
        if name == CLOCK:
            return table.model_copy(update={"clock_power_mw": dearer(table.clock_power_mw)})
        groups = table.energy_pj_per_toggle
        changed = {"energy_pj_per_toggle": groups | {name: dearer(groups[name])}}
        return table.model_copy(update=changed)

    def dearer(each: Price) -> Price:
        return each.model_copy(update={"value": each.value * 1.1})

    for name in (*activity.units, CLOCK):
        after = price(activity, raised(name), 100_000_000)
        part = before.units[name].value
        assert part > 0, name
        assert after.energy_uj.value - before.energy_uj.value == pytest.approx(0.1 * part)
        for other in (*activity.units, CLOCK):
            factor = 1.1 if other == name else 1.0
            assert after.units[other].value == pytest.approx(factor * before.units[other].value)


def test_the_clock_has_the_interval_of_its_table() -> None:
    table = PowerTable.load("t13")
    activity = Activity.from_work(EVERYTHING, MACHINE)
    clock = table.clock_power_mw
    for low, high in ((0.0, clock.high), (clock.low, 9000.0), (clock.value, clock.value)):
        wide = clock.model_copy(update={"low": low, "high": high})
        changed = table.model_copy(update={"clock_power_mw": wide})
        found = price(activity, changed, 50_000_000).units[CLOCK]
        per_mw = 4000 / 50e6 * 1e3 / 2  # of a table at 100 MHz
        if low < clock.value:
            assert found.low <= low * per_mw
        if low == 0.0:
            assert found.low == 0.0
        if high == 9000.0:
            assert found.high == pytest.approx(9000 * per_mw)


def one_price_each(table: PowerTable, units: tuple[str, ...]) -> PowerTable:
    value = table.energy_pj_per_toggle["toggles"].value
    groups = {
        unit: GroupPrice(value=value, low=0.0, high=2 * value, units=[unit]) for unit in units
    }
    covariance = np.zeros((len(units) + 1, len(units) + 1)).tolist()
    fit = table.fit.model_copy(update={"covariance": covariance})
    return table.model_copy(update={"energy_pj_per_toggle": groups, "fit": fit})


def test_operand_values_move_the_result() -> None:
    joules = {
        data: Energy.from_work(EVERYTHING, MACHINE, data=data).energy_uj.value
        for data in ("zeros", "sparse", "small8", "dense", "q15", "rand32")
    }
    assert joules["zeros"] < joules["sparse"] < joules["dense"] < joules["q15"]
    assert joules["q15"] < joules["rand32"]
    assert Energy.from_work(EVERYTHING, MACHINE).data == "dense"


def test_static_power_is_said_and_not_priced() -> None:
    energy = Energy.from_work(EVERYTHING, MACHINE)
    assert energy.static == "not included: the source gives dynamic power only"
    assert energy.to_json()["static_uj"] is None


def test_activity_outside_that_of_the_points_is_an_extrapolation() -> None:
    table = PowerTable.load("t13")
    low, high = table.fit.toggles_per_cycle
    dense = work(
        vector={"kvmul": VectorCount(100, 100 * 512, 0)}, cycles=6000, parked=(0, 100, 100)
    )
    asleep = work(cycles=1000)
    far, still = (Energy.from_work(each, MACHINE, data="q15") for each in (dense, asleep))
    assert far.toggles_per_cycle > 2 * high
    assert still.toggles_per_cycle < low
    assert far.extrapolated
    assert still.extrapolated
    near = Energy.from_work(
        work({"lw": 100}, cycles=400, parked=(0, 100, 100)), MACHINE, data="dense"
    )
    assert low < near.toggles_per_cycle < high
    assert not near.extrapolated
    spread = (far.spread_mw.high - far.spread_mw.low) / far.power_mw.value
    close = (near.spread_mw.high - near.spread_mw.low) / near.power_mw.value
    assert spread > 3 * close


def test_the_clock_scales_power_and_not_energy() -> None:
    slow = load_architecture("t13-paper-simd4", ["clock=50 MHz"])
    fast, half = (Energy.from_work(EVERYTHING, machine) for machine in (MACHINE, slow))
    assert half.energy_uj.value == pytest.approx(fast.energy_uj.value)
    assert half.power_mw.value == pytest.approx(fast.power_mw.value / 2)
    assert half.power_mw.high == pytest.approx(fast.power_mw.high / 2)


def test_a_machine_without_a_table() -> None:
    with pytest.raises(GnomonError) as caught:
        Energy.from_work(EVERYTHING, load_architecture("t13-simd4", ["power=none"]))
    assert str(caught.value) == (
        "t13-simd4 names no power table, so its energy is not known (power: none;"
        " set power to the name of one)"
    )
    with pytest.raises(GnomonError) as caught:
        Energy.from_work(EVERYTHING, load_architecture("t13-simd4", ["power=t14"]))
    assert str(caught.value) == (
        "no power table is called 't14' (known: osu018-picorv32, osu018-t13-simd1,"
        " osu018-t13-simd4, sg13g2-klessydra-simd1, sg13g2-t13-simd1, t13, t13-table2,"
        " t13-table3, did you mean 't13'?; give a user-defined table by its path, or put it into"
        " models/power of your project)"
    )


def test_nothing_is_not_a_power() -> None:
    with pytest.raises(GnomonError, match=r"^a span of 0 cycles has no power$"):
        Energy.from_work(work(cycles=0), MACHINE)


def test_shipped_tables() -> None:
    assert PowerTable.shipped() == ("t13", "t13-table2", "t13-table3")
    for name in PowerTable.shipped():
        table = PowerTable.load(name)
        assert table.name == name
        assert table.clock == 100_000_000
        assert 50 < table.clock_power_mw.value < 250
        assert len(table.alternatives.rows) > 10
        assert "dynamic power" in table.source


def _set(path: str, value: object) -> Callable[[dict[str, object]], object]:
    def change(raw: dict[str, object]) -> None:
        place: object = raw
        *parents, last = path.split(".")
        for key in parents:
            assert isinstance(place, dict)
            place = place[key]
        assert isinstance(place, dict)
        if value is None:
            del place[last]
        else:
            place[last] = value

    return change


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("schema", 2,
         ("schema: must not be 2 (allowed: 1; other versions are not known to this program)")),
        ("clock_power_mw.value", -1, "clock_power_mw.value: must not be -1 (allowed: 0 to 10000)"),
        ("clock_power_mw.value", 20_000,
         "clock_power_mw.value: must not be 20000 (allowed: 0 to 10000)"),
        ("energy_pj_per_toggle.toggles.value", "much",
         "energy_pj_per_toggle.toggles.value: must not be 'much' (allowed: 0 to 10000)"),
        ("energy_pj_per_toggle.toggles.value", 99,
         ("energy_pj_per_toggle.toggles.high: value must be within low and high (0 to 6.2169),"
         " not 99")),
        ("clock_power_mw", None, "clock_power_mw: missing (a section with value, low, high)"),
        ("static", None, "static: missing (allowed: text)"),
        ("fit.covariance", [[1.0]],
         "fit.covariance: must have 2 rows and columns, one for the clock and one for each group"),
    ],
)  # fmt: skip
def test_implausible_tables_are_refused(
    path: str, value: object, message: str, tmp_path: Path
) -> None:
    raw = yaml.safe_load(content("models", "power", "t13.yaml").read_text(encoding="utf-8"))
    _set(path, value)(raw)
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(raw), encoding="utf-8")
    with pytest.raises(GnomonError) as caught:
        PowerTable.load(str(file))
    where, _, said = str(caught.value).partition(": ")
    assert where.startswith(f"{file}:")
    assert said == message


def test_functions_sum_to_the_run() -> None:
    learner = find_embedded_learner("linucb-disjoint")
    program = LearnerBench(
        learner, learner.variant("optimized-vector"), MACHINE, EmbeddedSizes(4, 8)
    ).build()
    run = simulate(program, MACHINE)
    whole = Energy.from_work(run.work, MACHINE)
    parts = price_functions(run, program, MACHINE)
    total = sum(part.energy_uj.value for part in parts.values())
    assert total == pytest.approx(whole.energy_uj.value, rel=1e-3)
    for unit in ("clock", "vcu_mul", "register_file", "csr"):
        of_parts = sum(part.units[unit].value for part in parts.values())
        assert of_parts == pytest.approx(whole.units[unit].value, rel=2e-3)
    assert len(parts) > 5


def test_a_range_leaves_out_a_twentieth_at_each_end() -> None:
    alternatives = np.arange(101.0)[:, None] + [0.0, 200.0]
    narrow, above = inside._ranges([50.0, 200.0], alternatives, "µJ")
    assert (narrow.low, narrow.value, narrow.high) == (5.0, 50.0, 95.0)
    assert (above.low, above.high) == (200.0, 295.0)  # its own value is always within
