"""Bad budgets and baselines: each problem with its file, line and allowed values."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.budget import read_budget
from tests.budget._files import invoke, write


def test_regret_without_rounds_and_no_checks_are_reported(tmp_path: Path) -> None:
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
