"""Outputs state small and large powers and energies as they are, never as 0."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from gnomon.arch import Architecture, load_architecture
from gnomon.base.interval import Interval
from gnomon.cost.energy import Energy, OptionalEnergy
from gnomon.report.cost_text import print_energy, print_quotes
from tests.energy._work import work

PricedAt = Callable[[str, float], Architecture]
POWERS_MW = {
    1e-4: "0.0001", 0.0042: "0.0042", 0.2: "0.2", 0.49: "0.49", 0.51: "0.51", 1.5: "1.5",
    12.34: "12.3", 99.9: "99.9", 193.2: "193", 7756.0: "7,756",
}  # fmt: skip


@pytest.fixture
def priced_at(monkeypatch: pytest.MonkeyPatch) -> PricedAt:
    """Return a function that gives a machine whose estimator says a power in mW."""

    def of(name: str, mw: float) -> Architecture:
        machine = load_architecture("t13", [f"power={name}"])
        uj = mw * 3000 / int(machine.clock) * 1e3
        units = {"core": Interval(uj, uj / 2, uj * 2, "µJ")}
        monkeypatch.setattr("gnomon.cost.energy._price.names", lambda _: (name,))
        monkeypatch.setattr("gnomon.cost.energy._price.ask", lambda *_: units)
        monkeypatch.setattr("gnomon.cost.energy._price.read_library", lambda *_: name)
        return machine

    return of


@pytest.mark.parametrize("mw", POWERS_MW)
def test_a_power_is_printed_as_it_is(
    mw: float, priced_at: PricedAt, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = priced_at("mine", mw)
    quote = OptionalEnergy.from_work(work({"add": 3000}), machine)
    assert quote.energy is not None
    line = quote.line()
    found = re.search(r" ([\d.,e-]+) mW \(([\d.,e-]+) to ([\d.,e-]+)\)", line)
    assert found is not None
    assert found[1] == POWERS_MW[mw]
    low, value, high = (float(found[n].replace(",", "")) for n in (2, 1, 3))
    assert 0 < low < value < high
    assert value == pytest.approx(mw, rel=5e-3)
    assert "estimator mine (mine)" in line
    print_quotes([("scalar", "", quote)])
    assert POWERS_MW[mw] in capsys.readouterr().out
    print_energy(quote.energy, {"main": quote.energy})
    assert POWERS_MW[mw] in capsys.readouterr().out


def test_no_energy_at_all_is_printed(
    priced_at: PricedAt, capsys: pytest.CaptureFixture[str]
) -> None:
    machine = priced_at("mine", 0.0)
    energy = Energy.from_work(work({"add": 3000}), machine)
    print_energy(energy, {"main": energy})
    assert "main" in capsys.readouterr().out


def test_estimators_without_a_library_are_of_their_own(tmp_path: Path) -> None:
    """Two estimators that state no library are not of one."""
    machine = load_architecture("t13")
    energy = Energy.from_work(work({"add": 3000}), machine)
    assert energy.technology == ("FPGA-calibrated", "Kintex-7 XC7K325T")
    assert energy.to_json()["library"] == "Kintex-7 XC7K325T"
    own = tmp_path / "mine.yaml"
    shipped = Path("models/power/t13.yaml").read_text()
    own.write_text(
        re.sub(r"(?m)^library: .*\n", "", shipped).replace("name: t13\n", "name: mine\n")
    )
    other = Energy.from_work(work({"add": 3000}), machine, power=str(own))
    assert other.library == "device not stated, table mine"
