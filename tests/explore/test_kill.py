"""kill -9 at any moment: the sweep resumes where it ended, and gives the same bytes."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.explore import read_sweep, run_sweep
from tests.signals import heeding_ctrl_c

from .conftest import ROOT, command, kept_points, kernel_sweep, run_command

if TYPE_CHECKING:
    from pathlib import Path

FILES = ("results.parquet", "summary.json")
AXES = {"variant": ["scalar", "vector"], "n": list(range(2, 10)), "vcu.simd": [1, 2, 4]}
FEW_AXES = {**AXES, "n": [2, 3, 4], "vcu.simd": [1, 4]}


def kill_once_there(cache: Path, folder: Path, spec: Path, wanted: int, jobs: str) -> None:
    """Start a sweep and kill it, with its processes, as soon as the cache has so many outcomes."""
    process = subprocess.Popen(
        command("sweep", str(spec), "--jobs", jobs, "--out", str(folder)),
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 120
    while process.poll() is None and kept_points(cache) < wanted and time.monotonic() < deadline:
        time.sleep(0.001)
    if jobs == "1":
        process.kill()
    else:
        # The parent alone; its processes must notice.
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
    process.wait()


def check(
    own_cache: Path, tmp_path: Path, rounds: int, jobs: str, axes: dict[str, list[Any]]
) -> None:
    spec = tmp_path / "sweep.yaml"
    spec.write_text(json.dumps(kernel_sweep(axes=axes)))
    run_sweep(read_sweep(spec), tmp_path / "whole")
    total = kept_points(own_cache)
    choice = random.Random(9)
    for turn in range(rounds):
        shutil.rmtree(own_cache / "sweep")
        folder = tmp_path / f"killed{turn}"
        kill_once_there(own_cache, folder, spec, choice.randrange(1, total), jobs)
        kept = kept_points(own_cache)
        assert not [name for name in FILES if (folder / name).exists()] or kept == total
        done = run_command("sweep", str(spec), "--jobs", "1", "--out", str(folder), "--json")
        assert done.returncode == 0, done.stderr
        counts = json.loads(done.stdout)["counts"]
        # What another process of the killed sweep finished after the count is known as well.
        assert counts["cached"] >= kept
        assert counts["cached"] + counts["computed"] == total
        for name in FILES:
            assert (folder / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
        assert not list(own_cache.glob("sweep/.aside-*")) or kept < total


@pytest.mark.heavy("kills")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_killed_and_resumed(own_cache: Path, tmp_path: Path, jobs: str) -> None:
    check(own_cache, tmp_path, 20, jobs, AXES)


@pytest.mark.heavy("kills")
def test_two_sweeps_at_once_on_one_folder(own_cache: Path, tmp_path: Path) -> None:
    spec = tmp_path / "sweep.yaml"
    spec.write_text(json.dumps(kernel_sweep(axes=FEW_AXES)))
    folder = tmp_path / "out"
    first = subprocess.Popen(
        command("sweep", str(spec), "--jobs", "1", "--out", str(folder)),
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
    )
    while kept_points(own_cache) < 1:
        assert first.poll() is None
        time.sleep(0.001)
    os.kill(first.pid, signal.SIGSTOP)  # so that it cannot finish before the other begins
    second = run_command("sweep", str(spec), "--jobs", "1", "--out", str(folder))
    os.kill(first.pid, signal.SIGCONT)
    assert second.returncode == 2
    assert second.stdout == ""
    assert second.stderr == (
        f"gnomon: {folder}: another sweep writes here (process {first.pid}); wait for it, or"
        " use another --out\n"
    )
    assert first.wait() == 0
    assert (folder / "results.parquet").is_file()


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_says_how_to_go_on(own_cache: Path, tmp_path: Path, jobs: str) -> None:
    spec = tmp_path / "sweep.yaml"
    spec.write_text(json.dumps(kernel_sweep(axes=AXES)))
    # An interrupt while coverage holds its lock would leave the process waiting for that lock.
    env = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    with heeding_ctrl_c():
        process = subprocess.Popen(
            command("sweep", str(spec), "--jobs", jobs, "--out", str(tmp_path / "out")),
            cwd=ROOT,
            env=env | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    while kept_points(own_cache) < 1:
        assert process.poll() is None
        time.sleep(0.001)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    out, error = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    said = re.fullmatch(
        r"gnomon: interrupted at (\d+) of 48 points; finished points are cached; rerun the"
        r" sweep to resume\n",
        error,
    )
    assert said, error
    assert int(said[1]) <= kept_points(own_cache) < 48
