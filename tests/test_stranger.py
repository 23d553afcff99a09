"""A stranger with the wheel alone: own kernel and learner, measured, swept, replayed, budgeted.

No network, no checkout: the wheel is installed into a fresh virtual environment that borrows the
dependencies of this one.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from gnomon.base.compiler import zig_binary
from gnomon.report.bundle import make_bundle, read_bundle
from tests.wheels import ROOT, build_once, install, install_once

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Gnomon = Callable[..., Any]

SWEEP = """\
schema: 1
name: lanes
kernel: axpy
arch: my-core
fixed: {n: 16, variant: vector}
axes: {vcu.simd: [2, 8]}
"""
BUDGET = """\
schema: 1
name: kernels
arch: my-core
checks:
  axpy:
    kernel: axpy
    settings: {variant: scalar, n: 8}
    limits:
      - wall_cycles <= 1000
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a fresh virtual environment with the wheel."""
    return install_once(tmp_path_factory)


@pytest.fixture(scope="module")
def gnomon(python: Path, tmp_path_factory: pytest.TempPathFactory) -> Gnomon:
    """Run gnomon in a new project; the answer as JSON."""
    folder = tmp_path_factory.mktemp("stranger")
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}

    def run(*words: str, at: str = "demo") -> Any:
        done = subprocess.run(
            [python, "-m", "gnomon", *words, "--json"], cwd=folder / at, env=environment,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, (words, done.stderr, done.stdout)
        return json.loads(done.stdout)

    run("new", "project", "demo", at=".")
    run("new", "machine", "my-core")
    run.folder = folder / "demo"  # type: ignore[attr-defined]
    return run


PROGRAM = "int main(void) { int n = 0; for (int k = 0; k < 9; k++) n += k * k; return n & 1; }\n"
BUNDLED = """\
schema: 1
name: bundled
program: {sources: [sum.c]}
arch: t13-simd1
axes: {vcu.simd: [1, 2, 4], clock: [50 MHz, 100 MHz]}
objectives: [minimize time, minimize area]
"""


def measured(swept: Any, points: int) -> None:
    """Check that all points have results; a cache of an earlier run may hold them."""
    counts = swept["counts"]
    assert (counts["cached"] + counts["computed"], swept["failed"]) == (points, 0)


def test_an_own_kernel(gnomon: Gnomon) -> None:
    folder: Path = gnomon.folder  # type: ignore[attr-defined]
    gnomon("new", "kernel", "axpy")
    runs = gnomon("kernel", "axpy", "--arch", "my-core", "--n", "16")
    assert {run["variant"] for run in runs["runs"]} == {"scalar", "vector"}
    (folder / "lanes.yaml").write_text(SWEEP)
    measured(gnomon("sweep", "lanes.yaml"), 2)
    (folder / "calls.jsonl").write_text('{"kernel": "axpy", "shape": [16], "count": 10}\n')
    assert gnomon("replay", "calls.jsonl", "--arch", "my-core")
    (folder / "budget.yaml").write_text(BUDGET)
    assert gnomon("budget", "budget.yaml")
    assert gnomon("check", "axpy")["failed"] == 0


@pytest.mark.heavy("wheels")
def test_an_own_learner(gnomon: Gnomon) -> None:
    gnomon("new", "learner", "mine")
    run = gnomon("learner", "mine", "--arch", "my-core", "--d", "4", "--arms", "3")
    assert run
    folder: Path = gnomon.folder  # type: ignore[attr-defined]
    (folder / "learners.yaml").write_text(
        SWEEP.replace("kernel: axpy", "learner: mine")
        .replace("name: lanes", "name: learners")
        .replace("{n: 16, variant: vector}", "{variant: standard, d: 4, arms: 3}")
    )
    measured(gnomon("sweep", "learners.yaml"), 2)
    (folder / "learners-budget.yaml").write_text(
        BUDGET.replace("kernel: axpy", "learner: mine")
        .replace("{variant: scalar, n: 8}", "{variant: standard, d: 4, arms: 3}")
        .replace("wall_cycles <= 1000", "select_cycles <= 100000")
    )
    assert gnomon("budget", "learners-budget.yaml")
    assert gnomon("check", "mine")["failed"] == 0


@pytest.fixture
def bundled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Return the bundle of a file: of a sweep, or of a pipeline with a SimPy process."""
    shutil.copytree(ROOT / "examples" / "pipeline", tmp_path, dirs_exist_ok=True)
    (tmp_path / "sum.c").write_text(PROGRAM)
    (tmp_path / "bundled.yaml").write_text(BUNDLED)
    monkeypatch.chdir(tmp_path)

    def make(source: str) -> Path:
        make_bundle(source, tmp_path / "bundle.zip")
        return tmp_path / "bundle.zip"

    return make


@pytest.mark.heavy("wheels")
@pytest.mark.parametrize("source", ["bundled.yaml", "pipeline.yaml"])
def test_a_bundle_of_this_environment_is_verified_in_a_fresh_one(
    gnomon: Gnomon, bundled: Callable[[str], Path], source: str
) -> None:
    path = bundled(source)
    told = gnomon("report", "verify", str(path))
    assert (told["equal"], told["files"]) == (True, len(read_bundle(path).results))
    assert told["versions"] == []


CHANGED = """\
#!/bin/sh
# Another compiler: it optimizes less.
count=$#
while [ "$count" -gt 0 ]; do
    word=$1
    shift
    [ "$word" = -O2 ] && word=-O0
    set -- "$@" "$word"
    count=$((count - 1))
done
exec {zig} "$@"
"""


@pytest.mark.heavy("wheels")
def test_a_changed_compiler_is_the_cause_of_other_results(
    tmp_path_factory: pytest.TempPathFactory, bundled: Callable[[str], Path], tmp_path: Path
) -> None:
    path = bundled("bundled.yaml")
    python = install(build_once(tmp_path_factory), tmp_path_factory.mktemp("changed"))
    (own,) = (python.parents[1] / "lib").glob("python*/site-packages")
    package, facts = own / "ziglang", own / "ziglang-0.99.0.dist-info"
    for folder in (package, facts):
        folder.mkdir()
    (package / "__init__.py").write_text("")
    (package / "zig").write_text(CHANGED.format(zig=shlex.quote(str(zig_binary()))))
    (package / "zig").chmod(0o755)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: ziglang\nVersion: 0.99.0\n")
    done = subprocess.run(
        [python, "-m", "gnomon", "report", "verify", path, "--json"], cwd=tmp_path,
        capture_output=True, text=True, check=False,
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    told = json.loads(done.stdout)
    assert "results/bundled/points.csv" in {each["file"] for each in told["differences"]}
    there = read_bundle(path).versions["compiler zig"]
    assert told["cause"] == f"cause: compiler zig is 0.99.0 here and {there} in the bundle"
