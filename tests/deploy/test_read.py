"""Deployment files: what they mean, and every error at its line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.base.errors import GnomonError
from gnomon.base.keys import own_keys
from gnomon.base.yaml import FileError
from gnomon.deploy import DeploymentFile, read_deployment
from gnomon.deploy._model import UNLIMITED

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """\
schema: 1
name: example
requests: {arrivals: poisson, rate: 20 /s, count: 100}
rewards: {delay: 2 s, share: 80 %}
deadline: 10 ms
learner: {name: linucb-disjoint, variant: optimized, d: 2, arms: 2, steps: 3}
arch: t13
set: {clock: 50 MHz}
device: {harts: 2, waiting-decisions: 4, priority: in-order}
power:
  static: {value: 1.5 mW, source: a book}
  idle: measured
sleep:
  after: 1 ms
  power: {value: 10 uW, source: a book}
  enter-time: {value: 10 us, source: a book}
  enter-energy: idle
  wake-time: {value: 100 us, source: a book}
  wake-energy: not included
battery:
  capacity: {value: 225 mAh, source: a book}
  voltage: {value: 3 V, source: a book}
  usable: {value: 90 %, source: a book}
  self-discharge: not included
require: [p99 <= 5 ms, missed <= 0.1 %]
search: {clock: {from: 10 MHz, to: 100 MHz, points: 3}}
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "deployment.yaml"
    path.write_text(text)
    return path


def test_a_file(tmp_path: Path) -> None:
    found = read_deployment(written(tmp_path, GOOD))
    assert (found.requests.period_ps, found.requests.count, found.requests.seed) == (
        5 * 10**10,
        100,
        0,
    )
    assert (found.rewards.delay_ps, found.rewards.share) == (2 * 10**12, 0.8)
    assert found.deadline_ps == 10**10
    assert found.architecture.clock == 50_000_000
    assert (found.device.harts, found.device.waiting_decisions) == (2, 4)
    assert found.device.waiting_updates == UNLIMITED
    assert (found.power.static_mw.value, found.power.static_mw.source) == (1.5, "a book")
    assert found.power.idle_mw is None
    assert found.sleep is not None
    assert found.sleep.enter_uj is None
    assert found.sleep.wake_uj is not None
    assert found.sleep.wake_uj.value is None
    assert found.battery is not None
    assert found.battery.capacity_mwh.value == pytest.approx(675)
    assert [each.limit for each in found.require] == [5 * 10**9, pytest.approx(0.001)]
    assert found.search is not None
    assert found.search.clock is not None
    assert found.search.clock.clocks_hz() == (10_000_000, 31_622_777, 100_000_000)
    assert dict(found.settings)["case"] == "random"


def test_recorded_times_lie_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "times.csv").write_text("time_ms\n0\n1.5\n\n4\n")
    text = GOOD.replace(
        "{arrivals: poisson, rate: 20 /s, count: 100}", "{arrivals: recorded, file: times.csv}"
    )
    found = read_deployment(written(tmp_path, text))
    assert found.recorded is not None
    assert np.array_equal(found.recorded, [0, 1_500_000_000, 4_000_000_000])


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("schema: 1", "schema: 2", 1, "schema: must not be 2"),
        ("name: example", "name: Ex ample", 2, "name: must not be 'Ex ample'"),
        ("arrivals: poisson", "arrivals: posson", 3, "did you mean 'poisson'?"),
        ("rate: 20 /s", "rate: 20", 3, "must be a number with its unit, such as '20 /s'"),
        ("rate: 20 /s", "rate: 20 Hz", 3, "'Hz' is not a unit of rate"),
        ("rate: 20 /s", "rate: 20 /s, period: 50 ms", 3, "give either period or rate"),
        ("rate: 20 /s", "rate: 20 /s, jitter: 1 ms", 3, "belongs to arrivals: periodic"),
        ("rate: 20 /s, count: 100", "rate: 20 /s", 3, "count is missing"),
        ("rate: 20 /s", "rate: 0 /s", 3, "must be more than 0"),
        ("rate: 20 /s", "rate: 2000000000000 /s", 3, "at most 1,000,000,000,000 /s: times are"),
        ("clock: 50 MHz", "vcu: {simd: 2}", 8, "set.vcu: must be a value, not a section; write d"),
        ("clock: 50 MHz", "vcu.extensions: [1, 2]", 8, "set: "),
        ("value: 3 V", "value: 0 V", 22, "battery.voltage: must be more than 0"),
        (
            "{clock: {from: 10 MHz, to: 100 MHz, points: 3}}",
            "{arch: []}",
            26,
            "machines, by name or path, not an empty one",
        ),
        ("count: 100", "count: 0", 3, "from 1 to 20,000,000"),
        ("share: 80 %", "share: 120 %", 4, "must not be more than 100 %"),
        ("deadline: 10 ms", "deadline: 10 mS", 5, "did you mean 'ms'?"),
        ("name: linucb-disjoint", "name: linucb-disjont", 6, "did you mean 'linucb-disjoint'?"),
        ("variant: optimized,", "variant: optimised,", 6, "did you mean 'optimized'?"),
        ("steps: 3", "stepz: 3", 6, "did you mean 'steps'?"),
        ("steps: 3", "correcting: true", 6, "learner.correcting: unknown key"),
        ("arch: t13", "arch: t14", 7, "did you mean 't13'?"),
        ("clock: 50 MHz", "clok: 50 MHz", 8, "clok"),
        ("harts: 2", "harts: 4", 9, "4 harts at work: t13 has 3"),
        (
            "priority: in-order",
            "priority: in-order, preempt: true",
            9,
            "needs priority: decisions-first",
        ),
        ("{value: 1.5 mW, source: a book}", "1.5 mW", 11, "gnomon invents no such figure"),
        ("{value: 1.5 mW, source: a book}", "{value: 1.5 mW}", 11, "source is missing"),
        (
            "{value: 1.5 mW, source: a book}",
            "{value: 1.5 mJ, source: x}",
            11,
            "not a unit of power",
        ),
        ("  static: {value: 1.5 mW, source: a book}\n", "", 10, "power.static: missing"),
        ("wake-energy: not included", "wake-energy: none", 19, "'idle', 'not included'"),
        ("  voltage: {value: 3 V, source: a book}\n", "", 20, "a capacity in mAh needs it"),
        ("value: 90 %", "value: 0 %", 23, "must be above 0 and at most 100 %, not 0"),
        ("p99 <= 5 ms", "p99 <= 11.15", 25, "with its unit, such as '10 ms', not '11.15'"),
        ("missed <= 0.1 %", "missed <= 0.1", 25, "with its unit, such as '90 %', not '0.1'"),
        ("p99 <= 5 ms", "p98 <= 5 ms", 25, "'p98' is not measured"),
        ("p99 <= 5 ms", "p99 < 5 ms", 25, "is not a requirement"),
        ("p99 <= 5 ms", "p99 <= 5 mW", 25, "'mW' is not a unit of time"),
        ("deadline: 10 ms\n", "", 24, "missed needs a deadline"),
        ("to: 100 MHz", "to: 1 MHz", 26, "the first must be the slower one"),
        ("from: 10 MHz", "from: 0 MHz", 26, "search.clock.from: must be more than 0 Hz"),
        ("clock: {from", "clocks: {from", 26, "did you mean 'clock'?"),
        ("battery:", "batery:", 20, "did you mean 'battery'?"),
    ],
)
def test_errors_have_their_line(
    tmp_path: Path, old: str, new: str, line: int, message: str
) -> None:
    assert old in GOOD
    path = written(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(FileError) as caught:
        read_deployment(path)
    told = [each for each in str(caught.value).splitlines() if message in each]
    assert told, str(caught.value)
    assert told[0].startswith(f"{path}:{line}: ")


def test_all_errors_at_once(tmp_path: Path) -> None:
    text = GOOD.replace("10 ms", "10").replace("arch: t13", "arch: t14").replace("poisson", "p")
    with pytest.raises(FileError) as caught:
        read_deployment(written(tmp_path, text))
    assert len(caught.value.problems) == 3


@pytest.mark.parametrize(
    "section", [each.path for each in own_keys(DeploymentFile) if each.required]
)
def test_what_must_be_there(tmp_path: Path, section: str) -> None:
    lines = GOOD.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith(f"{section}:"))
    end = next((n for n in range(start + 1, len(lines)) if lines[n][0] != " "), len(lines))
    with pytest.raises(GnomonError, match=f"{section}: missing"):
        read_deployment(written(tmp_path, "\n".join(lines[:start] + lines[end:])))


@pytest.mark.parametrize("text", ["", "- a\n", "schema: [\n", "7\n", "a: 1\na: 2\n", "\x00"])
def test_what_is_no_deployment(tmp_path: Path, text: str) -> None:
    with pytest.raises(GnomonError, match=r"deployment\.yaml"):
        read_deployment(written(tmp_path, text))
    with pytest.raises(GnomonError, match="no such file"):
        read_deployment(tmp_path / "nowhere.yaml")


@pytest.mark.parametrize("section", [each.path for each in own_keys(DeploymentFile)])
def test_any_value_anywhere_is_an_error_or_means_something(tmp_path: Path, section: str) -> None:
    kept = [line for line in GOOD.splitlines() if not line.startswith((f"{section}:", "  "))]
    for value in ("[]", "{}", "7", "true", "none", "'x'", "-1 ms", "1e9 d", "nan"):
        path = written(tmp_path, "\n".join([*kept, f"{section}: {value}"]))
        with pytest.raises(GnomonError) as caught:
            read_deployment(path)
        assert "deployment.yaml" in str(caught.value), value


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "the first line must name the one column"),
        ("time_m\n1\n", 1, "did you mean 'time_ms'?"),
        ("time_ms\n1\nx\n", 3, "'x' is not a number"),
        ("time_ms\n5\n1\n", 3, "is earlier than the line above"),
        ("time_ms\n-1\n", 2, "times are from 0"),
        ("time_s\n1e300\n", 2, "times are from 0"),
        ("time_s\n1e999999999\n", 2, "'1e999999999' is not a number"),
        ("time_s\n1/3\n", 2, "'1/3' is not a number"),
        ("time_ms\n\n", 1, "holds no request"),
    ],
)
def test_times_have_their_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    (tmp_path / "times.csv").write_text(text)
    file = GOOD.replace("arrivals: poisson, rate: 20 /s", "arrivals: recorded, file: times.csv")
    with pytest.raises(FileError) as caught:
        read_deployment(written(tmp_path, file))
    assert f"times.csv:{line}: " in str(caught.value)
    assert message in str(caught.value)


def test_vector_variants_are_not_interrupted(tmp_path: Path) -> None:
    text = GOOD.replace("variant: optimized", "variant: optimized-vector")
    text = text.replace("priority: in-order", "preempt: true")
    with pytest.raises(FileError, match="which a decision would overwrite"):
        read_deployment(written(tmp_path, text))


def test_a_learner_runs_its_own_line(tmp_path: Path) -> None:
    assert dict(read_deployment(written(tmp_path, GOOD)).settings)["line"] == "paper"
    text = GOOD.replace("linucb-disjoint", "softucb")
    assert dict(read_deployment(written(tmp_path, text)).settings)["line"] == "tuned"
