"""Our machine in SystemVerilog against the simulator, cycle by cycle."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from gnomon.arch import list_architectures, load_architecture
from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.isa import CSR_ADDRESS, encode, list_instructions
from gnomon.program import build, load_elf
from gnomon.rtl.bare_metal import DATA_BASE, EXIT_ADDRESS, RESET_PC, SPM_BASE, li, write_elf
from gnomon.rtl.designs import DIVIDER_KINDS, MACHINE_SOURCES, hdl_folder
from gnomon.rtl.lockstep import Regression, Settings
from gnomon.rtl.lockstep._user_program import UserProgram
from gnomon.rtl.machine import MachineCore
from gnomon.rtl.machine._parameters import machine_parameters
from gnomon.rtl.machine._simulation import simulation_of
from gnomon.rtl.setting import SHARINGS, Setting
from gnomon.rtl.tools import tool
from gnomon.sim import simulate
from rtl_tests.mutants.mutant import plant, read_mutant
from tests.conftest import absent
from tests.exactness.test_arbiter import CASES
from tests.exactness.test_arbiter import program as requests
from tests.rows import light_and_heavy
from tests.rtl.conftest import need

if TYPE_CHECKING:
    from collections.abc import Callable

    from gnomon.arch import Architecture
    from gnomon.program import Program
    from gnomon.rtl import Tool
    from gnomon.rtl.lockstep import Result

PROGRAMS = content("tests", "reference", "t13x", "programs", "expected.csv")
PATCHES = sorted(Path(__file__).parents[2].glob("rtl_tests/mutants/core-*.patch"))
PATCHES += sorted(Path(__file__).parents[2].glob("rtl_tests/mutants/machine-*.patch"))
WORK = ("alu", "mul", "mulh", "div")
WIDE = 4
SEEDS = 60  # every combination of SIMD, sharing and superscalar twice or more
# In `make test`: each sharing of the vector unit; the cheaper seeds.
FEW_SEEDS = ("2", "8", "16")
FEW_WAITS = ("0", "8")  # of 1 and 2 cycles, shared and multithreaded
FEW_PROGRAMS = ("p05", "p07")  # p07: traps and an interrupt
FEW_MACHINES = ("0",)
# Without a vector unit; that of the paper. Seeds have the others.
FEW_SHIPPED = ("t13", "t13-paper-simd1")
FEW_BUGS = ("core-load-sign", "core-store-trap-busy", "machine-grant-kept")


@pytest.fixture(scope="module", autouse=True)
def icarus() -> None:
    need(tool("icarus"))


def regression(
    folder: Path,
    *overrides: str,
    hdl: Path | None = None,
    simulator: Literal["icarus", "verilator"] = "icarus",
) -> Regression:
    settings = Settings("t13-simd1", overrides)
    return Regression(MachineCore(simulator, hdl), folder, settings, most_tries=0)


def dealt(seed: int, folder: Path, *overrides: str) -> Result:
    """The random program of a seed in its setting.

    Three wide vector units take Icarus 1.6 ms a cycle: on Verilator they are one build for each
    width.
    """
    setting = Settings().setting_of(seed)
    wide = setting.sharing == "replicated" and setting.simd >= WIDE
    if not wide or tool("verilator").path is None:
        return regression(folder, *overrides).seed(seed, setting)
    setting = replace(setting, scratchpad_bytes=1024)
    return regression(folder, *overrides, simulator="verilator").seed(seed, setting)


def told(result: Result) -> str:
    return f"{result.name}, {result.setting.title}: {result.compared.divergence}"


@pytest.mark.parametrize("quirks", ["core", "vcu"])
def test_each_quirk_has_its_bit(quirks: str) -> None:
    """The parameter file sets bits in the order of the keys; the package names them."""
    machine = load_architecture("t13-simd1")
    section = machine.core.quirks if quirks == "core" else machine.vcu and machine.vcu.quirks
    assert section is not None
    package = (hdl_folder() / "t13_pkg.svh").read_text("utf-8")
    named = re.findall(r"localparam int (\w+) = (\d+);", package)
    end = [name for name, _ in named].index("CORE_QUIRK_COUNT")
    own = named[: end + 1] if quirks == "core" else named[end + 1 :]
    wanted = [(name.upper(), str(bit)) for bit, (name, _) in enumerate(section)]
    assert own == [*wanted, (f"{quirks.upper()}_QUIRK_COUNT", str(len(wanted)))]


def test_one_quirk_is_one_bit() -> None:
    off = "core.quirks.unknown_csr_reads_zero=false"
    (line,) = [
        line
        for line in machine_parameters(load_architecture("t13", [off])).splitlines()
        if "CORE_QUIRKS" in line
    ]
    assert line.endswith("20'b11111111111111011111;")


@pytest.mark.parametrize("name", list_architectures())
def test_every_t13_has_parameters_and_no_other_machine(name: str) -> None:
    machine = load_architecture(name)
    if machine.core.model == "t13":
        assert f"int HARTS = {machine.core.harts};" in machine_parameters(machine)
    else:
        with pytest.raises(GnomonError, match=f"^{name}: core.model inorder: our RTL is a t13$"):
            machine_parameters(machine)


def test_what_our_rtl_has_not_is_refused_by_name() -> None:
    machine = load_architecture(
        "t13-paper-simd4", ["core.divider=newton_lut", "vcu.morph_quirks.divide_drops_signs=true"]
    )
    with pytest.raises(GnomonError) as refused:
        machine_parameters(machine)
    lines = str(refused.value).splitlines()
    assert lines[0].startswith("t13-paper-simd4: core.divider newton_lut: our RTL does not have it")
    assert lines[1].startswith("t13-paper-simd4: vcu.morph_quirks.divide_drops_signs: our RTL")


@pytest.mark.parametrize("seed", light_and_heavy("rtl", FEW_SEEDS, range(SEEDS), str))
def test_random_programs_are_equal(seed: int, tmp_path: Path) -> None:
    result = dealt(seed, tmp_path)
    assert result.same, told(result)


@pytest.mark.parametrize("seed", light_and_heavy("rtl", ("0",), range(6), str))
def test_random_programs_are_equal_with_more_harts(seed: int, tmp_path: Path) -> None:
    setting = replace(Settings().setting_of(seed), harts=6 + seed % 3)
    result = regression(tmp_path).seed(seed, setting)
    assert result.same, told(result)


@pytest.mark.parametrize("seed", light_and_heavy("rtl", FEW_WAITS, range(12), str))
def test_random_programs_are_equal_with_wait_states(seed: int, tmp_path: Path) -> None:
    result = dealt(seed, tmp_path, f"memory.data.waits={(1, 2, 5)[seed % 3]}")
    assert result.same, told(result)


@pytest.mark.parametrize(
    "given",
    light_and_heavy("rtl", FEW_PROGRAMS, UserProgram.read(PROGRAMS), lambda given: given.path.stem),
)
def test_programs_of_the_reference_are_equal(given: UserProgram, tmp_path: Path) -> None:
    result = regression(tmp_path).given(given)
    assert result.same, told(result)


def lint(parameters: str, folder: Path) -> str:
    """What `verilator -Wall` says of a machine."""
    found = tool("verilator")
    if found.path is None:
        absent("verilator: not found; install: sudo apt-get install verilator")
    package = folder / "t13_machine_pkg.svh"
    package.write_text(parameters)
    names = ("t13.vlt", *MACHINE_SOURCES, "t13_machine.sv")
    files = [str(package), *(str(hdl_folder() / name) for name in names)]
    command = [found.path, "--lint-only", "-Wall", "--top-module", "t13_machine", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode == 0 or done.stderr else f"exit {done.returncode}"


@pytest.mark.parametrize(
    "machine",
    light_and_heavy(
        "rtl",
        2,
        [
            pytest.param(("t13-simd4", "vcu.sharing=multithreaded"), id="multithreaded"),
            pytest.param(
                ("t13-simd1", "core.harts=5", "core.quirks.fetched_before_store=false"), id="harts"
            ),
            pytest.param(("t13",), id="scalar"),
            pytest.param(
                ("t13-paper-simd2", "vcu.sharing=replicated", "core.divider=early_clz_r4"),
                id="paper",
            ),
        ],
    ),
)
def test_verilator_has_nothing_to_say(machine: tuple[str, ...], tmp_path: Path) -> None:
    assert lint(machine_parameters(load_architecture(machine[0], machine[1:])), tmp_path) == ""


def with_harts(harts: int, sharing: str = "shared") -> str:
    """Parameters of a machine with more or fewer harts than machine files allow."""
    parameters = machine_parameters(load_architecture("t13-simd1", [f"vcu.sharing={sharing}"]))
    assert parameters.count("int HARTS = 3;") == 1
    return parameters.replace("int HARTS = 3;", f"int HARTS = {harts};")


@pytest.mark.parametrize("harts", light_and_heavy("rtl", ("2", "7"), range(2, 9), str))
def test_any_number_of_harts_is_clean(harts: int, tmp_path: Path) -> None:
    sharing = SHARINGS[harts % len(SHARINGS)]
    assert lint(with_harts(harts, sharing), tmp_path) == ""


@pytest.mark.parametrize("harts", light_and_heavy("rtl", ("2",), range(2, 9), str))
def test_yosys_finds_nothing_wrong(harts: int, synthesizer: Tool, tmp_path: Path) -> None:
    """Nothing is driven twice or not at all, and there is no loop."""
    # Its wheel sees no other place below /tmp than the folder that it is started in.
    folder = Path(shutil.copytree(hdl_folder(), tmp_path / "hdl"))
    package = folder / "t13_machine_pkg.svh"
    package.write_text(with_harts(harts, SHARINGS[harts % len(SHARINGS)]))
    sources = " ".join((package.name, *MACHINE_SOURCES, "t13_machine.sv"))
    steps = f"read_verilog -sv {sources}; hierarchy -top t13_machine; proc; check -assert"
    done = subprocess.run(
        [str(synthesizer.path), "-q", "-p", steps],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


VALUES = (0, 1, 0xFFFF_FFFF, 0x8000_0000, 0x7FFF_FFFF, 0x8001_7FFE)


def integer_program(values: tuple[int, ...] = VALUES) -> Program:
    """Every integer instruction on odd operands, every load at every place; results are stored."""
    rows = [row for row in list_instructions(("I", "M")) if row.timing_class in WORK]
    loads = {"lb": 1, "lbu": 1, "lh": 2, "lhu": 2, "lw": 4}
    words = [*li(30, DATA_BASE)]
    for a, b in product(values, values):
        words += [*li(5, a), *li(6, b), encode("sw", rs1=30, rs2=5, imm=0)]
        for row in rows:
            if row.format == "R":
                words.append(encode(row.mnemonic, rd=7, rs1=5, rs2=6))
            elif row.format == "shift":
                words.append(encode(row.mnemonic, rd=7, rs1=5, imm=b & 31))
            elif row.format == "I":
                words.append(encode(row.mnemonic, rd=7, rs1=5, imm=(b & 0xFFF ^ 0x800) - 0x800))
            words.append(encode("sw", rs1=30, rs2=7, imm=4))
        for name, size in loads.items():
            for place in range(0, 4, size):
                words.append(encode(name, rd=7, rs1=30, imm=place))
                words.append(encode("sw", rs1=30, rs2=7, imm=4))
    return load_elf(write_elf([(RESET_PC, alone(words))]), name="integer work")


def test_integer_work_is_equal(tmp_path: Path) -> None:
    machine = load_architecture("t13")
    run, compared = regression(tmp_path).run_both(integer_program(), machine)
    assert compared.divergence is None, compared.divergence
    assert compared.issues > 8000
    assert run.exit_code == 0


def arbiter_program(case: int = -1) -> tuple[Program, Architecture]:
    """Harts that ask for functional units; of the last one, a grant is lost."""
    machine = load_architecture("t13-simd1", ["vcu.sharing=multithreaded"])
    return load_elf(requests(CASES[case][0]), name=f"requests {case}"), machine


def transfer_program() -> tuple[Program, Architecture]:
    """Words that go through scratchpads and the vector unit and back."""
    source = content("examples", "rtl", "int8_product.c").resolve()
    machine = load_architecture("t13-simd4")
    return build([source], machine), machine


def counter_program() -> tuple[Program, Architecture]:
    """Both halves of the counters after writes of either, as each hart reads them."""
    words = [*li(30, DATA_BASE)]
    place = 0
    for name, low, high in product(("mcycle", "minstret"), (0, 1, 0xFFFF_FFF0), (0, 1, 7)):
        for half, value in ((name, low), (f"{name}h", high)):
            words += [*li(5, value), encode("csrrw", rs1=5, csr=CSR_ADDRESS[half])]
        for half in (f"{name}h", name, f"{name}h"):
            words += [encode("csrrs", rd=6, csr=CSR_ADDRESS[half])]
            words += [encode("sw", rs1=30, rs2=6, imm=place)]
            place += 4
    return load_elf(write_elf([(RESET_PC, alone(words))]), name="counters"), load_architecture(
        "t13"
    )


def transfers_in_a_row() -> tuple[Program, Architecture]:
    """Transfers directly after transfers, whose last request asks for a word too many."""
    machine = load_architecture("t13-simd1")
    words = [*li(30, DATA_BASE), *li(29, SPM_BASE), *li(28, DATA_BASE + 512)]
    for round_ in range(12):
        words += [*li(27, 4 * (1 + round_ % 3)), encode("addi", rd=26, rs1=30, imm=4 * round_)]
        words.append(encode("kmemld", rd=29, rs1=30, rs2=27))
        words.append(encode("kmemld", rd=29, rs1=26, rs2=27))
        words.append(encode("kmemstr", rd=28, rs1=29, rs2=27))
        words.append(encode("addi", rd=28, rs1=28, imm=16))
    data = b"".join((0x01010101 * n).to_bytes(4, "little") for n in range(64))
    elf = write_elf([(RESET_PC, alone(words)), (DATA_BASE, data)])
    return load_elf(elf, name="transfers in a row"), machine


def alone(words: list[int]) -> bytes:
    """Code of one hart that exits; the other harts stay in front of it."""
    end = [*li(31, EXIT_ADDRESS), encode("sw", rs1=31, rs2=0), encode("jal", imm=0)]
    head = [encode("jal", imm=8), encode("addi"), encode("csrrs", rd=5, csr=CSR_ADDRESS["mhartid"])]
    head.append(encode("bne", rs1=5, rs2=0, imm=0))
    return b"".join(word.to_bytes(4, "little") for word in (*head, *words, *end))


PROGRAM_BENCHES: dict[str, Callable[[], tuple[Program, Architecture]]] = {
    "integers": lambda: (integer_program(), load_architecture("t13")),
    "few integers": lambda: (integer_program((1, 0x8001_7FFE)), load_architecture("t13")),
    "arbiter": arbiter_program,
    "transfers": transfer_program,
    "counters": counter_program,
    "row": transfers_in_a_row,
}


@pytest.mark.parametrize(
    ("bench", "waits"),
    light_and_heavy(
        "rtl",
        1,
        [("few integers", 1), ("row", 1), ("transfers", 1), ("transfers", 2), ("integers", 1)],
    ),
)
def test_memories_that_answer_late_change_no_result(bench: str, waits: int, tmp_path: Path) -> None:
    """Grants and answers come after any number of cycles; the rules have no such memories."""
    assert late_memories_differ(bench, waits, tmp_path) == ""


def late_memories_differ(bench: str, waits: int, folder: Path, hdl: Path | None = None) -> str:
    """What differs if grants and answers come late; empty for nothing."""
    program, machine = PROGRAM_BENCHES[bench]()
    run = simulate(program, machine, trace=True, bus=True)
    assert run.bus is not None
    late = simulation_of(machine, "icarus", hdl).observe(
        program, folder, last_cycle=20 * run.exit_cycle, waits=waits
    )
    if late.ended != "exit":
        return late.ended
    assert late.cycle > run.exit_cycle
    if late.memory != run.instruction_memory + run.data_memory:
        return "memory"
    # The same requests in the same order: one hart works.
    same = late.bus[:, 1:].tolist() == [list(row)[1:] for row in run.bus.tolist()]
    return "" if same else "requests"


@pytest.mark.parametrize("case", range(len(CASES)))
def test_requests_of_the_arbiter_are_equal(case: int, tmp_path: Path) -> None:
    run, compared = regression(tmp_path).run_both(*arbiter_program(case))
    assert compared.divergence is None, compared.divergence
    assert run.exit_cycle == CASES[case][1]


@pytest.mark.parametrize("name", light_and_heavy("rtl", FEW_SHIPPED, list_architectures(), str))
def test_every_t13_that_ships_is_equal(name: str, tmp_path: Path) -> None:
    machine = load_architecture(name)
    if machine.core.model != "t13" or machine.core.rtl != "t13x":
        return
    core = Regression(MachineCore("icarus"), tmp_path, Settings(name), most_tries=0)
    result = core.seed(1, Setting.from_architecture(machine))
    assert result.same, told(result)


def random_machine(seed: int) -> tuple[Settings, Setting]:
    """Any harts, lanes, sharing, sizes and dividers; each quirk turned over now and then."""
    rng = random.Random(f"machine {seed}")
    name = rng.choice(("t13", "t13-simd1", "t13-paper-simd4"))
    machine = load_architecture(name)
    vcu = machine.vcu
    overrides = [f"core.divider={rng.choice(DIVIDER_KINDS)}"]
    if vcu is not None and vcu.divider is not None:
        overrides.append(f"vcu.divider={rng.choice(DIVIDER_KINDS)}")
    sections = {"core": machine.core.quirks, **({"vcu": vcu.quirks} if vcu else {})}
    for section, quirks in sections.items():
        for key, value in quirks:
            if rng.random() < 0.15:
                overrides.append(f"{section}.quirks.{key}={str(not value).lower()}")
    if "vcu.quirks.scalar_read_every_beat=false" in overrides:
        overrides.append("vcu.quirks.scalar_beside_vector=false")  # refused by name
    setting = Setting(
        simd=rng.choice((1, 2, 4, 8)) if vcu else 0,
        sharing=rng.choice(SHARINGS) if vcu else "shared",
        superscalar=rng.random() < 0.7,
        harts=rng.randint(3, 5),
        scratchpad_bytes=rng.choice((1024, 2048, 4096)),
        count_all=rng.random() < 0.5,
    )
    return Settings(name, tuple(dict.fromkeys(overrides))), setting


@pytest.mark.parametrize("seed", light_and_heavy("rtl", FEW_MACHINES, range(50), str))
def test_random_machines_are_equal(seed: int, tmp_path: Path) -> None:
    settings, setting = random_machine(seed)
    core = Regression(MachineCore("icarus"), tmp_path, settings, most_tries=0)
    result = core.seed(seed, setting)
    assert result.same, f"{settings}: {told(result)}"


def bench_differs(bench: tuple[str, ...], folder: Path, hdl: Path | None = None) -> bool:
    """Whether our RTL, or another, differs from the simulator on the bench of a seeded bug."""
    if bench[0] == "late":
        return bool(late_memories_differ(bench[1], 1, folder, hdl))
    if bench[0] in PROGRAM_BENCHES:
        _, compared = regression(folder, hdl=hdl).run_both(*PROGRAM_BENCHES[bench[0]]())
        return compared.divergence is not None
    _, simd, sharing, superscalar, seed = bench
    setting = Settings().parsed(simd, sharing, superscalar).setting_of(int(seed))
    return not regression(folder, hdl=hdl).seed(int(seed), setting).same


@pytest.mark.parametrize("patch", light_and_heavy("rtl", FEW_BUGS, PATCHES, lambda path: path.stem))
def test_a_seeded_bug_is_caught(patch: Path, tmp_path: Path) -> None:
    mutant = read_mutant(patch)
    hdl = plant(mutant, hdl_folder(), tmp_path / "hdl")
    assert bench_differs(mutant.bench, tmp_path / "runs", hdl)


@pytest.mark.heavy("rtl")
@pytest.mark.parametrize("bench", sorted({read_mutant(path).bench for path in PATCHES}))
def test_without_a_bug_its_bench_differs_in_nothing(bench: tuple[str, ...], tmp_path: Path) -> None:
    assert not bench_differs(bench, tmp_path)


def test_there_are_seeded_bugs_in_every_part() -> None:
    every = sorted(PATCHES[0].parent.glob("*.patch"))
    assert len(every) >= 40
    parts = {part: sum(path.stem.startswith(part) for path in every)
             for part in ("core-", "machine-", "vcu-", "div-")}  # fmt: skip
    assert sum(parts.values()) == len(every)
    assert min(parts.values()) >= 4
