"""Sweeps run, resume, and give the same bytes whatever was known before."""

from __future__ import annotations

import json
import os
import platform
import random
import re
import shutil
import signal
import threading
from math import prod
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.explore import (
    PointOutcome,
    SweepResult,
    evaluate_tasks,
    make_sweep,
    make_task,
    run_sweep,
)
from gnomon.explore._evaluate import EnvironmentFailed, WorkerCache
from gnomon.explore._executor import AdaptivePool, Executor, InProcess, ProcessPool
from gnomon.explore._lock import locked
from gnomon.explore._outcomes import pack, unpack
from gnomon.measure.kernels import KernelBench, find_kernel
from gnomon.measure.learners import EmbeddedSizes, LearnerBench, find_embedded_learner
from gnomon.program import load_elf
from gnomon.sim import simulate
from tests.rows import light_and_heavy

from .conftest import kept_points, kernel_sweep, run_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from gnomon.explore import Task
    from gnomon.explore._executor import CompletedJob

VECTOR_AXES = {
    "d": [3],
    "vcu.scratchpads.size": ["4 KiB", "16 KiB"],
    "vcu.simd": [1, 4],
    "vcu.sharing": ["shared", "replicated", "multithreaded"],
    "vcu.divider": ["restoring_r2", "klessydra_vl_std", "combinational"],
    "clock": ["50 MHz", "100 MHz"],
}


def outcomes(result: SweepResult) -> list[PointOutcome]:
    return [row.outcome for row in result.rows]


def test_points_are_what_direct_measurement_gives(own_cache: Path) -> None:
    result = run_sweep(make_sweep(kernel_sweep()))
    kernel = find_kernel("add")
    assert len(result.rows) == 24
    for row in result.rows:
        if row.failed:
            continue
        assert row.task is not None
        variant = kernel.variant(str(row.values[0]))
        n = int(row.values[1])  # type: ignore[arg-type]
        run = KernelBench(kernel, variant, row.task.architecture).measure((n, n))
        assert row.outcome.metrics["wall_cycles"] == run.wall_cycles
        assert row.outcome.metrics["time_us"] == run.time_us
        assert row.outcome.metrics["hart_cycles"] == run.hart_cycles


def test_a_scalar_kernel_runs_once_for_all_vector_units(own_cache: Path) -> None:
    """Their builds differ, as headers for the vector unit are there, but not what comes out."""
    data = kernel_sweep(fixed={"variant": "scalar", "n": 4}, axes={"vcu.simd": [1, 2, 4, 8]})
    counts = run_sweep(make_sweep(data)).counts
    assert (counts.simulated, counts.alike) == (1, 3)


@pytest.mark.parametrize(
    "axes",
    light_and_heavy(
        "studies",
        1,
        [VECTOR_AXES | {"vcu.scratchpads.size": ["4 KiB"], "clock": ["50 MHz"]}, VECTOR_AXES],
    ),
    ids=["some", "all"],
)
def test_one_run_for_machines_that_a_program_cannot_tell_apart(
    axes: dict[str, list[Any]], own_cache: Path
) -> None:
    data = kernel_sweep(
        learner="linucb-disjoint",
        arch="t13-paper-simd1",
        fixed={"variant": "standard-vector", "arms": 2, "case": "random"},
        axes=axes,
    )
    del data["kernel"]
    result = run_sweep(make_sweep(data))
    points = prod(map(len, axes.values()))
    assert len(result.rows) == points
    assert not result.failed
    # Clocks never matter, and replicated units are as good as a shared one for one hart.
    counts = result.counts
    assert counts.simulated + counts.retimed == points // len(axes["clock"]) // 3 * 2
    assert counts.alike == points - counts.simulated - counts.retimed
    assert counts.retimed > counts.simulated
    learner = find_embedded_learner("linucb-disjoint")
    variant = learner.variant("standard-vector")
    for row in random.Random(20).sample(result.rows, 3):
        assert row.task is not None
        sizes = EmbeddedSizes(int(row.values[0]), 2)  # type: ignore[arg-type]
        run = LearnerBench(learner, variant, row.task.architecture, sizes).measure(case="random")
        metrics = row.outcome.metrics
        assert metrics["wall_cycles"] == run.wall_cycles
        assert metrics["time_us"] == run.time_us
        assert metrics["select_cycles"] == run.select.wall_cycles
        assert metrics["memory_bytes"] == run.text_bytes + run.static_bytes + sum(run.stack_bytes)
        alone = evaluate_tasks([row.task], WorkerCache())
        assert alone == [row.outcome]


def test_failed_points_are_kept_with_their_reason(own_cache: Path, tmp_path: Path) -> None:
    result = run_sweep(make_sweep(kernel_sweep()), tmp_path / "out")
    reasons = {row.outcome.reason for row in result.failed}
    assert any("one word for each of the 8 banks" in reason for reason in reasons)
    table = pq.read_table(tmp_path / "out" / "results.parquet").to_pylist()
    assert [row["failed"] for row in table] == [row.failed for row in result.rows]
    broken = next(row for row in table if row["failed"])
    assert broken["time_us"] is None
    assert broken["axis.vcu.simd"] == 8
    whole = next(row for row in table if not row["failed"])
    assert whole["arch.vcu.scratchpads.size"] in (16, 1024)
    assert whole["arch.core.model"] == "t13"
    assert whole["arch.clock"] == 100_000_000
    assert (whole["kernel"], whole["variant"], whole["seed"]) == ("add", "scalar", 0)
    assert 0 < whole["energy_low_uj"] < whole["energy_uj"] < whole["energy_high_uj"]
    assert whole["note.energy"] is None


def test_a_size_beyond_any_memory_fails_alone(own_cache: Path) -> None:
    data = kernel_sweep(axes={"n": [2, 10**7, 3]}, fixed={"variant": "scalar"})
    rows = run_sweep(make_sweep(data)).rows
    assert [row.failed for row in rows] == [False, True, False]
    assert "the machine has room for" in rows[1].outcome.reason


def test_why_a_metric_is_not_known(own_cache: Path) -> None:
    data = kernel_sweep(axes={"n": [2]}, fixed={"variant": "scalar", "power": None})
    (row,) = run_sweep(make_sweep(data)).rows
    assert "energy_uj" not in row.outcome.metrics
    assert row.outcome.notes["energy"].startswith("t13-simd1 names no power table")


def test_the_second_run_computes_nothing_and_writes_the_same(
    own_cache: Path, tmp_path: Path
) -> None:
    sweep = make_sweep(kernel_sweep())
    first = run_sweep(sweep, tmp_path / "a")
    second = run_sweep(sweep, tmp_path / "b")
    assert first.counts.computed > 0
    assert (second.counts.computed, second.counts.simulated) == (0, 0)
    assert outcomes(first) == outcomes(second)
    for name in ("results.parquet", "summary.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_half_of_it_known(own_cache: Path, tmp_path: Path) -> None:
    sweep = make_sweep(kernel_sweep())
    whole = run_sweep(sweep, tmp_path / "a")
    assert kept_points(own_cache) == whole.counts.computed
    entries = sorted(own_cache.glob("sweep/*.entry"))
    assert len(entries) > 2
    for entry in entries[::2]:
        entry.unlink()
    left = kept_points(own_cache)
    again = run_sweep(sweep, tmp_path / "b")
    assert again.counts.computed == whole.counts.computed - left
    assert kept_points(own_cache) == whole.counts.computed
    assert (tmp_path / "a/results.parquet").read_bytes() == (
        tmp_path / "b/results.parquet"
    ).read_bytes()


@pytest.mark.parametrize("damage", ["cut", "figure", "empty", "other", "not-json"])
@pytest.mark.parametrize("suffix", [".entry", ".points"])
def test_a_damaged_entry_is_computed_again(
    own_cache: Path, damage: str, suffix: str, caplog: pytest.LogCaptureFixture
) -> None:
    sweep = make_sweep(kernel_sweep(axes={"variant": ["scalar"], "n": [2, 3]}))
    first = run_sweep(sweep)
    one, other = sorted(own_cache.glob(f"sweep/*{suffix}"))
    data = one.read_bytes()
    if damage == "other":
        one.write_bytes(other.read_bytes())
    elif damage == "figure" and suffix == ".points":
        one.write_bytes(data[:-9] + bytes([data[-9] ^ 1]) + data[-8:])
    elif damage == "figure":
        one.write_bytes(re.sub(rb"[0-9]", lambda digit: b"%d" % (9 - int(digit[0])), data, count=1))
    else:
        one.write_bytes({"cut": data[:-9], "empty": b"", "not-json": b"\xff[1"}[damage])
    again = run_sweep(sweep)
    assert outcomes(again) == outcomes(first)
    assert (again.counts.cached, again.counts.computed) == (1, 1)
    assert one.read_bytes() == data
    assert caplog.messages == [f"{one}: is damaged; it is regenerated"]
    assert run_sweep(sweep).counts.cached == 2
    assert len(caplog.messages) == 1


def test_what_others_computed_is_taken(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = make_sweep(kernel_sweep(axes={"variant": ["scalar"], "n": [2, 3]}))
    run_sweep(sweep)
    monkeypatch.setenv("GNOMON_CACHE_SHARED", str(own_cache))
    monkeypatch.setenv("GNOMON_CACHE", str(tmp_path / "another"))
    assert run_sweep(sweep).counts.cached == 2


def test_another_program_is_another_entry(own_cache: Path) -> None:
    data = kernel_sweep(axes={"n": [2]}, fixed={"variant": "scalar"})
    run_sweep(make_sweep(data))
    changed = run_sweep(make_sweep(data | {"fixed": {"variant": "scalar", "optimization": "-O1"}}))
    assert changed.counts.cached == 0


def test_a_folder_takes_one_sweep_at_a_time(own_cache: Path, tmp_path: Path) -> None:
    sweep = make_sweep(kernel_sweep(axes={"variant": ["scalar"], "n": [2]}))
    folder = tmp_path / "out"
    with locked(folder), pytest.raises(GnomonError) as error:
        run_sweep(sweep, folder)
    text = str(error.value)
    assert text.startswith(f"{folder}: another sweep writes here (process ")
    assert text.endswith("); wait for it, or use another --out")
    run_sweep(sweep, folder)


def test_processes_give_what_one_gives(own_cache: Path) -> None:
    sweep = make_sweep(kernel_sweep())
    alone = run_sweep(sweep)
    for entry in own_cache.glob("sweep/*.entry"):
        entry.unlink()
    pool = ProcessPool(2)
    try:
        together = run_sweep(sweep, executor=pool)
    finally:
        pool.close()
    assert together.counts.computed == alone.counts.computed
    assert outcomes(together) == outcomes(alone)


@pytest.mark.parametrize("alone", light_and_heavy("studies", 1, [5, 0, 1, 1000]))
def test_more_processes_take_over_anywhere(
    alone: int, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After so many points, in the middle of a job or at its end."""
    ticks = iter(range(10_000))
    monkeypatch.setattr("gnomon.explore._executor.perf_counter", lambda: float(next(ticks)))
    monkeypatch.setattr("gnomon.explore._executor._ALONE_S", float(alone))
    sweep = make_sweep(kernel_sweep())
    growing = AdaptivePool(2)
    # Their work is the same in this process: what starts them has its own test.
    monkeypatch.setattr(growing, "_pool", InProcess())
    shared = run_sweep(sweep, executor=growing)
    for entry in own_cache.glob("sweep/*.entry"):
        entry.unlink()
    plain = run_sweep(sweep)
    assert outcomes(shared) == outcomes(plain)
    assert shared.counts.computed == plain.counts.computed


def test_nothing_of_a_pool_is_left_when_it_is_closed() -> None:
    """A thread or a process that is left would delay the end of Python, or print errors then."""
    before = set(threading.enumerate())
    pool = ProcessPool(2)
    list(pool.run([[], []]))
    pids = [process.pid for process in pool.processes]
    pool.close()
    assert set(threading.enumerate()) == before
    assert len(pids) == 2
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    pool.close()  # again is nothing


class Killing(ProcessPool):
    """A pool one of whose processes is killed as soon as a job is done."""

    killed = 0

    def run(self, jobs: Sequence[Sequence[Task]]) -> Iterator[CompletedJob]:
        for done in super().run(jobs):
            if not self.killed:
                self.killed = self.processes[0].pid
                os.kill(self.killed, signal.SIGKILL)
            yield done


def test_a_killed_process_loses_nothing(own_cache: Path) -> None:
    sweep = make_sweep(kernel_sweep())
    pool = Killing(2)
    try:
        result = run_sweep(sweep, executor=pool)
    finally:
        pool.close()
    assert pool.killed
    assert not any("died" in row.outcome.reason for row in result.rows)
    for entry in own_cache.glob("sweep/*.entry"):
        entry.unlink()
    assert outcomes(result) == outcomes(run_sweep(sweep))


class Failing(Executor):
    """Fails as a computer does, after some jobs."""

    workers = 1

    def __init__(self, jobs_done: int) -> None:
        self.left = jobs_done

    def run(self, jobs: Sequence[Sequence[Task]]) -> Iterator[CompletedJob]:
        for done in InProcess().run(jobs):
            if not self.left:
                raise EnvironmentFailed("No space left on device")
            self.left -= 1
            yield done


def test_what_is_finished_survives_a_failing_computer(own_cache: Path, tmp_path: Path) -> None:
    sweep = make_sweep(kernel_sweep())
    with pytest.raises(GnomonError, match="No space left"):
        run_sweep(sweep, tmp_path / "out", executor=Failing(3))
    assert not (tmp_path / "out" / "results.parquet").exists()
    kept = kept_points(own_cache)
    assert kept >= 3
    assert run_sweep(sweep, tmp_path / "out").counts.cached == kept


def test_a_full_disk_is_said_and_leaves_nothing_half(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = make_sweep(kernel_sweep(axes={"variant": ["scalar"], "n": [2]}))

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("gnomon.base.cache_entry.write_aside", full)
        with pytest.raises(GnomonError, match="cannot write to the cache folder: No space left"):
            run_sweep(sweep, tmp_path / "out")
    run_sweep(sweep)  # the point is cached, so that the results are what cannot be written
    with monkeypatch.context() as patch:
        patch.setattr("gnomon.base.files._open_aside", full)
        with pytest.raises(GnomonError, match=r"results\.csv: cannot be written: No space"):
            run_sweep(sweep, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [".sweep.lock"]
    assert run_sweep(sweep, tmp_path / "out").counts.cached == 1


def test_an_operating_system_error_is_no_result(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweep = make_sweep(kernel_sweep(axes={"variant": ["scalar"], "n": [2]}))

    def broken(*_: Any, **__: Any) -> None:
        try:
            (tmp_path / "nowhere" / "file").write_text("")
        except OSError as error:
            raise GnomonError(f"cannot write: {error.strerror}") from None

    with monkeypatch.context() as patch:
        patch.setattr("gnomon.measure.kernels.KernelBench.build", broken)
        with pytest.raises(EnvironmentFailed, match=r"^cannot write: No such file or directory$"):
            run_sweep(sweep)
    assert not list(own_cache.glob("sweep/*.entry"))


def test_one_task_for_points_that_are_the_same(own_cache: Path) -> None:
    # Two names of one divider make one machine.
    axes = {"variant": ["scalar"], "n": [2], "core.divider": ["restoring_r2", "restoring-radix2"]}
    result = run_sweep(make_sweep(kernel_sweep(axes=axes)))
    assert result.counts.computed == 1
    assert result.rows[0].outcome == result.rows[1].outcome


def test_programs_of_ones_own(own_cache: Path) -> None:
    elf = "tests/reference/t13x/programs/p_conv_h1_s4.elf"
    data = kernel_sweep(program=elf, axes={"vcu.simd": [4, 8], "clock": ["50 MHz", "100 MHz"]})
    data |= {"arch": "t13-simd4"}
    del data["kernel"]
    result = run_sweep(make_sweep(data))
    # The reference run of this program on the RTL: exit in cycle 27426.
    assert [row.outcome.metrics["wall_cycles"] for row in result.rows[:2]] == [27427, 27427]
    assert result.rows[0].outcome.metrics["time_us"] == 27427 / 50
    counts = result.counts
    assert (counts.simulated, counts.recorded, counts.retimed, counts.alike) == (1, 1, 1, 2)
    wide = simulate(load_elf(elf), load_architecture("t13-simd4", ["vcu.simd=8"]))
    assert result.rows[2].outcome.metrics["wall_cycles"] == wide.exit_cycle + 1


def test_an_entry_of_another_version_is_not_taken_and_one_line_says_so(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    sweep = make_sweep(kernel_sweep(axes={"variant": ["scalar"], "n": [2]}))
    other = make_sweep(kernel_sweep(axes={"variant": ["scalar"], "n": [3]}))
    run_sweep(sweep)
    with monkeypatch.context() as changed:
        changed.setattr("gnomon.explore._task.code_digest", lambda *_: "another version")
        assert run_sweep(other).counts.cached == 0
        assert caplog.messages == []  # of this sweep, the cache has no points at all
        assert run_sweep(sweep).counts.cached == 0
        (line,) = caplog.messages
        assert line.startswith("small: its points in the cache are not reused: ")
        assert run_sweep(sweep).counts.cached == 1
    assert run_sweep(sweep).counts.cached == 1
    assert len(caplog.messages) == 1


WORDS = st.text(max_size=5)
FIGURES = st.floats(allow_nan=False) | st.integers(-(2**53), 2**53)
OUTCOMES = st.builds(
    PointOutcome,
    st.dictionaries(st.sampled_from(["time_us", "wall_cycles", "energy_uj"]), FIGURES),
    st.dictionaries(WORDS, WORDS, max_size=2),
    st.dictionaries(WORDS, WORDS | st.integers(), max_size=2),
    WORDS,
)


@given(st.dictionaries(st.binary(min_size=32, max_size=32), OUTCOMES, max_size=5))
def test_outcomes_come_back_as_they_were(kept: dict[bytes, PointOutcome]) -> None:
    """Notes, facts and reasons exactly; whole figures as doubles, which hold 2**53."""
    part, keys = unpack(pack(kept))
    assert keys == list(kept)
    assert [part.outcome(place) for place in range(len(keys))] == list(kept.values())


def test_the_command_line_in_processes_of_its_own(own_cache: Path, tmp_path: Path) -> None:
    spec = tmp_path / "sweep.yaml"
    spec.write_text(json.dumps(kernel_sweep()))
    done = run_command("sweep", str(spec), "--jobs", "2", "--out", str(tmp_path / "o"), "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["points"] == 24
    assert done.stderr == ""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="its names of processors are of x86-64")
def test_figures_do_not_depend_on_the_processor(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """BLAS orders sums by the processor, here by one with and one without wide registers."""
    spec = tmp_path / "sweep.yaml"
    axes = {"variant": ["scalar", "vector"], "n": [2, 4], "vcu.simd": [1, 2, 4]}
    spec.write_text(json.dumps(kernel_sweep(axes=axes, constraints=[])))
    for processor in ("Haswell", "Nehalem"):
        monkeypatch.setenv("OPENBLAS_CORETYPE", processor)
        folder = tmp_path / processor
        done = run_command("sweep", str(spec), "--jobs", "1", "--out", str(folder))
        assert done.returncode == 0, done.stderr
        shutil.rmtree(own_cache / "sweep")
    for name in ("results.csv", "summary.json"):
        assert (folder / name).read_bytes() == (tmp_path / "Haswell" / name).read_bytes()


def test_a_worker_forgets_old_runs_and_gives_the_same(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    axes = {"n": [2, 3], "variant": ["scalar", "vector"], "vcu.simd": [1, 2, 4],
            "vcu.sharing": ["shared", "replicated"]}  # fmt: skip
    sweep = make_sweep(kernel_sweep(axes=axes, constraints=[]))
    tasks = [make_task(sweep, sweep.point(index)) for index in range(sweep.grid_points)] * 2
    whole = evaluate_tasks(tasks, WorkerCache())
    monkeypatch.setattr("gnomon.explore._runs._MOST_RUNS", 2)
    few = WorkerCache()
    assert evaluate_tasks(tasks, few) == whole
    kept = [run for by in few.runs._known.values() for each in by.values() for run in each]
    assert len(kept) == len(few.runs._places) == 2
    assert len(few.runs._executed) <= 2
