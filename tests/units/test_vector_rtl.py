"""SystemVerilog of vector instructions: elements against C, and the vector unit in lock-step."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from gnomon.arch import load_architecture
from gnomon.arch.units.area import AREA_FILE, area_text, parameters_text
from gnomon.arch.units.lanes import hardware_of
from gnomon.arch.units.load import load_unit
from gnomon.base.errors import GnomonError
from gnomon.cost.area import Area
from gnomon.program import load_elf
from gnomon.rtl.lockstep import Regression, Settings
from gnomon.rtl.machine import MachineCore
from gnomon.rtl.tools import tool
from gnomon.rtl.unit_elements import check_elements
from tests.conftest import absent
from tests.rows import light_and_heavy

from ._lanes_rtl import write_lanes
from ._vector_program import Item, Program

if TYPE_CHECKING:
    from pathlib import Path

# The first instruction waits for a load of its target; no item writes over an earlier result.
_LOAD = Item("load", pad=2)
_ALL = tuple(
    Item(name, to=20 * k) for k, name in enumerate(("vmadd", "vabove", "vnear", "vpow", "kaddv"))
)
_NARROW = tuple(
    Item(name, to=25 * k) for k, name in enumerate(("vnear", "vmadd", "vabove", "kvslt"))
)
_PROGRAMS, _STEP = 200, 2


@pytest.fixture(autouse=True)
def _icarus() -> None:
    if not tool("icarus").usable:
        absent("iverilog")


@pytest.fixture
def lanes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the unit with SystemVerilog, in a project that is the current folder."""
    monkeypatch.chdir(tmp_path)
    return write_lanes(tmp_path)


@pytest.mark.usefixtures("lanes")
@pytest.mark.parametrize(
    ("name", "parameters"),
    [("dot8", {}), ("dot8", {"latency": 4}), ("lanes", {}), ("lanes", {"latency": 3})],
)
def test_elements_equal_the_c_after_their_registers(name: str, parameters: dict[str, int]) -> None:
    assert check_elements(load_unit(name, parameters), operands=1500).differences == ()


@pytest.mark.parametrize(("file", "old", "new"), [
    ("unit.yaml", "cycles: 7", "cycles: 8"),
    ("unit.yaml", "cycles: latency + 1", "cycles: max(4, latency)"),
    ("lanes.c", "a * b + c", "a * b - c"),
    ("lanes.c", "(int32_t)a > (int32_t)b ? a : b", "a > b ? a : b"),
    ("lanes.sv", "if (advance) held", "held"),
    ("lanes.sv", "a * a + c", "a * a + {20'd0, c[11:0]}"),
    ("lanes.sv", "$signed(a) > $signed(b) ? a - b", "$signed(a) >= $signed(b) + 1 ? a - b"),
])  # fmt: skip
def test_a_seeded_bug_is_found(lanes: Path, file: str, old: str, new: str) -> None:
    path = lanes / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    outcome = check_elements(load_unit("lanes", {"latency": 4}), operands=3000)
    assert outcome.wrong
    assert re.match(r"v\w+ a=0x\w+ .* in SystemVerilog, 0x\w+ in C", outcome.differences[0])


@pytest.mark.usefixtures("lanes")
@pytest.mark.parametrize(("program", "simd", "sharing", "latency"), [
    (Program(16, 62, ((_LOAD, *_ALL), (_LOAD, *_ALL[::-1]))), 2, "multithreaded", 5),
    (Program(8, 95, ((_LOAD, *_NARROW), (Item("empty"), *_NARROW[::-1]))), 1, "shared", 20),
])  # fmt: skip
def test_all_forms_are_equal_in_lock_step(
    tmp_path: Path, program: Program, simd: int, sharing: str, latency: int
) -> None:
    machine = load_architecture("t13-simd1", [
        f"units.lanes.latency={latency}", f"vcu.simd={simd}", f"vcu.sharing={sharing}",
    ])  # fmt: skip
    run = Regression(MachineCore("icarus"), tmp_path / "run").run_both
    _, compared = run(load_elf(program.elf()), machine)
    assert compared.divergence is None


@pytest.mark.usefixtures("lanes")
@pytest.mark.parametrize("start", light_and_heavy("rtl", 1, range(0, _PROGRAMS, _STEP)))
def test_random_programs_are_equal(start: int, tmp_path: Path) -> None:
    """With two vector units, at all numbers of lanes, of harts, and kinds of sharing."""
    settings = Settings("t13-simd1", ("units.lanes={}", "units.dot8={}"), harts=(3, 4, 5))
    results = Regression(MachineCore("icarus"), tmp_path, settings).run_all(
        (), range(start, start + _STEP)
    )
    assert [each.name for each in results if not each.same] == []
    met = {rule for each in results for rule, count in each.met.items() if count}
    assert met & {"kdot8", "vmadd", "vabove", "vnear", "vpow"}


def test_cycles_that_the_hardware_cannot_have_are_rejected(lanes: Path) -> None:
    path = lanes / "unit.yaml"
    text = path.read_text()
    vabove = re.findall(r"operands: .*rs2: scalar}\n.*adder\]}", text)[0]
    for old, new, message in (
        ("cycles: 7", "cycles: 3", "must be 4 to 64 cycles .* with SystemVerilog and form: reduce"),
        ("cycles: 4", "cycles: 2", "must be 3 to 64 cycles .* with SystemVerilog and form: map"),
        (vabove, "operands: {rd: result, rs1: operand}",
         "rtl: vmadd is a vector instruction, and vabove is not: put"),
    ):  # fmt: skip
        assert old in text
        path.write_text(text.replace(old, new))
        with pytest.raises(GnomonError, match=message):
            load_unit("lanes", {})


def test_a_vector_unit_without_systemverilog_is_rejected_by_name(lanes: Path) -> None:
    path = lanes / "unit.yaml"
    path.write_text(re.sub("rtl: .*\n", "", path.read_text()))
    with pytest.raises(GnomonError, match=r"units\.lanes: it has no SystemVerilog"):
        MachineCore.parameters(load_architecture("t13-simd1", ["units.lanes={}"]))


def test_the_area_is_that_of_all_lanes(lanes: Path) -> None:
    """Of every set of functional units; a change of the elements makes the figure stale."""
    unit = load_unit("lanes", {})
    row = {"parameters": parameters_text(unit.values), "lut": "10", "ff": "7", "dsp": "4",
           "bram": "0", "tool": "a test", "rtl": hardware_of(unit).digest}  # fmt: skip
    (lanes / AREA_FILE).write_text(area_text("lanes", [row]))

    def area(*overrides: str) -> float:
        return Area.from_architecture(load_architecture("t13-simd4", overrides)).total.lut.value

    for sharing, sets in (("replicated", 3), ("multithreaded", 1)):
        plain = area(f"vcu.sharing={sharing}")
        assert area(f"vcu.sharing={sharing}", "units.lanes={}") == plain + 4 * sets * 10
    path = lanes / "unit.yaml"
    path.write_text(path.read_text().replace("elements: [8, 16, 32]", "elements: [16, 32]"))
    with pytest.raises(GnomonError, match="its SystemVerilog has changed"):
        area("units.lanes={}")
