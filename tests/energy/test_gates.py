"""Gate-level tables: known prices are found again, and a run takes what its counts cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.base.errors import GnomonError
from gnomon.cost.energy import Energy, OptionalEnergy, check_operands, price_functions
from gnomon.cost.energy._gate_table import GateTable, Pj, UnitKeys, compute_gate_energies
from gnomon.cost.energy._load import load_table
from gnomon.cost.energy.gate_fit import CYCLE, GateFit, Windows, summarize_errors
from gnomon.observe.profile import RunProfile
from gnomon.program import Program, build
from gnomon.sim import BUSES, Run, Work, simulate
from tests.energy._tables import tables_in

OWN = Path(__file__).with_name("own")
TABLE = OWN / "models" / "power" / "made-up.yaml"
SOURCE = """
volatile int words[8] = {3, 1, 4, 1, 5, 9, 2, 6};
__attribute__((noinline)) int sum(void) {
    int all = 0;
    for (int k = 0; k < 8; k++) all += words[k] * words[7 - k];
    return all;
}
int main(void) { words[0] = sum(); return words[0]; }
"""


@pytest.fixture(autouse=True, scope="module")
def _own_tables() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GNOMON_PATH", str(OWN))
        yield


@pytest.fixture(scope="module")
def priced(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Program, Architecture]:
    source = tmp_path_factory.mktemp("gates") / "sum.c"
    source.write_text(SOURCE)
    machine = load_architecture("t13-simd4", ["power=made-up"])
    program = build([source], machine)
    return simulate(program, machine), program, machine


def test_an_event_says_whether_register_selects_are_in_it(
    priced: tuple[Run, Program, Architecture],
) -> None:
    run, _, machine = priced
    table = load_table("made-up")
    assert isinstance(table, GateTable)
    pj = Pj(value=1.0, low=1.0, high=1.0)
    names = {"instruction with register selects": {"instruction": pj},
             "instruction": {"instruction": pj, "rs1_select": pj}}  # fmt: skip
    for name, prices in names.items():
        units = {**table.units, "register_file": UnitKeys(toggle=prices)}
        other = table.model_copy(update={"units": units})
        _, events = compute_gate_energies(run.work, machine, other)
        assert [each for each in events if each.startswith("instruction")] == [name]


def test_a_run_takes_what_it_counted(priced: tuple[Run, Program, Architecture]) -> None:
    run, program, machine = priced
    bus, cycles = run.work.buses, run.wall_cycles
    energy = Energy.from_work(run.work, machine)
    registers_pj = (
        cycles + 2 * bus["rs1_read"].values + bus["rs1_read"].toggles / 2
        + bus["write_back"].toggles / 4
    )  # fmt: skip
    expected_uj = {
        "register_file": registers_pj / 1e6,
        "alu": bus["alu_a"].toggles / 8e6,
        "data": (40 * bus["load_data"].values + 50 * bus["store_data"].values) / 1e6,
        "wires": registers_pj / 2e6,
        "clock tree": 7 * cycles / 1e6,
        "clock": 20 * cycles / 1e6,
        "leakage": 10 * cycles / 1e8,
    }
    assert {name: each.value for name, each in energy.units.items()} == pytest.approx(expected_uj)
    assert energy.energy_uj.value == pytest.approx(sum(expected_uj.values()))
    assert energy.energy_uj.low < energy.energy_uj.value < energy.energy_uj.high
    assert energy.to_json()["kind"] == "gate-level"
    assert "gate-level table made-up" in energy.caption()
    assert (
        "gate-level table made-up (none, 1.0 V); stale table"
        in OptionalEnergy.from_work(run.work, machine).line()
    )
    assert ", operands counted" in OptionalEnergy.from_work(run.work, machine).line()

    functions = price_functions(run, program, machine)
    assert sum(each.energy_uj.value for each in functions.values()) == pytest.approx(
        energy.energy_uj.value
    )
    profile = RunProfile.from_run(run, program, machine)
    assert profile.energy_fj is not None
    assert int(profile.energy_fj.sum()) == round(energy.energy_uj.value * 1e9)
    own = dict(zip(profile.addresses, profile.energy_fj.tolist(), strict=True))
    rows = zip(profile.addresses, profile.words, profile.functions, strict=True)
    loads = [at for at, word, function in rows if word & 0x707F == 0x2003 and function == "sum"]
    # 16 words are loaded at 40 pJ, whatever else these instructions switch.
    assert sum(own[address] for address in loads) > 16 * 40_000


def test_kinds_do_not_mix(
    priced: tuple[Run, Program, Architecture], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, _, machine = priced
    calibrated = Energy.from_work(run.work, machine, power="t13")
    assert calibrated.kind == "FPGA-calibrated"
    assert "FPGA-calibrated table t13" in calibrated.caption()
    with pytest.raises(GnomonError, match="prices operand toggles, and this run did not count"):
        Energy.from_work(replace(run.work, buses={}), machine)
    with pytest.raises(GnomonError, match=r"^gate-level table made-up has no figures for vcu.simd"):
        Energy.from_work(run.work, load_architecture("t13-simd2", ["power=made-up"]))
    with pytest.raises(GnomonError, match=r"8 ns from .* 200 MHz leaves 5 ns .*at most 125 MHz"):
        Energy.from_work(
            run.work, load_architecture("t13-simd4", ["power=made-up", "clock=200 MHz"])
        )
    with pytest.raises(GnomonError, match="are for FPGA-calibrated tables"):
        check_operands(machine, "dense")
    text = TABLE.read_text().replace("      alu_a:", "      alu_c:")
    monkeypatch.setenv("GNOMON_PATH", str(tables_in(tmp_path, text)))
    with pytest.raises(
        GnomonError, match=r"own.yaml:\d+: units.alu.toggle.alu_c.*is not a counted bus"
    ):
        load_table("own")


TRUE_PJ = {
    "alu": {CYCLE: 1.5, "toggle.alu_a": 0.75, "toggle.alu_b": 0.5},
    "register_file": {CYCLE: 4.0, "value.rs1_read": 2.0, "toggle.rs1_read": 0.25},
}


def synthetic(noise: float) -> Windows:
    """Windows of six programs whose operands differ, with energies of known prices."""
    draw = np.random.default_rng(7)
    programs, works = [], []
    for program in range(6):
        for _ in range(40):
            buses: dict[str, Any] = {}
            for bus in BUSES:
                values = int(draw.integers(5, 30))
                most = 4 * (program + 1) * values
                buses[bus] = SimpleNamespace(values=values, toggles=int(draw.integers(0, most)))
            works.append(Work(32, {"add": int(draw.integers(5, 30))}, {}, 0, (), 0, buses))
            programs.append(f"p{program}")
    pj = {}
    for unit, prices in TRUE_PJ.items():
        exact = np.zeros(len(works))
        for term, price in prices.items():
            kind, _, bus = term.partition(".")
            field = {"value": "values", "toggle": "toggles"}.get(kind)
            counts = [32 if field is None else getattr(each.buses[bus], field) for each in works]
            exact += price * np.array(counts)
        pj[unit] = exact * (1 + noise * draw.standard_normal(len(works)))
    return Windows(tuple(programs), tuple(works), pj)


TERMS = {unit: (*prices, "toggle.lane_a") for unit, prices in TRUE_PJ.items()}


def test_known_prices_are_found_again() -> None:
    fit = GateFit.from_windows(synthetic(0.0), TERMS, draws=20, seed=1)
    for unit, prices in TRUE_PJ.items():
        found = {term: each.value for term, each in fit.prices[unit].items()}
        assert found == pytest.approx(prices | {"toggle.lane_a": 0.0}, abs=1e-6)
    errors = fit.errors(synthetic(0.0))
    assert summarize_errors(errors)[1] < 1e-6
    assert all(sum(each.shares.values()) == pytest.approx(1) for each in errors)
    median, worst = summarize_errors(errors, "class_only")
    assert median > 5
    assert summarize_errors(errors, "constant")[1] > worst / 2 > 5


def test_noise_is_in_the_intervals() -> None:
    windows = synthetic(0.05)
    fit = GateFit.from_windows(windows, TERMS, draws=200, seed=1)
    inside = [
        fit.prices[unit][term].low <= price <= fit.prices[unit][term].high
        for unit, prices in TRUE_PJ.items()
        for term, price in prices.items()
    ]
    assert sum(inside) >= len(inside) - 1
    assert all(low.high > low.low for low in fit.prices["alu"].values())
    errors = fit.errors(windows)
    assert summarize_errors(errors)[1] < 3 < summarize_errors(errors, "class_only")[0]
    again = GateFit.from_windows(windows, TERMS, draws=200, seed=1)
    assert again.units_yaml() == fit.units_yaml()


def test_a_fit_is_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fit = GateFit.from_windows(synthetic(0.0), TERMS, draws=5, seed=1)
    text = TABLE.read_text()
    head, memories = text[: text.index("units:")], text[text.index("memories:") :]
    whole = head + fit.units_yaml() + memories
    monkeypatch.setenv("GNOMON_PATH", str(tables_in(tmp_path, whole)))
    work = synthetic(0.0).works[0]
    energy = Energy.from_work(work, load_architecture("t13-simd4", ["power=own"]))
    for unit in TRUE_PJ:
        expected_pj = synthetic(0.0).pj[unit][0]
        assert energy.units[unit].value == pytest.approx(expected_pj / 1e6, rel=1e-3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pj": {"alu": np.ones(3)}}, "3 of alu: they must be as many"),
        (
            {"pj": {"alu": np.full(240, np.nan)}},
            "unit alu: an energy of a window is negative or not finite",
        ),
    ],
)
def test_windows_that_cannot_be_fitted(change: dict[str, Any], message: str) -> None:
    with pytest.raises(GnomonError, match=message):
        replace(synthetic(0.0), **change)


def test_terms_are_known() -> None:
    with pytest.raises(GnomonError, match=r"is called 'toggle.alu_c', did you mean"):
        GateFit.from_windows(synthetic(0.0), TERMS | {"alu": ["toggle.alu_c"]}, draws=1, seed=1)
    with pytest.raises(GnomonError, match="at least 2 programs"):
        GateFit.from_windows(
            replace(synthetic(0.0), programs=("p0",) * 240), TERMS, draws=1, seed=1
        )
    with pytest.raises(GnomonError, match="unit alu has energies and no terms"):
        GateFit.from_windows(synthetic(0.0), {}, draws=1, seed=1)
