"""Stated tables: a run pays the prices that the user states, and no table prices what it lacks."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.cli.app import app
from gnomon.cost.energy import Energy, OptionalEnergy, check_operands, load_table, price_functions
from gnomon.cost.energy._stated_table import StatedTable
from gnomon.program import build
from gnomon.sim import VectorCount, Work, simulate
from tests.energy._tables import tables_in
from tests.energy._work import work

if TYPE_CHECKING:
    from gnomon.arch import Architecture

SOURCE = """
__attribute__((noinline)) int power(int x, int n) { return n ? x * power(x, n - 1) : 1; }
int main(void) { return power(3, 5) / power(3, 1) & 0xff; }
"""


def price(value: float, **keys: str) -> dict[str, object]:
    return {"value": value, "low": value / 2, "high": 2 * value, **keys}


STATED = str(Path(__file__).parent / "own" / "models" / "power" / "stated.yaml")
TABLE: dict[str, Any] = {
    "schema": 1, "kind": "stated", "name": "own", "title": "Own prices", "library": "28 nm, 0.9 V",
    "static": "not included", "machine": {"name": ["rv32im"]},
    "units": {
        "core": {
            "source": "data sheet", "cycle": price(2.0),
            "class": {name: price(1.0) for name in ("alu", "load", "store", "branch", "jump",
                                                    "csr", "system", "fence")},
        },
        "multiplier": {"source": "a paper", "class": {"mul": price(24.0), "div": price(50.0)},
                       "instruction": {"rem": price(60.0, source="own estimate")}},
    },
}  # fmt: skip


class Tables:
    """Tables ``own`` with other keys, each in a folder of content of its own."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.patch, self.count = folder, monkeypatch, 0

    def load(self, **keys: object) -> None:
        """Write a table, make it the one that machines find, and read it."""
        self.count += 1
        text = yaml.safe_dump(TABLE | keys, sort_keys=False)
        self.patch.setenv("GNOMON_PATH", str(tables_in(self.folder / str(self.count), text)))
        load_table("own")

    def machine(self, name: str = "rv32im", **keys: object) -> Architecture:
        """Return a machine that names a table with other keys."""
        self.load(**keys)
        return load_architecture(name, ["power=own"])


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tables:
    return Tables(tmp_path, monkeypatch)


def test_a_run_pays_the_prices_of_what_it_executed(tmp_path: Path, tables: Tables) -> None:
    source = tmp_path / "power.c"
    source.write_text(SOURCE)
    machine = tables.machine(leakage_uw=price(30.0, source="data sheet"))
    program = build([source], machine)
    run = simulate(program, machine)
    energy = Energy.from_work(run.work, machine)
    counts, cycles = run.work.instructions, run.wall_cycles
    multiplier = 24 * counts["mul"] + 50 * counts["div"]
    others = sum(counts.values()) - counts["mul"] - counts["div"]
    wanted = {"core": (2 * cycles + others) / 1e6, "multiplier": multiplier / 1e6,
              "leakage": 30 * cycles / int(machine.clock)}  # fmt: skip
    assert {name: each.value for name, each in energy.units.items()} == pytest.approx(wanted)
    assert energy.energy_uj.value == pytest.approx(sum(wanted.values()))
    assert energy.energy_uj.low == pytest.approx(energy.energy_uj.value / 2)
    assert energy.energy_uj.high == pytest.approx(energy.energy_uj.value * 2)
    assert energy.technology == ("stated", "28 nm, 0.9 V")
    assert "stated table own (28 nm, 0.9 V)" in energy.caption()
    assert "stated table own (28 nm, 0.9 V)" in OptionalEnergy.from_work(run.work, machine).line()
    assert energy.to_json()["sources"] == {
        "core": "data sheet", "multiplier": "a paper",
        "multiplier.instruction.rem": "own estimate", "leakage": "data sheet",
    }  # fmt: skip
    functions = price_functions(run, program, machine)
    assert sum(each.energy_uj.value for each in functions.values()) == pytest.approx(
        energy.energy_uj.value
    )
    shown = CliRunner().invoke(
        app, ["run", str(source), "--arch", "rv32im", "--set", "power=own", "--energy"]
    )
    assert "stated energy by unit" in shown.output
    assert "source of multiplier.instruction.rem: own estimate" in shown.output


@settings(max_examples=30, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["add", "lw", "mul", "div", "rem", "beq", "nop", "csr.read"]),
        st.integers(1, 10**6),
        min_size=1,
    ),
    st.integers(1, 10**7),
)
def test_energy_is_additive_and_in_its_interval(counts: dict[str, int], cycles: int) -> None:
    """The energy of two spans is the sum of theirs, and doubled prices double it."""
    machine = load_architecture("rv32im")
    one = replace(work(counts), wall_cycles=cycles)
    both = Energy.from_work(Work.joined((one, one)), machine, power=STATED).energy_uj
    single = Energy.from_work(one, machine, power=STATED).energy_uj
    assert both.value == pytest.approx(2 * single.value)
    assert single.low <= single.value <= single.high


WRONG: dict[str, tuple[dict[str, object], str]] = {
    "no source": ({"units": {"core": {"cycle": price(1)}}}, r"units\.core\.source: missing"),
    "class": (
        {"units": {"core": {"source": "x", "class": {"mull": price(1)}}}},
        r"units\.core\.class\.mull.*is not a class .*did you mean 'mul'",
    ),
    "order": (
        {"units": {"core": {"source": "x", "cycle": {"value": 3, "low": 4, "high": 5}}}},
        r"units\.core\.cycle\.high.*within low and high \(4 to 5\), not 3",
    ),
    "machine": ({"machine": {"core.hart": [1]}}, r"machine\.core\.hart.*mean 'core\.harts'"),
    "no machine": ({"machine": {}}, r"machine: must state at least one key"),
    "no price": ({"units": {"core": {"source": "x"}}}, r"at least one price"),
    "leakage": ({"units": {"leakage": {"source": "x", "cycle": price(1)}}}, r"another part"),
    "no value": ({"machine": {"name": []}}, r"machine\.name: must list at least one value"),
    "size": ({"machine": {"clock": [100]}}, r"machine\.clock: .*100 MHz"),
    "word": (
        {"units": {"core": {"source": "x", "word": {"alu": price(1)}}}},
        r"units\.core\.word\.alu.*is not a class of vector .*kmem, kdsp, unit",
    ),
    "csr": (
        {"units": {"core": {"source": "x", "instruction": {"csrrw": price(1)}}}},
        r"instruction\.csrrw.*are counted as csr\.read, csr\.write, csr\.vector",
    ),
    "kind": ({"kind": "stadet"}, r"kind: must not be 'stadet' .*did you mean 'stated'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_errors_name_line_key_and_what_is_allowed(case: str, tables: Tables) -> None:
    keys, message = WRONG[case]
    with pytest.raises(GnomonError, match=message) as raised:
        tables.load(**keys)
    assert re.match(r"\S+own\.yaml:\d+: ", str(raised.value))


def test_nothing_is_priced_that_the_table_does_not_state(tables: Tables) -> None:
    machine = tables.machine()
    with pytest.raises(GnomonError, match=r"no class\.mulh in any unit, and 3 mulh were executed"):
        Energy.from_work(work({"add": 9, "mulh": 3}), machine)
    with pytest.raises(GnomonError, match=r"name = t13 \(it states: rv32im\)"):
        Energy.from_work(work({"add": 9}), load_architecture("t13", ["power=own"]))
    with pytest.raises(GnomonError, match=r"own do not depend on operands"):
        check_operands(machine, "dense")
    with pytest.raises(GnomonError, match=r"own do not depend on operands"):
        Energy.from_work(work({"add": 9}), machine, data="dense")
    with pytest.raises(GnomonError, match=r"no instruction\.illegal in any unit, and 2 illegal"):
        Energy.from_work(work({"illegal": 2}), machine)
    units = {"core": {"source": "x", "instruction": {"illegal": price(7)}}}
    trapped = Energy.from_work(work({"illegal": 2}), tables.machine(units=units))
    assert trapped.energy_uj.value == pytest.approx(14e-6)
    clock = load_architecture("rv32im", ["clock=100 MHz"])
    tables.load(machine={"clock": ["50 MHz", "100 MHz"]})
    assert Energy.from_work(work({"add": 9}), clock, power="own").energy_uj.value > 0
    with pytest.raises(GnomonError, match=r"clock = 75 MHz \(it states: 50 MHz, 100 MHz\)"):
        Energy.from_work(
            work({"add": 9}), load_architecture("rv32im", ["clock=75 MHz"]), power="own"
        )
    units = {"core": {"source": "x", "instruction": {"kadd": price(1)}}}
    with pytest.raises(GnomonError, match=r"no instruction of rv32im has this name, did you mean"):
        Energy.from_work(work({"add": 9}), tables.machine(units=units))


def test_words_of_vectors_have_prices_of_their_own(tables: Tables) -> None:
    spent = work(vector={"kaddv": VectorCount(2, 64, 0)})
    keys: dict[str, Any] = {"machine": {"vcu.simd": [4]}, "units": {
        "lanes": {"source": "x", "class": {"kdsp": price(3.0)}, "word": {"kdsp": price(0.5)}},
    }}  # fmt: skip
    machine = tables.machine("t13-simd4", **keys)
    assert Energy.from_work(spent, machine).energy_uj.value == pytest.approx((2 * 3 + 16 / 2) / 1e6)
    with pytest.raises(GnomonError, match=r"vcu\.simd = none \(it states: 4\) of rv32im"):
        Energy.from_work(work({"add": 1}), load_architecture("rv32im", ["power=own"]))
    del keys["units"]["lanes"]["word"]
    with pytest.raises(GnomonError, match=r"no word\.kdsp in any unit, and 2 kaddv were executed"):
        Energy.from_work(spent, tables.machine("t13-simd4", **keys))


def test_a_table_that_is_edited_is_read_again(tmp_path: Path) -> None:
    """As in a notebook: a sweep would cache the old energies as those of the new file."""
    path = tmp_path / "own.yaml"
    for low in (1.0, 0.125):
        units = {"core": {"source": "mine", "cycle": {"value": 2.0, "low": low, "high": 3.0}}}
        path.write_text(yaml.safe_dump(TABLE | {"units": units}))
        for _ in range(2):
            table = load_table(str(path))
            assert isinstance(table, StatedTable)
            assert table.model_dump()["units"]["core"]["cycle"]["low"] == low
