"""``gnomon deploy``: text, JSON, report, exit codes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.cli.app import app

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

SPEC = """\
schema: 1
name: small
title: A small one
requests: {arrivals: periodic, period: 1 ms, count: 1500}
rewards: {delay: 2 ms}
deadline: 1 ms
learner: {name: linucb-disjoint, variant: optimized, d: 2, arms: 2, steps: 2}
arch: t13
power: {static: not included}
sleep: never
battery:
  capacity: {value: 700 mWh, source: a label}
  usable: {value: 90 %, source: a guess of this test}
  self-discharge: not included
require: [p99 <= 1 ms, battery-life >= 1 h]
search: {clock: {from: 5 MHz, to: 100 MHz, points: 4}}
"""


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["deploy", *arguments], catch_exceptions=False)


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    path = tmp_path / "small.yaml"
    path.write_text(SPEC)
    return path


def test_text(spec: Path) -> None:
    done = invoke(str(spec))
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "A small one"
    assert lines[1].startswith("  t13 at 100 MHz keeps all requirements: p99.9 ")
    assert "Slowest clock that keeps all: " in done.stdout
    assert "Not included, as the file gives no figure: static power, self-discharge." in " ".join(
        done.stdout.split()
    )


def test_json(spec: Path) -> None:
    found = json.loads(invoke(str(spec), "--json").stdout)
    run = found["run"]
    assert run["keeps"] is True
    counts = run["requests"]
    assert (
        counts["arrived"]
        == 1500
        == sum(counts[name] for name in ("decided", "in_work", "waiting", "dropped"))
    )
    assert run["energy"]["total_uj"]["value"] > 0
    assert found["search"]["best"] in [each["name"] for each in found["search"]["tried"]]


def test_report_is_the_same_twice(spec: Path, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        assert invoke(str(spec), "--report", str(tmp_path / folder)).exit_code == 0
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names == sorted([
        "deploy.md", "index.html", "runs.csv",
        *(f"{name}.{kind}" for name in ("energy", "latency", "search", "timeline")
          for kind in ("csv", "svg")),
    ])  # fmt: skip
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    page = (tmp_path / "one" / "index.html").read_text()
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert page.count("<figure>") == 4


def test_check_and_bad_input_write_nothing(spec: Path, tmp_path: Path) -> None:
    assert invoke(str(spec), "--check").exit_code == 0
    spec.write_text(SPEC.replace("p99 <= 1 ms", "p99 <= 1 us"))
    with pytest.raises(
        CheckFailed, match="small: requirements not met: p99 <= 1 us; nothing that was tried"
    ):
        invoke(str(spec), "--check")
    life = json.loads(invoke(str(spec), "--json").stdout)["run"]["battery_life_days"]["low"]
    # more than at the clock that is described, and less than at a slower one
    spec.write_text(SPEC.replace("battery-life >= 1 h", f"battery-life >= {life * 24 * 2:.0f} h"))
    found = json.loads(invoke(str(spec), "--json").stdout)
    assert (found["run"]["keeps"], bool(found["search"]["best"])) == (False, True)
    with pytest.raises(CheckFailed) as failed:
        invoke(str(spec), "--check")
    assert str(failed.value) == (
        f"small: requirements not met: {found['run']['misses'][0]}; of what was tried,"
        f" {found['search']['best']} keeps all (the slowest clock)"
    )
    spec.write_text(SPEC.replace("arch: t13", "arch: t31"))
    with pytest.raises(GnomonError, match=r"small\.yaml:8: arch: .*t31"):
        invoke(str(spec), "--report", str(tmp_path / "out"))
    with pytest.raises(GnomonError, match="did you mean 'simpy'"):
        invoke(str(spec), "--engine", "simpi")
    assert not (tmp_path / "out").exists()
