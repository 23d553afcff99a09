"""Pipeline files: from YAML to figures; every error at its line."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gnomon.base.errors import GnomonError
from gnomon.base.interval import Interval
from gnomon.base.yaml import FileError
from gnomon.deploy import ENGINES, Pipeline, measure_stages, read_pipeline, simulate_pipeline
from gnomon.deploy._battery import compute_life_ps
from gnomon.deploy._keys import BatteryKeys
from gnomon.deploy._pipeline_keys import HarvestKeys
from gnomon.deploy._service import PricedRuns
from gnomon.deploy._sources import collect_requests, record_source
from gnomon.report.deploy import PipelineReport
from gnomon.report.deploy._facts import format_life
from tests.deploy.test_pipelines import same

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gnomon.deploy import StageService

EXAMPLE = Path(__file__).parents[2] / "examples" / "pipeline" / "pipeline.yaml"
_C = """\
__attribute__((noinline)) void work(volatile int *x) { for (int i = 0; i < 20; i++) *x += i; }
int main(void) { static volatile int x; work(&x); return 0; }
"""
_DOOR = """\
def knock(env, request, rng):
    while True:
        yield env.timeout(0.001)
        request()
"""
GOOD = """\
schema: 1
name: example
length: 100 ms
seed: 3
stages:
  sample:
    program: {sources: [work.c], region: work}
    period: 1 ms
    jitter: 100 us
    deadline: 500 us
    priority: 2
  infer:
    kernel: {name: multiply, variant: scalar, n: 3}
    runs: 2
    after: sample
    every: 2
    hart: 1
  learn:
    learner: {name: linucb-disjoint, variant: optimized, d: 2, arms: 2}
    step: update
    after: infer
    share: 50 %
    delay: 3 ms
    kind: exponential
  door:
    program: work.c
    source: door.py:knock
    waiting: 1
arch: t13
set: {clock: 50 MHz}
device: {harts: 2, preempt: true}
power:
  static: {value: 1.5 mW, source: a book}
sleep: never
battery:
  capacity: {value: 225 mAh, source: a book}
  voltage: {value: 3 V, source: a book}
  usable: {value: 90 %, source: a book}
  self-discharge: not included
harvest:
  power: {value: 1 mW, source: a book}
  on: 8 h
  of: 24 h
  efficiency: not included
require: [sample.missed <= 1 %, infer.worst <= 9 ms, battery-life >= 1 d]
"""


def written(folder: Path, text: str) -> Path:
    (folder / "work.c").write_text(_C)
    (folder / "door.py").write_text(_DOOR)
    path = folder / "pipeline.yaml"
    path.write_text(text)
    return path


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    return read_pipeline(written(tmp_path_factory.mktemp("pipeline"), GOOD))


@pytest.fixture(scope="module")
def services(pipeline: Pipeline) -> tuple[StageService, ...]:
    return measure_stages(pipeline)


def test_both_engines_report_the_same_from_yaml_to_page(
    pipeline: Pipeline, services: tuple[StageService, ...], tmp_path: Path
) -> None:
    compiled = simulate_pipeline(pipeline, services)
    assert compiled.to_json() == simulate_pipeline(pipeline, services, engine="simpy").to_json()
    sample, infer, learn, door = compiled.stages
    assert sample.requests == 100
    assert infer.requests == sample.finished // 2
    assert 0 < learn.requests < infer.finished
    assert door.requests == 99
    ((cycles,), (measured,)) = services[0].cycles, services[0].runs
    assert sample.response_ps.min() >= cycles * 20_000
    assert compiled.account is not None
    names = [part.name for part in compiled.account.parts]
    assert names[:4] == ["sample", "infer", "learn", "door"]
    assert compiled.account.total_uj.value == pytest.approx(compiled.record.energy_uj, rel=1e-9)
    assert measured.work.wall_cycles == cycles
    longest = simulate_pipeline(pipeline, services, longest=True)
    report = PipelineReport(compiled, longest)
    files = {path.name for path in report.write(tmp_path, GOOD)}
    assert files >= {"index.html", "deploy.md", "stages.csv", "latency.svg"}
    page = (tmp_path / "index.html").read_text()
    assert "Temperature is not modeled" in page
    assert page.count("example") >= 2


def test_a_stage_that_cannot_run_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    (tmp_path / "work.c").write_text("int main(void) { return wrong; }\n")
    with pytest.raises(GnomonError, match=r"stage sample: (?s:.*)work\.c:1"):
        measure_stages(read_pipeline(path))


def test_a_stage_is_one_call_of_its_function(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    (tmp_path / "work.c").write_text(_C.replace("work(&x); return", "work(&x); work(&x); return"))
    with pytest.raises(GnomonError, match=r"stage sample: the program enters work 2 times"):
        measure_stages(read_pipeline(path))


@pytest.mark.parametrize(
    ("ends_d", "text"),
    [
        ((3.0, 2.0, 4.0), "3 d (2 to 4)"),
        ((1 / 24, 1 / 48, 1 / 12), "1 h (0.5 to 2)"),
        ((1 / 2880, 1 / 86_400, 1 / 1440), "30 s (1 s to 1 min)"),
        ((3.0, 2.0, float("inf")), "3 d (2 d to unlimited)"),
        ((float("inf"), 2.0, float("inf")), "unlimited (2 d to unlimited)"),
        ((float("inf"),) * 3, "unlimited: every cycle restores what it uses"),
    ],
)
def test_lives_of_batteries(ends_d: tuple[float, ...], text: str) -> None:
    assert format_life(Interval(*(end * 86_400e12 for end in ends_d), "ps")) == text


def test_the_longest_runs_take_longest(
    pipeline: Pipeline, services: tuple[StageService, ...]
) -> None:
    runs = services[1].runs
    slow = replace(runs[1], wall_cycles=runs[0].wall_cycles * 3)  # type: ignore[type-var]
    changed = (services[0], replace(services[1], runs=(runs[0], slow)), *services[2:])
    mean, longest = (simulate_pipeline(pipeline, changed, longest=each) for each in (False, True))
    assert longest.stages[1].response_ps.min() > mean.stages[1].response_ps.min()
    assert longest.figures["utilisation"] > mean.figures["utilisation"]  # type: ignore[operator]


def test_an_overload_is_reported(
    pipeline: Pipeline, services: tuple[StageService, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    sample = pipeline.stages[0]
    for period_us, late in ((3, True), (400, False)):
        changes = {"hart": 0, "jitter_ps": 0, "period": period_us * 10**6}
        stage = replace(sample, keys=sample.keys.model_copy(update=changes))
        alone = replace(pipeline, stages=(stage,), require=())
        result = simulate_pipeline(alone, services[:1])
        (run_ps,) = result.model.stages[0].run_ps.tolist()
        load = result.stages[0].requests * run_ps / pipeline.length_ps
        assert result.offered_load == pytest.approx(load)
        assert result.to_json()["time"]["offered_load"] == result.offered_load
        assert (load > 1) == late
        PipelineReport(result, result).print()
        assert ("cannot keep up" in capsys.readouterr().out) == late


def test_the_longest_run_of_each_kind_is_kept() -> None:
    energies = tuple(tuple(Interval(uj, uj, uj, "µJ") for uj in each) for each in ((1, 2), (3, 4)))
    times_ps = np.array([3, 5]), np.array([9, 4])
    priced = PricedRuns(times_ps=times_ps, energies_uj=energies, idle_mw=None)
    longest = priced.keep_longest()
    assert [each.tolist() for each in longest.times_ps] == [[5], [9]]
    assert [each.value for (each,) in longest.energies_uj] == [2, 3]
    assert replace(priced, energies_uj=()).keep_longest().energies_uj == ()


def test_measured_runs_come_in_turn_also_if_few_are_requested(
    pipeline: Pipeline, services: tuple[StageService, ...]
) -> None:
    sample, infer, *others = pipeline.stages
    keys = infer.keys.model_copy(update={"share": 0.4, "service": "in-order"})
    stages = (sample, replace(infer, keys=keys), *others)
    result = simulate_pipeline(replace(pipeline, stages=stages), services)
    first = result.model.first_job
    used = result.model.stages[1].sample[result.record.end_ps[first[1] : first[2]] >= 0]
    assert len(used) > 10
    assert used.tolist() == [number % 2 for number in range(len(used))]


def test_a_process_of_a_user_in_python(
    pipeline: Pipeline, services: tuple[StageService, ...]
) -> None:
    def twice(env: Any, request: Any, _rng: object) -> Iterator[Any]:
        yield env.timeout(0.01)
        request()
        yield env.timeout(0.02)
        request()

    result = simulate_pipeline(pipeline, services, sources={"door": twice})
    assert result.stages[3].requests == 2
    with pytest.raises(GnomonError, match=r"no stage 'dor' has a source .*did you mean 'door'"):
        simulate_pipeline(pipeline, services, sources={"dor": twice})
    with pytest.raises(GnomonError, match="2 services of 4 stages"):
        simulate_pipeline(pipeline, services[:2])


def test_a_source_is_a_module_next_to_others(tmp_path: Path) -> None:
    (tmp_path / "steps.py").write_text("GAP_S = 0.5\n")
    (tmp_path / "door.py").write_text(
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "@dataclass\nclass Visit:\n    number: int\n"
        "def knock(env, request, rng):\n    from steps import GAP_S\n"
        "    while True:\n        request()\n        yield env.timeout(GAP_S * Visit(1).number)\n"
    )
    path = list(sys.path)
    times = record_source(tmp_path / "door.py", "knock", 10**12, np.random.default_rng(0))
    assert times.tolist() == [0, 5 * 10**11]
    assert sys.path == path
    assert "steps" not in sys.modules


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def knock(env, request, rng):\n    request()\n", "must be a SimPy process"),
        ("def knock(env, request, rng):\n    yield 1 / 0\n", "door.py:2: ZeroDivisionError"),
        (
            "def knock(env, request, rng):\n    yield 5\n",
            'door.py:knock: must yield events of env, .*line 2, .*"5"',
        ),
        ("def other(env, request, rng):\n    yield\n", "no function 'knock'"),
        ("def knock(:\n", "door.py:1: SyntaxError"),
    ],
)
def test_a_wrong_source_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    (tmp_path / "door.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    for folder in (tmp_path, Path()):
        with pytest.raises(GnomonError, match=message):
            record_source(folder / "door.py", "knock", 10**9, np.random.default_rng(0))


def test_requests_at_and_after_the_end_are_not_made() -> None:
    def each_second(env: Any, request: Any, _rng: object) -> Iterator[Any]:
        while True:
            request()
            yield env.timeout(1.0)

    times = collect_requests(each_second, 3 * 10**12, np.random.default_rng(0))
    assert times.tolist() == [0, 10**12, 2 * 10**12]


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("after: sample", "after: smaple", 15, "no stage above .* named 'smaple' .*sample"),
        ("after: sample", "after: infer", 15, "no stage above this one is named 'infer'"),
        ("    period: 1 ms\n", "", 6, "missing .allowed: one of period, rate, file, source, after"),
        ("hart: 1", "hart: 2", 17, "only harts 0 to 1 serve"),
        ("harts: 2", "harts: 4", 31, "4 harts at work: t13 has 3"),
        ("name: multiply", "name: multiplly", 13, "multiply"),
        ("n: 3", "m: 3", 13, "unknown key"),
        ("{name: multiply, variant: scalar, n: 3}", "{}", 13, "kernel is missing"),
        ("{name: multiply, variant: scalar, n: 3}", "multiply", 13, "must be a section"),
        ("variant: optimized,", "", 19, "variant is missing"),
        ("sources: [work.c]", "sources: [work.x]", 7, "not a source"),
        ("jitter: 100 us", "jitter: 2 ms", 9, "must not be longer than the period"),
        ("door.py:knock", "door.py", 27, "is not FILE.py:FUNCTION"),
        ("infer.worst", "infer.wurst", 45, "'infer.wurst' is not measured"),
        ("infer.worst <= 9 ms", "infer.missed <= 1 %", 45, "needs a deadline of stage infer"),
        ("on: 8 h", "on: 25 h", 42, "must not be longer than the cycle"),
        ("seed: 3", "sed: 3", 4, "unknown key"),
        ("  door:\n", "  static:\n", 25, "is the name of a part of the energy"),
        ("  door:\n", "  '':\n", 25, "must be of lower-case letters"),
        ("  door:\n", "  tür:\n", 25, "must be of lower-case letters"),
        ("door.py:knock", "dor.py:knock", 27, "dor.py: there is no such file"),
    ],
)
def test_every_error_is_at_its_line(
    tmp_path: Path, old: str, new: str, line: int, message: str
) -> None:
    assert old in GOOD
    path = written(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(FileError, match=message) as found:
        read_pipeline(path)
    assert f"pipeline.yaml:{line}:" in str(found.value)


def _live(mw: float, harvested_mw: float, on_h: int, of_h: int, mwh: float = 100.0) -> float:
    """Return the life in hours of a battery without self-discharge, from YAML to figure."""
    said = {
        "power": {"value": f"{harvested_mw} mW", "source": "x"},
        "on": f"{on_h} h",
        "of": f"{of_h} h",
        "efficiency": {"value": "100 %", "source": "x"},
    }
    harvest = HarvestKeys.model_validate(said)
    battery = BatteryKeys.model_validate(
        {
            "capacity": {"value": f"{mwh} mWh", "source": "x"},
            "usable": {"value": "100 %", "source": "x"},
            "self-discharge": "not included",
        }
    )
    life = compute_life_ps(battery, Interval(mw, mw, mw, "mW"), harvest)
    assert life is not None
    return life.value / 3.6e15


def _step(mw: float, harvested_mw: float, on_h: int, of_h: int, mwh: float = 100.0) -> float:
    """Return the same, minute by minute."""
    charge, minute = mwh, 0
    while charge > 0 and minute < 60 * 24 * 400:
        dark = minute % (60 * of_h) < 60 * (of_h - on_h)
        charge = min(mwh, charge + (0.0 if dark else harvested_mw) / 60 - mw / 60)
        minute += 1
    return minute / 60


def test_a_harvested_battery_lives_as_long_as_step_by_step() -> None:
    for mw, harvested_mw, on_h, of_h in (
        (1.0, 2.0, 8, 24), (1.0, 0.5, 8, 24), (10.0, 30.0, 8, 24), (1.0, 2.87, 8, 24),
        (3.0, 8.6, 8, 24), (1.0, 2.0, 24, 24), (4.0, 1.0, 24, 24),
    ):  # fmt: skip
        life, stepped = (way(mw, harvested_mw, on_h, of_h) for way in (_live, _step))
        if stepped >= 24 * 400:
            assert life == float("inf")
        else:
            assert life == pytest.approx(stepped, abs=0.05)
    assert _live(1.0, 3.0, 8, 24) == float("inf")  # 16 h fall as much as 8 h rise
    assert _live(1.0, 2.99, 8, 24) < float("inf")


@pytest.mark.heavy("studies")
def test_the_example_from_yaml_to_page(tmp_path: Path) -> None:
    """Three C programs and a learner on a coin cell, started by a SimPy process."""
    pipeline = read_pipeline(EXAMPLE)
    assert [stage.workload for stage in pipeline.stages] == ["program"] * 3 + ["learner"] * 2
    services = measure_stages(pipeline)
    fast, slow = (simulate_pipeline(pipeline, services, engine=each) for each in ENGINES)
    same(fast.record, slow.record)
    assert fast.keeps
    assert fast.life_ps is not None
    sample, filtered, infer, decide, learn = fast.stages
    assert sample.finished == filtered.finished > 1000
    assert infer.finished == decide.finished == sample.finished // 10
    assert 0.7 < learn.requests / decide.finished < 0.9
    longest = simulate_pipeline(pipeline, services, longest=True)
    written = PipelineReport(fast, longest).write(tmp_path / "page.html", EXAMPLE.read_text())
    page = written[0].read_text()
    assert "meets all requirements" in page
    assert "If every run takes its longest measured time, it meets all requirements." in page
    for stage in fast.stages:
        assert f"{stage.requests:,}, all finished" in page
