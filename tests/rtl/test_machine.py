"""Our machine in SystemVerilog against the simulator, cycle by cycle."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gnomon.arch import list_architectures, load_architecture
from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.rtl._designs import hdl_folder
from gnomon.rtl._tools import tool
from gnomon.rtl.lockstep import Regression, Settings, Target, read_programs
from gnomon.rtl.machine import MachineCore, machine_parameters
from rtl_tests.mutants.mutant import plant, read_mutant
from tests.rtl.conftest import need

if TYPE_CHECKING:
    from gnomon.rtl.lockstep import Result
    from gnomon.rtl.lockstep._regression import Given

PROGRAMS = content("tests", "reference", "t13x", "programs", "expected.csv")
PATCHES = sorted(Path(__file__).parents[2].glob("rtl_tests/mutants/core-*.patch"))
PATCHES += sorted(Path(__file__).parents[2].glob("rtl_tests/mutants/machine-*.patch"))
LONG = ("p00", "p02", "p06", "p_conv_h1_s4", "p_dotps_h3_s4_rep")  # ten seconds each, and more
SEEDS = 72  # three times every combination of SIMD, sharing and superscalar


@pytest.fixture(scope="module", autouse=True)
def icarus() -> None:
    need(tool("icarus"))


def regression(folder: Path, *overrides: str, hdl: Path | None = None) -> Regression:
    target = Target("t13-simd1", overrides)
    return Regression(MachineCore(target, "icarus", hdl), target, folder, most_tries=0)


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


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_programs_are_equal(seed: int, tmp_path: Path) -> None:
    result = regression(tmp_path).seed(seed, Settings().of(seed))
    assert result.same, told(result)


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(each, marks=[pytest.mark.nightly] if each.path.stem in LONG else [])
        for each in read_programs(PROGRAMS)
    ],
    ids=lambda given: given.path.stem,
)
def test_programs_of_the_reference_are_equal(given: Given, tmp_path: Path) -> None:
    result = regression(tmp_path).given(given)
    assert result.same, told(result)


@pytest.mark.parametrize("patch", PATCHES, ids=lambda patch: patch.stem)
def test_a_seeded_bug_is_caught(patch: Path, tmp_path: Path) -> None:
    mutant = read_mutant(patch)
    _, simd, sharing, seed = mutant.bench
    setting = Settings.parse(simd, sharing, "on").of(int(seed))
    core = regression(tmp_path / "runs", hdl=plant(mutant, hdl_folder(), tmp_path / "hdl"))
    assert not core.seed(int(seed), setting).same
