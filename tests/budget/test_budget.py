"""``gnomon budget``: limits kept and exceeded, the baseline, bad input line by line."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.budget import read_budget
from gnomon.budget._measure import CheckMeasurement, _count_stack_bytes, measure_check
from gnomon.cli.app import app
from gnomon.cost.energy import Energy
from gnomon.explore import make_sweep, run_sweep
from gnomon.program import build, load_elf
from gnomon.sim import Region, simulate

if TYPE_CHECKING:
    from click.testing import Result

_ROOT = Path(__file__).resolve().parents[2]
_ELF = _ROOT / "tests" / "reference" / "t13x" / "programs" / "p_conv_h1_s4.elf"
_EXAMPLE = _ROOT / "examples" / "budget"


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["budget", *map(str, arguments)], catch_exceptions=False)


def write(folder: Path, *limits: str, extra: str = "") -> Path:
    shutil.copy(_ELF, folder / "conv.elf")
    path = folder / "b.yaml"
    lines = "".join(f"      - {limit}\n" for limit in limits)
    path.write_text(
        "schema: 1\nname: b\narch: t13-simd4\nchecks:\n  conv:\n    program: conv.elf\n"
        f"{extra}    limits:\n{lines}"
    )
    return path


def cycles() -> int:
    return cycles_of("t13-simd4")


def cycles_of(machine: Path | str) -> int:
    return simulate(load_elf(_ELF), load_architecture(machine)).wall_cycles


def test_the_bound_itself_is_kept(tmp_path: Path) -> None:
    path = write(tmp_path, f"wall_cycles <= {cycles():,}")
    done = invoke(path, "--json")
    assert done.exit_code == 0
    report = json.loads(done.stdout)
    assert report["kept"]
    assert [each["value"] for each in report["limits"]] == [cycles()]


def test_one_cycle_less_is_exceeded(tmp_path: Path) -> None:
    path = write(tmp_path, f"wall_cycles <= {cycles() - 1}")
    with pytest.raises(CheckFailed) as failed:
        invoke(path)
    assert failed.value.exit_code == 1
    assert str(failed.value) == (
        f"{path}:8: conv: wall_cycles is {cycles():,} cycles, 1 cycle above the limit"
        f" 'wall_cycles <= {cycles() - 1}'; if intended, raise the limit there"
    )


_SKEWED = """\
#include "gnomon.h"
static volatile int sink, done[8];
GNOMON_REGION void work(int hart) { for (int i = 0; i < (hart == 1 ? 190 : 10); i++) sink = i; }
int main(int hart)
{
    work(hart);
    done[hart] = 1;
    for (int h = 0; h < GNOMON_ACTIVE_HARTS; h++) while (!hart && !done[h] && WAIT) {}
    return 0;
}
"""


@pytest.mark.parametrize("hart", [None, 0, 1])
def test_a_region_of_several_harts(tmp_path: Path, hart: int | None) -> None:
    """All from the first entry to the last exit; or one hart, by name."""
    (tmp_path / "skew.c").write_text(_SKEWED.replace("WAIT", "1"))
    path = write(tmp_path, "wall_cycles <= 1", extra="    region: work\n")
    given = "{sources: [skew.c], harts: 3}"
    text = path.read_text().replace("conv.elf", given)
    path.write_text(text if hart is None else text + f"    hart: {hart}\n")
    (check,) = read_budget(path).checks
    machine = load_architecture("t13-simd4")
    program = build([tmp_path / "skew.c"], machine, active_harts=3)
    run = simulate(program, machine, regions=["work"])
    found, total = measure_check(check).metrics, run.region_totals["work"]
    passes = {each.hart: each for each in run.regions["work"]}
    assert passes[0].wall_cycles * 5 < passes[1].wall_cycles < total.wall_cycles
    part = total if hart is None else passes[hart]
    assert found["wall_cycles"] == part.wall_cycles
    assert found["energy_uj"] == Energy.from_work(part.work, machine).energy_uj.value


def test_a_region_that_a_hart_does_not_leave_is_refused(tmp_path: Path) -> None:
    (tmp_path / "skew.c").write_text(_SKEWED.replace("WAIT", "0"))
    path = write(tmp_path, "wall_cycles <= 1", extra="    region: work\n")
    path.write_text(path.read_text().replace("conv.elf", "{sources: [skew.c], harts: 2}"))
    with pytest.raises(GnomonError, match="hart 1 is in it when the program ends, and hart 0 has"):
        invoke(path)


def test_a_program_that_traps_keeps_no_budget(tmp_path: Path) -> None:
    (tmp_path / "trap.c").write_text("int main(void) { return *(volatile int *)0x100001; }\n")
    path = write(tmp_path, "wall_cycles <= 1000000")
    path.write_text(path.read_text().replace("conv.elf", "trap.c"))
    with pytest.raises(CheckFailed, match="trap on hart 0: misaligned load") as failed:
        invoke(path)
    assert failed.value.exit_code == 1


def test_update_then_a_rise(tmp_path: Path) -> None:
    path = write(tmp_path, "wall_cycles <= baseline + 2 %", "text <= baseline")
    with pytest.raises(GnomonError) as missing:
        invoke(path)
    assert missing.value.exit_code == 2
    kept = tmp_path / "b.baseline.json"
    assert str(missing.value) == (
        f"{path}:8: 'wall_cycles <= baseline + 2 %': {kept} does not exist;"
        f" run `gnomon budget {path} --update` and commit it"
    )
    assert invoke(path, "--update").exit_code == 0
    first = kept.read_bytes()
    assert invoke(path, "--update").exit_code == 0
    assert kept.read_bytes() == first
    assert invoke(path).exit_code == 0

    before = cycles() * 10 // 11
    changed = json.loads(first)
    changed["checks"]["conv"]["metrics"]["wall_cycles"] = before
    kept.write_text(json.dumps(changed))
    rise, most = cycles() - before, before * 102 // 100
    with pytest.raises(CheckFailed) as failed:
        invoke(path)
    assert str(failed.value) == (
        f"{path}:8: conv: wall_cycles rose from {before:,} cycles to {cycles():,} cycles"
        f" (+{rise:,} cycles, +{100 * rise / before:.2f} %), {cycles() - most:,} cycles above the"
        f" limit 'wall_cycles <= baseline + 2 %', which is {most:,} cycles; if intended,"
        f" `gnomon budget {path} --update` and commit {kept}"
    )


def test_a_baseline_of_another_machine_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "wall_cycles <= baseline")
    invoke(path, "--update")
    path.write_text(path.read_text().replace("arch: t13-simd4\n", "arch: t13-simd8\n"))
    with pytest.raises(
        GnomonError, match="is of another workload: arch was t13-simd4, is t13-simd8"
    ):
        invoke(path)


def test_energies_of_different_kinds_are_not_compared(tmp_path: Path) -> None:
    machine = tmp_path / "m.yaml"
    text = "schema: 1\nname: m\ntitle: M\nextends: t13-simd1\n"
    machine.write_text(text + "power: t13\n")
    path = write(tmp_path, "energy <= baseline + 2 %", "energy <= 1 J", "wall_cycles <= baseline")
    path.write_text(path.read_text().replace("arch: t13-simd4\n", "arch: m.yaml\n"))
    invoke(path, "--update")
    kept = tmp_path / "b.baseline.json"
    first = kept.read_text()
    entry = json.loads(first)["checks"]["conv"]
    assert entry["energy"].startswith("FPGA-calibrated, ")

    machine.write_text(text + "power: sg13g2-t13-simd1\n")
    report = json.loads(_failing(path))
    of_energy, absolute, of_cycles = report["limits"]
    assert of_energy["energy"].startswith("gate-level, ")
    assert (of_energy["most"], of_energy["baseline"], of_energy["kept"]) == (None, None, False)
    assert (absolute["baseline"], absolute["kept"], of_cycles["kept"]) == (None, True, True)
    (line,) = report["failures"]
    assert line == (
        f"{path}:8: conv: energy cannot be compared: it is now of {of_energy['energy']}; that of"
        f" {kept} is of {entry['energy']}; accept it with `gnomon budget {path} --update`"
    )
    report = json.loads(invoke(path, "--update", "--json").stdout)
    assert [each["baseline"] for each in report["limits"]] == [None, None, cycles_of(machine)]
    report = json.loads(invoke(path, "--json").stdout)
    assert report["limits"][0]["baseline"] == pytest.approx(of_energy["value"])

    unnamed = json.loads(first)
    del unnamed["checks"]["conv"]["energy"]
    kept.write_text(json.dumps(unnamed))
    (line,) = json.loads(_failing(path))["failures"]
    assert f"that of {kept} is without kind and library; accept it" in line


def test_a_region_costs_what_the_simulator_says(tmp_path: Path) -> None:
    program = load_elf(_ELF)
    function = next(s for s in program.symbols if s.name == "main")
    run = simulate(
        program, load_architecture("t13-simd4"), regions=[Region("main", function.address)]
    )
    (check,) = read_budget(write(tmp_path, "wall_cycles <= 1", extra="    region: main\n")).checks
    if not run.regions["main"]:
        pytest.fail("the program no longer returns from main; choose another region")
    assert measure_check(check).metrics["wall_cycles"] == run.regions["main"][0].wall_cycles


def test_what_is_not_known_is_said(tmp_path: Path) -> None:
    path = write(tmp_path, "power <= 1 mW", "wall_cycles <= 1", extra="    set: {power: none}\n")
    with pytest.raises(CheckFailed) as caught:
        invoke(path)
    unknown, exceeded = str(caught.value).splitlines()  # the other limit is judged all the same
    assert re.search(r"b\.yaml:9: power is not known: .*names no power table", unknown)
    assert "b.yaml:10: " in exceeded


@pytest.mark.parametrize("metric", ["power", "energy", "energy_low"])
def test_what_is_not_known_does_not_end_an_update(tmp_path: Path, metric: str) -> None:
    limits = (f"{metric} <= baseline", "wall_cycles <= baseline + 1 %")
    path = write(tmp_path, *limits, extra="    set: {power: none}\n")
    kept = tmp_path / "b.baseline.json"
    for options in (("--update",), ()):  # the second run judges what is known, too
        with pytest.raises(CheckFailed) as failed:
            invoke(path, *options)
        assert failed.value.exit_code == 1
        (line,) = str(failed.value).splitlines()
        assert re.search(r"b\.yaml:9: \w+ is not known: .*names no power table", line)
        metrics = json.loads(kept.read_text())["checks"]["conv"]["metrics"]
        assert [*metrics.values()] == [None, cycles()]
    report = json.loads(_failing(path))
    assert [(each["most"], each["kept"]) for each in report["limits"]] == [
        (None, False), (pytest.approx(cycles() * 1.01, abs=1), True),
    ]  # fmt: skip


def _failing(path: Path) -> str:
    result = CliRunner().invoke(app, ["budget", str(path), "--json"])
    assert isinstance(result.exception, CheckFailed)
    return result.stdout


def test_what_became_known_is_to_be_accepted(tmp_path: Path) -> None:
    path = write(tmp_path, "wall_cycles <= baseline")
    invoke(path, "--update")
    kept = tmp_path / "b.baseline.json"
    kept.write_text(kept.read_text().replace(f": {cycles()}", ": null"))
    with pytest.raises(
        CheckFailed, match=r"b\.yaml:8: conv: wall_cycles is now known, .* has none"
    ):
        invoke(path)
    invoke(path, "--update")
    assert invoke(path).exit_code == 0


def test_regret_without_rounds_and_no_checks_are_told(tmp_path: Path) -> None:
    path = tmp_path / "b.yaml"
    step = "{learner: ucb1, settings: {variant: standard}, limits: [regret <= 2]}"
    path.write_text(f"schema: 1\nname: b\narch: t13\nchecks:\n  step: {step}\n")
    with pytest.raises(GnomonError) as caught:
        read_budget(path)
    assert str(caught.value) == (
        f"{path}:5: checks.step.limits.0: rounds is missing: regret is measured over rounds; add it"
        " to settings"
    )
    path.write_text("schema: 1\nname: b\narch: t13\nchecks: {}\n")
    with pytest.raises(GnomonError) as caught:
        read_budget(path)
    assert str(caught.value) == (
        f"{path}:4: checks: needs at least 1 item, not 0: measured workloads, by a user-defined"
        " name"
    )


def test_a_program_that_calls_nothing_has_no_known_stack(tmp_path: Path) -> None:
    path = write(tmp_path, "stack <= 1 KiB")
    (check,) = read_budget(path).checks
    run = simulate(load_elf(_ELF), load_architecture("t13-simd4"), calls=True)
    assert run.calls is not None
    without = replace(run, calls=replace(run.calls, stacks=()))
    assert _count_stack_bytes(load_elf(_ELF), without) is None
    assert measure_check(check).metrics["stack_bytes"] == _count_stack_bytes(load_elf(_ELF), run)


def test_an_exit_code_that_must_be(tmp_path: Path) -> None:
    path = write(tmp_path, "wall_cycles <= 1 000 000 000".replace(" 000", ",000"),
                 extra="    exit-code: 4242\n")  # fmt: skip
    with pytest.raises(CheckFailed, match=r"b\.yaml:5: conv: the program returned \d+, not 4242"):
        invoke(path)
    with pytest.raises(CheckFailed, match="so its cost is not that of its work"):
        invoke(path, "--update")
    assert not list(tmp_path.glob("*.json"))


def test_a_hart_that_the_machine_does_not_have(tmp_path: Path) -> None:
    path = write(tmp_path, "wall_cycles <= 1", extra="    region: main\n    hart: 3\n")
    with pytest.raises(GnomonError, match=r"conv\.hart: must be a whole number from 0 to 2, not 3"):
        invoke(path)


def test_a_list_in_the_keys_of_the_machine(tmp_path: Path) -> None:
    path = write(tmp_path, "wall_cycles <= 1", extra="    set: {vcu.simd: [3, 4]}\n")
    with pytest.raises(GnomonError, match=r"b\.yaml:\d+: checks\.conv\.set: .*simd"):
        invoke(path)


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("wall_cycle <= 3", "'wall_cycle' is not measured for a program (allowed: time,"),
        ("wall_cycle <= 3", ", did you mean 'wall_cycles'?)"),
        ("stack < 3 B", "'stack < 3 B': a budget is an upper limit; write <= instead of '<'"),
        ("stack <= 3", "'stack <= 3': stack needs its unit (allowed: B, KiB, MiB)"),
        (
            "stack <= 3 kib",
            "'kib' is not a unit of stack (allowed: B, KiB, MiB, did you mean 'KiB'",
        ),
        (
            "stack <= baselin",
            "'baselin' is not a bound (allowed: a number with its unit, baseline,",
        ),
        ("stack <= 3 %", "'%' is not a unit of stack (allowed: B, KiB, MiB)"),
        ("stack", "'stack' is not a limit; write a quantity, <= and a number with its unit"),
    ],
)
def test_bad_limits(tmp_path: Path, limit: str, message: str) -> None:
    path = write(tmp_path, f"'{limit}'")
    with pytest.raises(GnomonError, match=f"{re.escape(str(path))}:8: .*{re.escape(message)}"):
        invoke(path)


def test_every_problem_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(
        "schema: 2\nname: B\nbasline: x\narch: t13-simd4\nchecks:\n  a:\n    program: no.elf\n"
        "    settings: {compiler: zig}\n    limits: []\n  b:\n    kernel: multiply\n"
        "    learner: x\n  c:\n    learner: linucb-disjoint\n    region: main\n    limits: 3\n"
    )
    with pytest.raises(GnomonError) as refused:
        invoke(path)
    lines = str(refused.value).splitlines()
    assert [int(line.split(":")[1]) for line in lines] == sorted(
        int(line.split(":")[1]) for line in lines
    )
    text = str(refused.value)
    for part in (
        ":1: schema: must not be 2",
        ":2: name: must not be 'B'",
        ":3: basline: unknown key (allowed: schema, name, baseline, arch, set, checks, did you",
        ":7: checks.a.program: ",
        ":8: checks.a.settings.compiler: no setting of an ELF file, which is built already",
        ":9: checks.a.limits: missing",
        ": checks.b.",
        ":15: checks.c.region: belongs to a program, not to a learner",
    ):
        assert part in text, part


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", r"b\.baseline\.json:1: not JSON"),
        ('{"schema": 7}', r"b\.baseline\.json: schema must be 1, not 7"),
        ('{"schema": 1,\n"checks": {\n"conv": 3}}', r"b\.baseline\.json:3: conv must be a section"),
        (
            '{"schema": 1, "checks": {\n"conv": {"of": {}, "build": "", "metrics": {"a": NaN}}}}',
            r"b\.baseline\.json:2: conv: a must be a number of 0 or more, not nan",
        ),
        (
            '{"schema": 1, "checks": {"conv":\n{"of": {}, "build": "", "metrics": {"a": 1e999}}}}',
            r"b\.baseline\.json:1: conv: a must be a number of 0 or more, not inf",
        ),
    ],
)
def test_a_broken_baseline(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, "wall_cycles <= baseline")
    (tmp_path / "b.baseline.json").write_text(text)
    with pytest.raises(GnomonError, match=message):
        invoke(path)
    assert (tmp_path / "b.baseline.json").read_text() == text


def test_the_example_keeps_its_baseline_and_a_slower_program_does_not(tmp_path: Path) -> None:
    """The committed baseline is that of the compiler the package is tested with."""
    folder = tmp_path / "budget"
    shutil.copytree(_EXAMPLE, folder)
    budget = folder / "budget.yaml"
    assert invoke(budget).exit_code == 0
    source = folder / "filter.c"
    source.write_text(source.read_text().replace("#define TAPS 8", "#define TAPS 9"))
    with pytest.raises(CheckFailed) as failed:
        invoke(budget)
    first = f"gnomon: {failed.value}".splitlines()[0]
    matcher = json.loads((_EXAMPLE / "problem-matcher.json").read_text())["problemMatcher"][0]
    (pattern,) = matcher["pattern"]
    found = re.match(pattern["regexp"], first)
    assert found is not None
    assert found[pattern["file"]] == str(budget)
    line = budget.read_text().splitlines()[int(found[pattern["line"]]) - 1]
    assert line.strip() == "- wall_cycles <= baseline + 2 %"
    assert found[pattern["message"]].startswith("program: wall_cycles rose from ")


def stack_of(folder: Path, text: str) -> CheckMeasurement:
    (folder / "deep.c").write_text(text)
    path = folder / "b.yaml"
    path.write_text(
        "schema: 1\nname: b\narch: t13\nchecks:\n  deep:\n    program: deep.c\n"
        "    limits: [stack <= 1 B]\n"
    )
    (check,) = read_budget(path).checks
    return measure_check(check)


DEEP = (
    "static volatile int sink;\n"
    "__attribute__((noinline)) void use(volatile int *words) { words[COUNT - 1] = 1; }\n"
    "__attribute__((noinline)) void deep(void) {\n"
    "    volatile int words[COUNT];\n    use(words);\n    sink = words[COUNT - 1];\n}\n"
    "int main(int hart) { (void)hart; deep(); return sink; }\n"
)


def test_stack_of_a_program_is_what_it_reserves_written_or_not(tmp_path: Path) -> None:
    found = stack_of(tmp_path, DEEP.replace("COUNT", "500")).metrics
    assert 2000 <= found["stack_bytes"] <= 2128
    sizes = found["text_bytes"] + found["static_bytes"]
    assert found["memory_bytes"] == sizes + found["stack_bytes"]


def test_a_stack_that_overflows_is_an_error(tmp_path: Path) -> None:
    told = (
        r"b\.yaml:5: deep: the stack of hart 0 overflows its 16,384 bytes: deep takes it 32,\d+"
        r" bytes deep$"
    )
    with pytest.raises(GnomonError, match=told):
        stack_of(tmp_path, DEEP.replace("COUNT", "8000"))


def test_a_learner_runs_its_own_line(tmp_path: Path) -> None:
    path = tmp_path / "b.yaml"
    text = (
        "schema: 1\nname: b\narch: t13\nchecks:\n  step:\n    learner: softucb\n"
        "    settings: {variant: optimized}\n    limits: [select_cycles <= 1000000]\n"
    )
    path.write_text(text)
    assert read_budget(path).checks[0].settings["line"] == "tuned"
    path.write_text(text.replace("softucb", "linucb-disjoint"))
    assert read_budget(path).checks[0].settings["line"] == "paper"


def test_one_program_has_one_energy_in_a_run_a_sweep_and_a_budget(tmp_path: Path) -> None:
    source = tmp_path / "dot.c"
    source.write_text("int main(void) { volatile int n = 3; return n * n; }\n")
    options = ["run", str(source), "--arch", "t13-simd4", "--json", "--energy"]
    run = json.loads(CliRunner().invoke(app, options, catch_exceptions=False).stdout)
    data = {
        "schema": 1, "name": "one", "program": str(source), "arch": "t13-simd4",
        "axes": {"clock": ["100 MHz"]}, "objectives": ["minimize energy"],
    }  # fmt: skip
    (row,) = run_sweep(make_sweep(data)).rows
    check = {"program": str(source), "limits": ["energy <= 1 J"]}
    budget = tmp_path / "one.yaml"
    budget.write_text(
        json.dumps({"schema": 1, "name": "one", "arch": "t13-simd4", "checks": {"dot": check}})
    )
    (limit,) = json.loads(invoke(budget, "--json").stdout)["limits"]
    of_run = run["energy"]
    assert row.outcome.metrics["energy_uj"] == of_run["energy_uj"]["value"]
    assert limit["value"] == pytest.approx(of_run["energy_uj"]["value"], rel=1e-6)
    assert row.outcome.facts["operands"] == limit["operands"] == of_run["operands"]
    shown = " ".join(invoke(budget).stdout.split())
    for word in (of_run["kind"], of_run["library"].split()[0], f"operands {of_run['operands']}"):
        assert word.split()[-1] in shown
