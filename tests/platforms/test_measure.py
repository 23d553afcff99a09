"""Learners on cost-model cores: counts of a real run, its memory, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.cli.app import app
from gnomon.cost.platforms import load_platform, measure_platform
from gnomon.cost.platforms._measure import load_counting_machine
from gnomon.measure.learners import EmbeddedSizes, LearnerBench, find_embedded_learner

DISJOINT = find_embedded_learner("linucb-disjoint")
STANDARD = DISJOINT.variant("standard")


def test_counts_are_those_of_another_machine() -> None:
    """The T13 runs the same -O2 program: the same instructions, whatever they take."""
    runs = [
        LearnerBench(DISJOINT, STANDARD, machine, EmbeddedSizes(4, 2)).measure(details=False)
        for machine in (load_architecture("t13"), load_counting_machine())
    ]
    for on_t13, counted in zip(runs[0].stages, runs[1].stages, strict=True):
        mix = counted.mix
        taken = mix.pop("branch-taken")
        assert mix == {
            name.removeprefix("issue."): count
            for name, count in on_t13.counters.items()
            if name.startswith("issue.")
        }
        assert 0 < taken < mix["branch"]
        assert counted.wall_cycles == counted.issued + taken


def test_a_step_is_priced_by_its_stages() -> None:
    platform = load_platform("cortex-m4")
    run = measure_platform(platform, DISJOINT, STANDARD, EmbeddedSizes(4, 2))
    select, update, both = run.cycles("select"), run.cycles("update"), run.cycles()
    assert both is not None
    assert select is not None
    assert update is not None
    assert both.value == pytest.approx(select.value + update.value)
    assert both.value == pytest.approx(run.documented_cycles().value * 2.031)
    assert both.low < both.value < both.high
    assert run.time_us is not None
    assert run.energy_uj is not None
    assert run.time_us.value == pytest.approx(both.value / 80)
    assert run.energy_uj.value == pytest.approx(run.time_us.value * 0.155)


def test_other_builds_have_documented_cycles_only() -> None:
    platform = load_platform("cortex-m4", ["build.optimization=-O2"])
    run = measure_platform(platform, DISJOINT, STANDARD, EmbeddedSizes(4, 2))
    assert not run.calibrated
    assert run.cycles() == run.documented_cycles()
    tuned = DISJOINT.variant("optimized", "tuned")
    assert not measure_platform(
        load_platform("cortex-m4"), DISJOINT, tuned, EmbeddedSizes(4, 2)
    ).calibrated


def test_memory_decides_whether_there_are_cycles() -> None:
    run = measure_platform(load_platform("cortex-m4"), DISJOINT, STANDARD, EmbeddedSizes(4, 2))
    needed = run.bytes["needed"]
    assert needed == run.run.static_bytes + run.run.stack_bytes[0]
    for size_bytes, fits in ((needed, True), (needed - 1, False)):
        platform = load_platform("cortex-m4", [f"memory.size={size_bytes} B"])
        other = measure_platform(platform, DISJOINT, STANDARD, EmbeddedSizes(4, 2))
        assert (other.bytes["fits"], other.cycles() is not None) == (fits, fits)
        assert (other.energy_uj is not None) == fits


def test_a_missing_cost_stops_the_run() -> None:
    platform = load_platform("cortex-a72")
    platform = platform.model_copy(
        update={"costs": platform.costs.model_copy(update={"mulh": None})}
    )
    with pytest.raises(
        GnomonError, match=r"^cortex-a72\.yaml: no cost for what was executed: mulh"
    ):
        measure_platform(platform, DISJOINT, STANDARD, EmbeddedSizes(4, 2))


def invoke(*words: str) -> str:
    result = CliRunner().invoke(app, ["learner", "linucb-disjoint", *words], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_on_the_command_line() -> None:
    words = ("--arch", "cortex-m4", "--d", "4", "--arms", "2", "--json")
    answer = json.loads(invoke(*words))
    assert (answer["arch"], answer["clock_hz"]) == ("cortex-m4", 80_000_000)
    run = answer["runs"][0]
    assert run["cycles"]["low"] < run["cycles"]["value"] < run["cycles"]["high"]
    assert run["bytes"]["fits"]
    refused = json.loads(invoke(*words, "--set", "memory.size=1 KiB"))["runs"][0]
    assert (refused["cycles"], refused["energy_uj"], refused["bytes"]["fits"]) == (
        None,
        None,
        False,
    )
    table = invoke("--arch", "cortex-m4", "--d", "4", "--arms", "2", "--set", "memory.size=1 KiB")
    assert "does not fit" in table


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--harts", "1,2"), "cortex-m4 is a cost-model core of 1 hart: leave out --harts"),
        (
            ("--variant", "standard-vector"),
            (
                "learner linucb-disjoint, variant standard-vector: a cost-model core has no vector"
                " unit"
            ),
        ),
        (
            ("--variant", "corrected", "--correcting"),
            "cortex-m4 is a cost-model core: leave out --correcting",
        ),
    ],
)
def test_what_only_machines_have(words: tuple[str, ...], message: str) -> None:
    with pytest.raises(GnomonError) as error:
        invoke("--arch", "cortex-m4", *words)
    assert str(error.value) == message


def test_platform_commands() -> None:
    runner = CliRunner()
    listed = runner.invoke(app, ["platform", "list"], catch_exceptions=False).stdout
    assert listed.splitlines() == [
        "cortex-a72  Cortex-A72 of a Raspberry Pi 4 Model B at 1.5 GHz",
        "cortex-m4  Cortex-M4 of an STM32 Nucleo board at 80 MHz",
    ]
    shown = runner.invoke(app, ["platform", "show", "cortex-m4"], catch_exceptions=False).stdout
    assert "TRM table 3-1, MUL" in shown
    plain = runner.invoke(app, ["platform", "show", "cortex-m4", "--json"], catch_exceptions=False)
    assert json.loads(plain.stdout)["costs"]["load"]["cycles"] == {
        "value": 2.0,
        "low": 1.0,
        "high": 2.0,
    }


def test_a_factor_applies_to_the_implementation_of_its_fit_or_to_all(tmp_path: Path) -> None:
    tuned = DISJOINT.variant("optimized", "tuned")
    text = content("models", "platforms", "cortex-m4.yaml").read_text()
    assert "  implementation: paper\n" in text
    calibrated = {}
    for name, line in (("tuned", "  implementation: tuned\n"), ("all", "")):
        path = tmp_path / f"{name}.yaml"
        path.write_text(text.replace("  implementation: paper\n", line))
        runs = [
            measure_platform(load_platform(path), DISJOINT, each, EmbeddedSizes(4, 2))
            for each in (STANDARD, tuned)
        ]
        calibrated[name] = [each.calibrated for each in runs]
    assert calibrated == {"tuned": [False, True], "all": [True, True]}
