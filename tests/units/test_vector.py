"""Vector instructions of units: results and cycles, against the oracle and on the host."""

from __future__ import annotations

import ctypes
import re
import subprocess
from functools import cache
from pathlib import Path
from shutil import which
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from gnomon.arch import Architecture, load_architecture
from gnomon.arch.units.load import load_unit
from gnomon.arch.units.machine import add_unit
from gnomon.base.errors import GnomonError
from gnomon.base.files import write_files
from gnomon.cost.energy import Energy
from gnomon.isa import disassemble, encode_row
from gnomon.observe.profile import ProfileFiles, RunProfile
from gnomon.observe.trace import TraceFiles
from gnomon.observe.why import StallAnalysis, find_advice
from gnomon.program import build, build_host, load_elf
from gnomon.program.editor import editor_files
from gnomon.rtl.lockstep import Regression
from gnomon.rtl.machine import MachineCore
from gnomon.rtl.tools import tool
from gnomon.rtl.unit_checks import check_defined
from gnomon.rtl.unit_elements import check_elements
from gnomon.sim import Region, UnitFunctions, record_path, simulate, split_work_by_function
from tests.conftest import absent
from tests.exactness._elf_reader import read_elf
from tests.exactness._runner import BUSES
from tests.oracle import Oracle, OracleConfig

from ._vector_program import Item, Program, oracle_units

if TYPE_CHECKING:
    from collections.abc import Callable

_CYCLES = 20_000
_HERE = Path(__file__).parent
_LANES = Path(__file__).with_name("units") / "lanes"
_NAMES = ("vmadd", "vabove", "vnear", "vpow", "kaddv", "krelu", "kvslt", "load", "empty")
_LATENCIES = (1, 5, 8)
_SHARING = ("shared", "replicated", "multithreaded")


@pytest.fixture(scope="module", autouse=True)
def _project(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A project with the unit, for all examples."""
    folder = tmp_path_factory.mktemp("vector")
    (folder / "gnomon.yaml").touch()
    (folder / "units").mkdir()
    for name in ("lanes", "products"):
        (folder / "units" / name).symlink_to(_LANES.with_name(name))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        yield folder


@cache
def _machine(*overrides: str) -> Architecture:
    return load_architecture("t13-simd1", ["units.lanes={}", *overrides])


@st.composite
def _programs(draw: st.DrawFn, active: int) -> Program:
    bits = draw(st.sampled_from((8, 16, 32)))
    names = [name for name in _NAMES if bits > 8 or name != "vpow"]
    items = st.builds(
        Item, st.sampled_from(names), pad=st.sampled_from((0, 2, 2)),
        to=st.sampled_from((0, 0, 1, 2, 5)),
    )  # fmt: skip
    size = draw(st.integers(1, 96 * 8 // bits)) * bits // 8
    bodies = [tuple(draw(st.lists(items, min_size=1, max_size=6))) for _ in range(active)]
    return Program(bits, size, tuple(bodies))


@st.composite
def _cases(draw: st.DrawFn) -> tuple[Program, int, int, str, int]:
    harts = draw(st.integers(3, 5))
    program = draw(_programs(draw(st.integers(1, min(harts, 4)))))
    simd, sharing = draw(st.sampled_from((1, 2, 4, 8))), draw(st.sampled_from(_SHARING))
    return program, simd, harts, sharing, draw(st.sampled_from(_LATENCIES))


_ALL = tuple(Item(name) for name in _NAMES if name != "empty")


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(_cases())
@example((Program(32, 64, (_ALL, _ALL[::-1], _ALL)), 1, 3, "multithreaded", 5))
@example((Program(16, 62, (_ALL, _ALL[2:] + _ALL[:2], _ALL[::-1], _ALL)), 2, 4, "shared", 8))
@example((Program(8, 95, ((Item("empty"), *_ALL[:2]), _ALL[4:]) * 2), 2, 4, "multithreaded", 5))
@example((Program(8, 21, ((Item("vnear", 0, 5),),)), 1, 3, "shared", 1))  # over its last operand
@example((Program(8, 95, ((Item("load"), Item("vnear"), Item("vmadd", 0, 1)),) * 2), 4, 3,
          "replicated", 1))  # fmt: skip
def test_results_and_cycles_equal_the_oracle(case: tuple[Program, int, int, str, int]) -> None:
    program, simd, harts, sharing, latency = case
    machine = _machine(
        f"units.lanes.latency={latency}", f"vcu.simd={simd}", f"vcu.sharing={sharing}",
        f"core.harts={harts}",
    )  # fmt: skip
    elf = program.elf()
    config = OracleConfig(
        simd=simd, sharing=sharing, harts=harts, vector_units=oracle_units(latency)
    )
    seen = Oracle(config).run(read_elf(elf).segments, _CYCLES)
    run = simulate(load_elf(elf), machine, max_cycles=_CYCLES, trace=True)
    assert run.trace is not None
    assert run.spans is not None
    if not seen.halted:  # a request without effect may block the others for ever
        assert run.halted != "exit"
        assert sharing == "multithreaded"
        assert run.trace.tolist() == seen.trace[: len(run.trace)]
        return
    assert run.trace.tolist() == seen.trace
    assert run.data_memory == seen.data_ram
    assert [hart.vcu_retries for hart in run.harts] == list(seen.retries)
    spans = [span for span in run.spans.tolist() if span[0] >= 0]
    assert spans == [(i.unit, i.start_cycle, i.last_cycle) for i in seen.vcu_intervals]
    bare = simulate(load_elf(elf), machine, max_cycles=_CYCLES)
    assert (bare.exit_cycle, bare.data_memory) == (run.exit_cycle, run.data_memory)


def test_the_c_functions_equal_the_definitions() -> None:
    unit = load_unit("lanes", {})
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-128, 128, 2000).astype(np.int64) for _ in range(2))
    c = rng.integers(0, 1 << 32, 2000)
    functions = UnitFunctions(unit)
    for number, each in enumerate(oracle_units(5)):
        got = functions.apply(
            np.full(2000, number), np.zeros(2000), a & 0xFFFF_FFFF, b & 0xFFFF_FFFF, c
        )
        element = each.op.element
        assert element is not None
        rows = zip(a.tolist(), b.tolist(), c.tolist(), strict=True)
        assert got.tolist() == [element(*row) & 0xFFFF_FFFF for row in rows]
    check_defined(unit, operands=2000)


def _dot() -> int:
    """Return the sum that ``dot8.c`` prints."""

    def byte(value: int) -> int:
        return (value + 128) % 256 - 128

    return sum(byte(37 * k - 100) * byte(91 * k + 5) for k in range(256))


def test_the_shipped_dot_product_gains_and_is_named() -> None:
    source = _HERE / "dot8.c"
    plain, machine = (
        load_architecture("t13-simd4", overrides) for overrides in ([], ["units.dot8={}"])
    )
    cycles = []
    for core, defines in ((plain, {}), (plain, {"WIDE": 1}), (machine, {})):
        program = build([source], core, defines=defines)
        run = simulate(program, core, regions=["dot"])
        assert run.printed == (_dot() & 0xFFFF_FFFF,)
        cycles.append(run.region_totals["dot"].wall_cycles)
    scalar, wide, own = cycles
    assert 20 * own < scalar
    assert 3 * own < wide
    in_order = load_architecture("rv32im-simd4", ["units.dot8={}"])
    assert simulate(build([source], in_order), in_order).printed == (_dot() & 0xFFFF_FFFF,)
    program = build([source], machine)
    run = simulate(program, machine)
    (work,) = [each for each in run.vector_work if each.mnemonic == "kdot8"]
    assert (work.issued, work.size_bytes, work.beats) == (1, 256, 16)
    assert run.work.vector["kdot8"].narrow == 1
    slow = load_architecture("t13-simd4", ["units.dot8.latency=16"])
    assert simulate(program, slow).vector_work[-1].busy_cycles == work.busy_cycles + 10
    word = encode_row(machine.unit_rows[0], rd=10, rs1=11, rs2=12)
    assert disassemble(word, units=machine.unit_rows) == "kdot8 a0,a1,a2"
    with pytest.raises(GnomonError, match=r"with the vector instruction kdot8 is unavailable"):
        Energy.from_work(run.work, machine)


def test_the_host_computes_the_same() -> None:
    machine = load_architecture("t13-simd4", ["units.dot8={}", "units.lanes={}"])
    library = ctypes.CDLL(str(build_host([_HERE / "vector_host.c"], architecture=machine)))
    library.results.restype = ctypes.c_uint32
    run = simulate(build([_HERE / "vector_host.c"], machine), machine)
    assert run.printed == tuple(library.results(k) for k in range(5))


@pytest.mark.parametrize("compiler", ["gcc", "g++"])
def test_the_header_compiles_without_warnings_on_the_host(compiler: str, tmp_path: Path) -> None:
    if which(compiler) is None:
        absent(f"{compiler}: not found; install: sudo apt-get install {compiler}")
    source = tmp_path / ("use.c" if compiler == "gcc" else "use.cc")
    source.write_text("""\
#include "units.h"
uint32_t use(uint32_t x);
uint32_t use(uint32_t x)
{
    kdot8(x, x, x), vmadd(x, x, x, x), vabove(x, x, x), vpow(x, x, -9);
    return twice(x);
}
""")
    machine = _machine("units.dot8={}")
    headers = tmp_path / "build"
    paths = write_files(headers, editor_files(headers, [_HERE / "vector_host.c"], machine))
    assert headers / "units.h" in paths
    subprocess.run(
        [
            compiler,
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fsyntax-only",
            "-I",
            tmp_path / "build",
            source,
        ],
        check=True,
    )


def test_retiming_equals_a_direct_run() -> None:
    machine = load_architecture("t13-simd4", ["units.dot8={}"])
    program = build([_HERE / "dot8.c"], machine)
    main = program.symbol("main")
    path = record_path(program, machine, [Region("main", main.address)], max_cycles=10**7)
    other = load_architecture("t13-simd4", ["units.dot8={}", "vcu.simd=1"])
    (priced,) = path.retime(other)["main"]
    (direct,) = simulate(program, other, regions=["main"]).regions["main"]
    assert (priced.wall_cycles, priced.counters) == (direct.wall_cycles, direct.counters)


def test_another_width_stops_the_run_with_the_reason() -> None:
    program = Program(8, 16, ((Item("vpow"),),))
    run = simulate(load_elf(program.elf()), _machine(), max_cycles=_CYCLES)
    assert run.halted == "fault"
    assert "vector instruction of a unit with MVTYPE = 0" in run.reason


_ERRORS: list[tuple[Callable[[str], str], str]] = [
    (lambda text: text.replace("form: map}", "form: fold}"), "vector.form"),
    (lambda text: text.replace("elements: [16, 32]", "elements: [16, 24]"), "vector.elements"),
    (lambda text: text.replace("elements: [16, 32]", "elements: []"), "at least one width"),
    (lambda text: text.replace("[comparator, adder]", "[adder, adder]"), "names a value twice"),
    (lambda text: text.replace("result, rs1: vector, rs2: sc", "accumulator, rs1: vector, rs2: sc"),
     "operands.rd: of a vector instruction must be one of: result"),
    (lambda text: text.replace("rd: result, rs1: vector, imm", "rd: result, imm"),
     "operands: rs1 of a vector instruction must be one of: vector"),
    (lambda text: text.replace("rs1: operand}", "rs1: vector}"), "vector needs the key vector"),
    (lambda text: text.replace("cycles: 4", "cycles: {by: rs1-bits, cycles: 4}"),
     "must not depend on operands"),
    (lambda text: text.replace("cycles: 4", "cycles: 65"), "must be 1 to 64 cycles"),
    (lambda text: text.replace("cycles: 4", "cycles: 4\n    use: 1"), "writes no register"),
    (lambda text: text + "state: {bytes: 4, of: hart}\n", "lanes have no common state"),
    (lambda text: text + "price: {value: 1, source: a test}\n", "depends on the length"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "message"), _ERRORS, ids=[each for _, each in _ERRORS])
def test_errors_name_file_line_and_key(
    change: Callable[[str], str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "units" / "lanes"
    folder.mkdir(parents=True)
    (tmp_path / "gnomon.yaml").touch()
    (folder / "lanes.c").write_text((_LANES / "lanes.c").read_text())
    text = (_LANES / "unit.yaml").read_text()
    assert change(text) != text
    (folder / "unit.yaml").write_text(change(text))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GnomonError, match=r"unit\.yaml:\d+: .*") as error:
        load_architecture("t13-simd1", ["units.lanes={}"])
    assert message in str(error.value)


def test_a_machine_without_a_vector_unit_has_no_vector_instruction() -> None:
    with pytest.raises(GnomonError, match=r"units\.dot8: kdot8: it needs a vector unit"):
        load_architecture("t13", ["units.dot8={}"])
    with pytest.raises(GnomonError, match=r"units\.dot8: kdot8: it needs a vector unit"):
        add_unit(load_architecture("t13"), load_unit("dot8", {}))


def _write_unit(folder: Path, names: list[str], code: str) -> None:
    """Write the unit ``mine``: instructions that map words, in a project in this folder."""
    (folder / "gnomon.yaml").touch()
    (folder / "units" / "mine").mkdir(parents=True)
    rows = [
        f"  {name}:\n    encoding: {{format: R, opcode: custom-3, funct3: 1, funct7: {k}}}\n"
        "    operands: {rd: result, rs1: vector}\n"
        "    vector: {elements: [32], form: map}\n    cycles: 9\n"
        for k, name in enumerate(names)
    ]
    head = "schema: 1\ntitle: Mine\nsource: a test\ncode: mine.c\ninstructions:\n"
    (folder / "units" / "mine" / "unit.yaml").write_text(head + "".join(rows))
    (folder / "units" / "mine" / "mine.c").write_text(code)


def test_names_of_instructions_decide_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["kmemadd", "kpremul"]  # neither a transfer nor a remainder
    _write_unit(tmp_path, names, "".join(f"UNIT({name}) {{ return a + 1; }}\n" for name in names))
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "names.c"
    calls = "".join(f"{name}(VCU_SPM(2), VCU_SPM(0)); " for name in names * 20)
    source.write_text(
        f'#include "units.h"\nint main(void) {{ vcu_set_mvsize(256); {calls} return 0; }}\n'
    )
    machine = load_architecture("t13-simd4", ["units.mine={}"])
    program = build([source], machine)
    why = StallAnalysis(simulate(program, machine), machine)
    bounds = {each.resource: each for each in why.bounds}
    assert bounds["lanes"].cycles == 40 * 16
    assert bounds["load-store unit"].explanation.endswith(" 0 of transfers")
    source.write_text(source.read_text().replace("256", "16"))
    program = build([source], machine)
    why = StallAnalysis(simulate(program, machine), machine)
    found = find_advice(why, program, "t13-simd4", ["units.mine={}"])
    (longer,) = [each for each in found if each.change == "make vectors longer"]
    assert longer.because.startswith("vector instructions (40) are busy")


def test_the_example_of_the_guide_prints_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "units" / "addsat"
    folder.mkdir(parents=True)
    (tmp_path / "gnomon.yaml").touch()
    page = (_HERE.parents[1] / "docs/guide/unit-vector.md").read_text()
    blocks = [
        dedent(each) for each in re.findall(r"(?:^    .*\n|^\n(?=    ))+", page, re.MULTILINE)
    ]
    texts = {
        folder / "unit.yaml": "schema: 1", folder / "addsat.c": "UNIT(kaddsat)",
        tmp_path / "add.c": "int main", folder / "addsat.sv": "module unit_addsat",
    }  # fmt: skip
    for path, marked in texts.items():
        (block,) = [each for each in blocks if marked in each]
        path.write_text(block)
    monkeypatch.chdir(tmp_path)
    machine = load_architecture("t13-simd4", ["units.addsat={}"])
    program = build([tmp_path / "add.c"], machine)
    run = simulate(program, machine)
    assert run.printed == (32767, -32768 & 0xFFFF_FFFF, 12, 4)
    check_defined(load_unit("addsat", {}), operands=2000)
    if tool("icarus").usable:
        assert check_elements(load_unit("addsat", {}), operands=2000).differences == ()
        regression = Regression(MachineCore("icarus"), tmp_path / "run")
        assert regression.run_both(program, machine)[1].divergence is None


def test_profile_and_traces_name_the_instruction(tmp_path: Path) -> None:
    machine = load_architecture("t13-simd4", ["units.dot8={}"])
    program = build([_HERE / "dot8.c"], machine)
    run = simulate(program, machine, trace=True, calls=True)
    assert sum(run.counters.values()) == run.wall_cycles
    annotated, kanata = tmp_path / "a.txt", tmp_path / "k.log"
    profile = RunProfile.from_run(run, program, machine)
    ProfileFiles.parse([f"annotated={annotated}"]).write(profile)
    TraceFiles.parse([f"kanata={kanata}"]).write(run, machine, program)
    assert all("kdot8" in path.read_text() for path in (annotated, kanata))
    parts = split_work_by_function(run, program, machine)
    assert parts["dot"].vector["kdot8"] == run.work.vector["kdot8"]


def test_energies_of_vector_instructions_are_unavailable(tmp_path: Path) -> None:
    gates = load_architecture("t13-simd1", ["units.dot8={}", "power=osu018-t13-simd1"])
    source = tmp_path / "empty.c"
    source.write_text("int main(void) { return 0; }\n")
    run = simulate(build([source], gates), gates)
    with pytest.raises(GnomonError, match=r"energy of unit dot8 .*: energies of vector .* not mea"):
        Energy.from_work(run.work, gates)


def test_a_machine_has_few_units_with_vector_instructions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gnomon.yaml").touch()
    monkeypatch.chdir(tmp_path)
    for number, count in enumerate((1, 5, 4)):
        rows = [
            f"  v{number}x{k}:\n    encoding: {{format: R, opcode: custom-3, funct3: {number},"
            f" funct7: {k}}}\n    operands: {{rd: result, rs1: vector}}\n"
            "    vector: {elements: [32], form: map}\n    cycles: 4\n"
            for k in range(count)
        ]
        folder = tmp_path / "units" / f"v{number}"
        folder.mkdir(parents=True)
        head = "schema: 1\ntitle: Mine\nsource: a test\ncode: v.c\ninstructions:\n"
        (folder / "unit.yaml").write_text(head + "".join(rows))
        code = "".join(f"UNIT(v{number}x{k}) {{ return a; }}\n" for k in range(count))
        (folder / "v.c").write_text(code)
    load_architecture("t13-simd1", ["units.v0={}", "units.v1={}"])
    with pytest.raises(GnomonError, match="9 vector instructions, more than 8"):
        load_architecture("t13-simd1", ["units.v1={}", "units.v2={}"])
    with pytest.raises(GnomonError, match="more than 2 units have vector instructions: v0, v1, v2"):
        load_architecture("t13-simd1", ["units.v0={}", "units.v1={}", "units.v2={}"])


def test_operand_toggles_equal_the_oracle() -> None:
    program = Program(16, 62, (_ALL, _ALL[::-1]))
    config = OracleConfig(simd=2, vector_units=oracle_units(5))
    seen = Oracle(config).run(read_elf(program.elf()).segments, _CYCLES)
    run = simulate(load_elf(program.elf()), _machine("vcu.simd=2"), toggles=0)
    assert run.exit_cycle == seen.exit_cycle
    counts = run.profile.buses
    assert counts is not None
    places = [run.profile.address(place) for place in range(len(counts))]
    for bus in ("lane_a", "lane_b", "scratchpad_read", "scratchpad_write"):
        values, toggles = BUSES.index(bus), len(BUSES) + BUSES.index(bus)
        rows = zip(places, counts[:, [values, toggles]].tolist(), strict=True)
        found = {pc: pair for pc, pair in rows if pair[0]}
        assert found == {pc: pair for (pc, name), pair in seen.buses.items() if name == bus}, bus


def test_a_late_scalar_makes_a_vector_instruction_wait(tmp_path: Path) -> None:
    source = tmp_path / "late.c"
    source.write_text("""\
#include "units.h"
int main(void)
{
    uint32_t c = 3;
    vcu_set_mvsize(8);
    for (int k = 0; k < 20; k++) {
        c = mulrs(c, 0x40000000, 5);
        vmadd(VCU_SPM(2), VCU_SPM(0), VCU_SPM(1), c);
    }
    return 0;
}
""")
    machine = load_architecture("rv32im-simd4", ["units.lanes={}", "units.products={}"])
    run = simulate(build([source], machine), machine)
    assert run.halted == "exit"
    assert run.counters["hart0.wait.operand"] == 20 * 2  # use of mulrs: 2
