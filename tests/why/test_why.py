"""Stall stacks sum, bounds bound, and gains are those of direct runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.cli.app import app
from gnomon.observe.why import StallAnalysis, compute_what_if
from gnomon.program import Program, build, load_elf
from gnomon.sim import Region, simulate

PROGRAMS = sorted((Path(__file__).parents[1] / "reference" / "t13x" / "programs").glob("*.elf"))
MOST_CYCLES = 3_000_000
SOURCE = """\
#include "vcu.h"
int a[256], b[256], c[256];
volatile int seed = 77;
int main(int hart)
{
    for (int i = 0; i < 256; i++) { a[i] = i; b[i] = 1 + i; }
    vcu_set_mvsize(1024);
    kmemld(VCU_SPM(0), a, 1024);
    kmemld(VCU_SPM(1), b, 1024);
    for (int i = 0; i < 8; i++) kaddv(VCU_SPM(2), VCU_SPM(0), VCU_SPM(1));
    kmemstr(c, VCU_SPM(2), 1024);
    int sum = c[9];
    for (int i = 1; i < 10; i++) sum += seed / (seed - i);
    return sum;
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    path = tmp_path_factory.mktemp("why") / "lanes.c"
    path.write_text(SOURCE)
    return build([path], load_architecture("t13-simd2"))


@pytest.mark.parametrize("path", [*PROGRAMS[:2], *PROGRAMS[-4:]], ids=lambda path: path.stem)
def test_stack_and_bounds(path: Path) -> None:
    for name, overrides in (
        ("t13-simd4", []),
        ("t13-simd1", ["vcu.sharing=replicated"]),
        ("t13-simd2", ["core.superscalar=false"]),
    ):
        architecture = load_architecture(name, overrides)
        run = simulate(load_elf(path), architecture, max_cycles=MOST_CYCLES)
        assert (
            sum(part.cycles for part in StallAnalysis(run, architecture).stack) == run.wall_cycles
        )
        found = StallAnalysis(run, architecture).bounds
        assert [b.cycles for b in found] == sorted((b.cycles for b in found), reverse=True)
        assert all(0 <= bound.cycles <= run.wall_cycles for bound in found)
        assert {b.resource for b in found} == {
            "issue slots", "execute stage", "load-store unit", "lanes",
        }  # fmt: skip


def test_gains_are_those_of_direct_runs(program: Program) -> None:
    region = Region("main", program.symbol("main").address)
    found = compute_what_if(program, "t13-simd2", [], region, max_cycles=MOST_CYCLES)

    def direct(*overrides: str) -> int:
        architecture = load_architecture("t13-simd2", overrides)
        return simulate(program, architecture, regions=[region]).regions["main"][0].wall_cycles

    assert found.cycles == direct()
    assert found.refusal == ""
    gains = {gain.change: gain for gain in found.gains}
    fastest = "fastest divider, if it reaches the clock"
    assert set(gains) == {"twice the lanes", "half the lanes", fastest}
    for gain in found.gains:
        assert gain.method == "re-timed"
        assert gain.cycles == direct(gain.setting)
    twice, half = gains["twice the lanes"].cycles, gains["half the lanes"].cycles
    divider = gains[fastest].cycles
    assert twice is not None
    assert half is not None
    assert divider is not None
    assert twice < found.cycles < half
    assert divider < found.cycles


def test_what_cannot_be_re_timed_is_run(program: Program) -> None:
    region = Region("main", program.symbol("main").address)
    slow = ["core.superscalar=false"]
    found = compute_what_if(program, "t13-simd2", slow, region, max_cycles=MOST_CYCLES)
    assert found.refusal == "only the t13 with two harts or more, superscalar, is supported"
    assert {gain.method for gain in found.gains} == {"run"}
    gains = {gain.change: gain for gain in found.gains}
    for change in ("twice the lanes", "superscalar execution"):
        architecture = load_architecture("t13-simd2", [*slow, gains[change].setting])
        run = simulate(program, architecture, regions=[region])
        assert gains[change].cycles == run.regions["main"][0].wall_cycles


def test_command(program: Program, tmp_path: Path) -> None:
    path = tmp_path / "lanes.elf"
    path.write_bytes(program.elf)
    arguments = ["why", str(path), "--arch", "t13-simd2"]
    out = CliRunner().invoke(app, arguments, catch_exceptions=False).stdout
    for text in ("slots of sleeping harts", "no shorter than", "twice the lanes", "re-timed"):
        assert text in out
    arguments += ["--json", "--no-what-if"]
    answer = json.loads(CliRunner().invoke(app, arguments, catch_exceptions=False).stdout)
    assert sum(part["cycles"] for part in answer["stack"]) == answer["wall_cycles"]
    assert answer["what_if"] is None


def test_unknown_region(program: Program) -> None:
    with pytest.raises(GnomonError, match="was never entered and left"):
        compute_what_if(
            program, "t13-simd2", [], Region("x", program.symbol("main").address + 4, 0x2000),
            max_cycles=MOST_CYCLES,
        )  # fmt: skip


def test_a_program_without_main_gets_advice() -> None:
    arguments = ["why", str(PROGRAMS[3]), "--arch", "t13-simd4"]
    with pytest.raises(GnomonError) as caught:
        CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert str(caught.value) == (
        "p03: no symbol 'main' (--region names the function timed in the what-if table,"
        " --no-what-if omits it)"
    )


def test_a_region_of_several_harts_is_from_its_first_entry_to_its_last_exit(tmp_path: Path) -> None:
    path, machine = tmp_path / "lanes.c", load_architecture("t13")
    path.write_text("volatile int x = 7; int main(void) { return 99 / x; }")
    program = build([path], machine, active_harts=3)
    region = Region("main", program.symbol("main").address)
    run = simulate(program, machine, regions=[region])
    total = run.region_totals["main"]
    assert total.harts == (0, 1, 2)
    assert total.wall_cycles > max(each.wall_cycles for each in run.regions["main"])
    found = compute_what_if(program, "t13", [], region, max_cycles=MOST_CYCLES)
    assert (found.hart, found.harts, found.cycles) == (0, (0, 1, 2), total.wall_cycles)


def test_a_region_that_others_never_leave_is_of_the_lowest_hart(tmp_path: Path) -> None:
    path, machine = tmp_path / "parked.c", load_architecture("t13")
    path.write_text(
        '#include "gnomon.h"\nint main(int hart) { if (hart) gnomon_park(); return 0; }\n'
    )
    program = build([path], machine, active_harts=3)
    region = Region("main", program.symbol("main").address)
    run = simulate(program, machine, regions=[region])
    assert run.region_totals["main"].unfinished == (1, 2)
    found = compute_what_if(program, "t13", [], region, max_cycles=MOST_CYCLES)
    assert (found.harts, found.cycles) == ((0,), run.regions["main"][0].wall_cycles)


@pytest.mark.parametrize("command", ["why", "why --no-what-if", "advise"])
def test_a_program_that_traps_is_reported_as_in_a_run(tmp_path: Path, command: str) -> None:
    path = tmp_path / "crash.c"
    path.write_text('int main(void) { __asm__ volatile ("ecall"); return 0; }')
    arguments = [*command.split(), str(path), "--arch", "t13-simd4"]
    with pytest.raises(CheckFailed, match="environment call") as caught:
        CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert "in main" in str(caught.value)
