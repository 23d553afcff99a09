"""Units in the other parts of gnomon: templates, schemas, sweeps, re-timing, profiles, traces."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gnomon.arch import Described, load_architecture
from gnomon.arch.units.load import load_unit
from gnomon.explore import make_sweep
from gnomon.observe.profile import ProfileFiles, RunProfile
from gnomon.observe.trace import TraceFiles
from gnomon.program import build
from gnomon.sim import NotPriceable, Region, Run, record_path, simulate

from .test_runs import _UNITS, machine

_PROGRAM = Path(__file__).with_name("program.c")


@pytest.mark.usefixtures("project")
def test_show_lists_the_parameters_with_their_ranges() -> None:
    rows = {row.path: row for row in Described.list_keys("t13", ["units.products.stages=2"])}
    row = rows["units.products.stages"]
    assert (row.value, row.default, row.allowed) == ("2", "3", "1 to 4")
    assert row.origin == "--set units.products.stages=2"
    assert rows["units.products"].value == load_unit("products", {}).title
    assert "units" in {row.path for row in Described.list_keys("t13")}


@pytest.mark.usefixtures("project")
def test_a_parameter_is_an_axis_of_a_sweep() -> None:
    raw = {
        "schema": 1, "name": "stages", "arch": "t13", "program": str(_PROGRAM),
        "axes": {"units.products.stages": [1, 2, 4]}, "fixed": {"units.ones": "none"},
        "objectives": ["wall_cycles"],
    }  # fmt: skip
    sweep = make_sweep(json.loads(json.dumps(raw)))
    assert [axis.name for axis in sweep.axes] == ["units.products.stages"]
    with pytest.raises(Exception, match="stages must be 1 to 4, not 9"):
        make_sweep(raw | {"axes": {"units.products.stages": [1, 9]}})


@pytest.mark.usefixtures("project")
def test_retiming_equals_a_direct_run() -> None:
    core = machine("t13", "core.divider=restoring_r2")
    program = build([_PROGRAM], core)
    main = program.symbol("main")
    path = record_path(program, core, [Region("main", main.address)], max_cycles=10**7)
    other = machine("t13", "core.divider=early_clz_r2")
    (priced,) = path.retime(other)["main"]
    (direct,) = simulate(program, other, regions=["main"]).regions["main"]
    assert (priced.wall_cycles, priced.counters) == (direct.wall_cycles, direct.counters)
    assert priced.counters["execute.unit"] > 0
    for change in ("units.products.stages=2", "units.latest={}", "units.tally=none", "units=none"):
        with pytest.raises(NotPriceable, match="differs from the machine of the recording"):
            path.retime(machine("t13", "core.divider=early_clz_r2", change))


@pytest.mark.usefixtures("project")
def test_profile_and_traces_name_the_instructions(project: Path) -> None:
    core = machine("t13")
    program = build([_PROGRAM], core)
    run = simulate(program, core, trace=True, calls=True)
    assert sum(run.counters.values()) == run.wall_cycles
    annotated, kanata, perfetto = (project / name for name in ("a.txt", "k.log", "p.json"))
    profile = RunProfile.from_run(run, program, core)
    ProfileFiles.parse([f"annotated={annotated}"]).write(profile)
    TraceFiles.parse([f"kanata={kanata}", f"perfetto={perfetto}"]).write(run, core, program)
    for path in (annotated, kanata, perfetto):
        text = path.read_text()
        assert "popcount" in text
        assert "madd" in text
    assert ".word" not in annotated.read_text()
    assert "user-defined units" in perfetto.read_text()
    assert call_cycles(run) == run.wall_cycles


def call_cycles(run: Run) -> int:
    """Return the sum over all call paths, and the cycles before the first issue."""
    return sum(node.cycles for node in run.call_nodes) + run.counters["boot"]


@pytest.mark.usefixtures("project")
def test_machines_without_units_do_not_change() -> None:
    plain = load_architecture("t13")
    assert "units" not in plain.to_dict()
    assert load_architecture("t13", [*_UNITS, "units=none"]) == plain
