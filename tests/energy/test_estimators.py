"""Estimators of packages: found by entry points, held to a contract that our tables keep too."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.base.content import shipped_machines
from gnomon.base.errors import GnomonError
from gnomon.cli.app import app
from gnomon.cost.area import Area
from gnomon.cost.energy import Energy
from gnomon.cost.estimators import (
    GROUPS,
    Answer,
    Quantity,
    compute_estimators_digest,
    list_estimator_checks,
)
from tests.energy._work import work

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.arch import Architecture
    from gnomon.sim import Work

WORK = work({"add": 100, "lw": 20}, parked=(0, 300, 300))
GOOD = """
from gnomon.base.errors import GnomonError
from gnomon.base.interval import Interval
from gnomon.cost.area import Area, Resources

def energy(work, machine):
    if machine.core.model != "t13":
        raise GnomonError("measured on three harts only")
    each = sum(work.instructions.values()) * 1e-5
    return {"core": Interval(each, each / 2, each * 2, "µJ"),
            "clock": Interval(work.wall_cycles * 1e-6, 0, 1, "µJ")}

def area(machine):
    lut = 900.0 * machine.core.harts
    return {"core.all": Resources(Interval(lut, lut, lut, "LUT"), Interval(0, 0, 0, "FF"),
                                  Interval(0, 0, 0, "DSP"), Interval(0, 0, 0, "BRAM"))}
"""
BROKEN = {
    "1 / 0": "ZeroDivisionError",
    "{}": "must answer with figures",
    "{'core': 1.0}": "must be an Interval in µJ",
    "{'core': Interval(1, 2, 3, 'µJ')}": "0 <= low <= value <= high",
    "{'core': Interval(1 / work.wall_cycles, 0, 1, 'µJ')}": "twice the work",
    "{'core': Interval(next(count), 0, 99, 'µJ')}": "a second call gives another answer",
}
COUNT = "from itertools import count as c\ncount = c(1)\n"


def _install(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, code: str) -> None:
    """As a package manager leaves it; each test has modules of its own."""
    (folder / f"{name}.py").write_text(code, encoding="utf-8")
    notes = folder / f"{name}-1.dist-info"
    notes.mkdir()
    (notes / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    points = "".join(f"[{group}]\n{name} = {name}:{kind}\n" for kind, group in GROUPS.items())
    (notes / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(folder)


def _energy(work: Work, machine: Architecture) -> Answer:
    return dict(Energy.from_work(work, machine).units)


def _area(machine: Architecture) -> Answer:
    return {part.figure.name: part.resources for part in Area.from_architecture(machine).parts}


_TABLES: dict[Quantity, Callable[..., Answer]] = {"energy": _energy, "area": _area}


@pytest.mark.parametrize("quantity", GROUPS)
def test_our_tables_keep_the_contract(quantity: Quantity) -> None:
    machines = {name: load_architecture(name) for name in shipped_machines()}
    for each in list_estimator_checks(quantity, "tables", _TABLES[quantity], machines, WORK):
        each.run()


def test_a_machine_is_priced_by_an_estimator_that_it_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert compute_estimators_digest() == ""
    _install(tmp_path, monkeypatch, "priced", GOOD)
    machine = load_architecture("t13", ("power=priced", "area=priced"))
    energy = Energy.from_work(WORK, machine)
    assert energy.energy_uj.value == pytest.approx(120e-5 + WORK.wall_cycles * 1e-6)
    assert json.loads(json.dumps(energy.to_json()))["table"] == "priced"
    assert Area.from_architecture(machine).total.lut.value == 2700
    shown = CliRunner().invoke(app, ["area", "t13", "--set", "area=priced"])
    assert "2,700" in shown.stdout, shown.output
    with pytest.raises(GnomonError, match="three harts only"):
        Energy.from_work(WORK, load_architecture("rv32im", ("power=priced",)))
    before = compute_estimators_digest()
    (tmp_path / "priced.py").write_text(GOOD.replace("900.0", "901.0"), encoding="utf-8")
    assert compute_estimators_digest() != before  # cached results of sweeps are of the old code
    checked = CliRunner().invoke(app, ["check", "priced", "--json"])
    assert json.loads(checked.stdout)["failed"] == 0, checked.output


@pytest.mark.parametrize("answer", BROKEN)
def test_a_broken_estimator_fails_its_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    name = f"broken{list(BROKEN).index(answer)}"
    wrong = f"{COUNT}{GOOD}\ndef energy(work, machine):\n    return {answer}\n"
    _install(tmp_path, monkeypatch, name, wrong)
    checked = CliRunner().invoke(app, ["check", name, "--json"])
    rows = json.loads(checked.stdout)["checks"]
    reasons = [row["reason"] for row in rows if row["verdict"] == "failed"]
    assert checked.exit_code == 1
    assert any(BROKEN[answer] in reason for reason in reasons), rows


@pytest.mark.parametrize("quantity", ["energy", "area"])
def test_the_example_of_the_documents_keeps_the_contract(quantity: Quantity) -> None:
    """Its imports are those that an estimator needs."""
    page = Path(__file__).parents[2] / "docs" / "method" / "estimators.md"
    code = page.read_text(encoding="utf-8").partition("```python\n")[2].partition("```")[0]
    names: dict[str, Any] = {}
    exec(code, names)
    machines = {name: load_architecture(name) for name in ("t13", "rv32im")}
    for check in list_estimator_checks(quantity, "example", names[quantity], machines, WORK):
        check.run()
