"""Gate-level tables state the whole machine of their netlist, refuse others, and know their RTL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from gnomon.arch import Architecture, load_architecture, rtl_parameters
from gnomon.arch.keys import key_paths
from gnomon.base.content import content, shipped_machines
from gnomon.base.errors import GnomonError
from gnomon.cost.energy import Energy, OptionalEnergy
from gnomon.cost.energy._gate_table import GateTable
from gnomon.cost.energy._load import load_table
from gnomon.cost.energy.gate_machine import (
    CORE_KEYS,
    NO_UNIT,
    VCU_KEYS,
    RtlKeys,
    compute_rtl_digest,
    explain_stale,
    list_stated_keys,
)
from gnomon.gates._netlist import machine_sources, top_parameters
from gnomon.sim import BUSES, BusCount, Work
from tests.energy._tables import table_of, tables_in

SHIPPED = sorted(
    path.stem
    for path in content("models", "power").glob("*.yaml")
    if "kind: gate-level" in path.read_text()
)


def work() -> Work:
    """Return a span in which nothing but cycles pass."""
    return Work(100, {}, {}, 0, (), 0, {bus: BusCount(0, 0) for bus in BUSES})


OTHERS = {
    "vcu = none": ("t13", []),
    "vcu.divider": ("t13-paper-simd1", []),
    "vcu.extensions": ("t13-simd1", ["vcu.extensions=[kps]"]),
    "vcu.postscale_shift": ("t13-simd1", ["vcu.extensions=[kps]", "vcu.postscale_shift=3"]),
    "vcu.divide_by_zero": ("t13-paper-simd1", ["vcu.divide_by_zero=riscv"]),
    "vcu.scratchpads.size": ("t13-simd1", ["vcu.scratchpads.size=1 KiB"]),
    "vcu.scratchpads.count": ("t13-simd1", ["vcu.scratchpads.count=3"]),
    "vcu.scratchpads.base": ("t13-simd1", ["vcu.scratchpads.base=0x20000000"]),
    "vcu.sharing": ("t13-simd1", ["vcu.sharing=replicated"]),
    "vcu.sharing = multithreaded": ("t13-simd1", ["vcu.sharing=multithreaded"]),
    "vcu.simd": ("t13-simd2", []),
    "vcu.quirks": ("t13-simd1", ["vcu.quirks.long_transfer_wraps=false"]),
    "core.superscalar": ("t13-simd1", ["core.superscalar=false"]),
    "core.harts": ("t13-simd1", ["core.harts=4"]),
    "core.divider": ("t13-simd1", ["core.divider=restoring_r4"]),
    "core.count_all": ("t13-simd1", ["core.count_all=false"]),
    "core.reset_pc": ("t13-simd1", ["core.reset_pc=0x180"]),
    "core.quirks": ("t13-simd1", ["core.quirks.amo_ignores_funct5=false"]),
    "memory.data.width": ("t13-simd1", ["memory.data.width=64"]),
    "memory.data.burst": ("t13-simd1", ["memory.data.burst=2"]),
    "core.model": ("rv32im", []),
}


@pytest.mark.parametrize("said", OTHERS)
@pytest.mark.parametrize("table", [name for name in SHIPPED if name.endswith("simd1")])
def test_another_netlist_is_refused_by_the_key(table: str, said: str) -> None:
    name, overrides = OTHERS[said]
    machine = load_architecture(name, [*overrides, f"power={table}"])
    with pytest.raises(
        GnomonError, match=rf"^gate-level table {table} has no figures for .*{said}"
    ):
        Energy.from_work(work(), machine)


@pytest.mark.parametrize("name", ["t13-simd1", "t13-simd4"])
def test_what_a_netlist_does_not_depend_on_is_priced(name: str) -> None:
    """Memories and their waits are beside the gates, and a slower clock is one that they reach."""
    for change in ("memory.data.waits=2", "memory.data.size=64 KiB", "clock=50 MHz", "name=other"):
        machine = load_architecture(name, [change, f"power=osu018-{name}"])
        assert Energy.from_work(work(), machine).energy_uj.value > 0


def test_all_keys_that_differ_are_named_at_once() -> None:
    machine = load_architecture("t13-paper-simd2", ["power=osu018-t13-simd1", "core.harts=5"])
    with pytest.raises(GnomonError) as caught:
        Energy.from_work(work(), machine)
    for key in ("core.harts = 5 (its netlist: 3)", "vcu.simd = 2", "vcu.extensions", "vcu.divider"):
        assert key in str(caught.value)


def changed(machine: Architecture, key: str) -> list[Architecture]:
    """Return the machine with other values of a key, where it can have them."""
    value: Any = machine
    for part in key.split("."):
        value = getattr(value, part, None)
    tried: list[Any] = [not value] if isinstance(value, bool) else []
    tried += [value * 2, value + 1, value + 0x100, value - 1] if type(value) is int else []
    tried += ["multithreaded", "restoring_r4", "riscv", "[kps]", "none", "64", "1 KiB", "0x180"]
    found = []
    for each in tried:
        try:
            text = str(each).lower() if isinstance(each, bool) else str(each)
            found.append(load_architecture(machine.name, [f"{key}={text}"]))
        except GnomonError:
            continue
    return found


@pytest.mark.parametrize("name", ["t13", "t13-simd4", "t13-paper-simd2"])
def test_every_key_that_makes_another_netlist_is_stated(name: str) -> None:
    """A law over all keys: if the parameters of the RTL differ, so does what a table states."""
    machine = load_architecture(name)
    differed = set()
    for key in key_paths():
        for other in changed(machine, key):
            try:
                parameters = top_parameters(other)
            except GnomonError:
                continue
            if parameters != top_parameters(machine):
                differed.add(key)
                assert list_stated_keys(other) != list_stated_keys(machine), key
    assert {"core.harts", "core.divider", "core.reset_pc"} <= differed
    assert ("vcu.scratchpads.size" in differed) == (machine.vcu is not None)


def test_machines_of_one_statement_have_one_netlist() -> None:
    machines = [load_architecture(name) for name in shipped_machines()]
    machines = [each for each in machines if each.core.model == "t13"]
    seen: dict[str, dict[str, str]] = {}
    for each in machines:
        try:
            parameters = top_parameters(each)
        except GnomonError:
            continue
        assert seen.setdefault(str(list_stated_keys(each)), parameters) == parameters
    assert len(seen) > 8


def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> GateTable:
    monkeypatch.setenv("GNOMON_PATH", str(tables_in(tmp_path, text)))
    table = load_table("own")
    assert isinstance(table, GateTable)
    return table


@pytest.mark.parametrize("name", [*CORE_KEYS, *VCU_KEYS])
def test_a_table_that_leaves_a_key_open_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = load_architecture("t13-simd1")
    stated = {key: [value] for key, value in list_stated_keys(machine).items() if key != name}
    with pytest.raises(GnomonError, match=rf"own.yaml:\d+: machine.*missing: {name}"):
        load(tmp_path, monkeypatch, table_of(machine, machine=stated))


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            {"vcu.simds": [1]},
            r"own.yaml:\d+: machine.vcu.simds: decides no netlist.*did you mean .*vcu.simd",
        ),
        ({"memory.data.waits": [0]}, "memory.data.waits: decides no netlist"),
        ({"vcu": ["none"]}, r"decides no netlist with vcu: \[none\]"),
        ({"vcu": [4]}, "vcu"),
    ],
    ids=["misspelled", "beside the gates", "unit and none", "no word"],
)
def test_a_table_that_states_something_else_is_refused(
    more: dict[str, Any], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = load_architecture("t13-simd1")
    stated: dict[str, Any] = {key: [value] for key, value in list_stated_keys(machine).items()}
    with pytest.raises(GnomonError, match=message):
        load(tmp_path, monkeypatch, table_of(machine, machine=stated | more))


def test_a_scalar_netlist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scalar = load_architecture("t13")
    load(tmp_path, monkeypatch, table_of(scalar))
    assert Energy.from_work(work(), scalar, power="own").kind == "gate-level"
    with pytest.raises(GnomonError, match=rf"no figures for {NO_UNIT} = unit \(its netlist: none"):
        Energy.from_work(work(), load_architecture("t13-simd1"), power="own")


def test_a_clock_that_was_not_simulated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = load_architecture("t13-simd1", ["clock=101 MHz"])
    load(tmp_path, monkeypatch, table_of(machine, path_ns=None))
    with pytest.raises(GnomonError, match=r"simulated with a clock of 100 MHz, and its longest"):
        Energy.from_work(work(), machine, power="own")


def rtl_now(machine: Architecture) -> dict[str, Any]:
    """Return what a table that is made today records."""
    texts = {name: data.decode() for name, data in machine_sources().items()}
    parameters = {key: value.strip('"') for key, value in top_parameters(machine).items()}
    rtl = {"folder": "rtl_tests/hdl", "files": [*texts], "sha256": compute_rtl_digest(texts)}
    return {"rtl": rtl, "parameters": parameters}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, ""),
        ({"rtl": {"sha256": "0" * 64}}, "the RTL sources in rtl_tests/hdl have changed"),
        ({"rtl": {"files": ["gone.sv"]}}, "no longer in rtl_tests/hdl"),
        ({"parameters": {"SPM_BYTES": 2048}}, "parameter SPM_BYTES is 4096, and 2048 in its"),
        ({"parameters": {"CACHE": 1}}, "parameter CACHE is none, and 1 in its netlist"),
        ({"rtl": None}, "does not record the RTL sources"),
        ({"rtl": {"folder": None}}, ""),
    ],
    ids=["today's", "edited", "a file less", "a parameter", "one more", "not recorded", "a user's"],
)
def test_a_stale_table_says_so_in_every_output(
    change: dict[str, Any], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = load_architecture("t13-simd1", ["power=own"])
    made = rtl_now(machine)
    for key, value in change.items():
        made[key] = None if value is None else made[key] | value
    table = yaml.safe_load(table_of(machine))
    table["gate_run"] |= made
    load(tmp_path, monkeypatch, yaml.safe_dump(table, sort_keys=False))
    energy, quote = Energy.from_work(work(), machine), OptionalEnergy.from_work(work(), machine)
    assert energy.stale.startswith(said) or said in energy.stale
    assert bool(energy.stale) == bool(said)
    for text in (energy.caption(), quote.line()):
        assert ("stale table: " in text) == bool(said)
        assert said in text
    assert energy.to_json()["stale"] == energy.stale
    assert energy.to_json()["library"] == energy.library == "none, 1.0 V"


def test_comments_and_blanks_make_no_table_stale() -> None:
    text = "module m; // first\n  assign a = b; /* more\n words */ endmodule\n"
    same = "module m;\nassign a  = b;\nendmodule"
    assert compute_rtl_digest({"m.sv": text}) == compute_rtl_digest({"m.sv": same})
    assert compute_rtl_digest({"m.sv": text}) != compute_rtl_digest(
        {"m.sv": same.replace("= b", "= c")}
    )
    assert compute_rtl_digest({"m.sv": text}) != compute_rtl_digest({"n.sv": text})


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_tables_state_their_machine(name: str) -> None:
    table = load_table(name)
    assert isinstance(table, GateTable)
    machine = load_architecture(name.partition("-")[2].replace("klessydra", "t13"))
    assert {key: [value] for key, value in list_stated_keys(machine).items()} == {
        key: list(values) for key, values in table.machine.items()
    }
    if machine.core.model == "t13":  # a calibrated core has parameters of its own
        parameters = {key.split()[-1]: value for key, value in rtl_parameters(machine).items()}
        for key, value in table.gate_run.parameters.items():
            assert parameters[key].strip('"') == str(value)
    rtl = table.gate_run.rtl
    assert explain_stale(rtl, table.gate_run.parameters, machine) == table.why_stale(machine)
    if rtl is not None and rtl.folder is not None:
        assert {*rtl.files} == {*machine_sources()}


def test_leakage_is_the_static_energy() -> None:
    gates = Energy.from_work(
        work(), load_architecture("t13-simd1", ["power=osu018-t13-simd1"])
    ).to_json()
    assert gates["static_uj"] == gates["units_uj"]["leakage"]
    assert gates["static_uj"]["value"] > 0
    calibrated = Energy.from_work(work(), load_architecture("t13-simd1")).to_json()
    assert calibrated["static_uj"] is None


def test_a_users_sources_are_not_compared() -> None:
    rtl = RtlKeys(folder=None, files=[], sha256="0")
    assert explain_stale(rtl, {}, load_architecture("t13")) == ""
