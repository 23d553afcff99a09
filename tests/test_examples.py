"""The examples run, and print what they printed when they were written."""

from __future__ import annotations

import ast
import json
import os
import resource
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

import gnomon

_ROOT = Path(__file__).resolve().parents[1]
_NOTEBOOKS = sorted((_ROOT / "examples").glob("*.ipynb"))
_SHORT = [path for path in _NOTEBOOKS if path.name != "search.ipynb"]  # 2,080 machines


def test_run_program() -> None:
    elf = _ROOT / "tests" / "reference" / "t13x" / "programs" / "p_conv_h1_s4.elf"
    done = subprocess.run(
        [sys.executable, str(_ROOT / "examples" / "run_program.py"), str(elf)],
        cwd=_ROOT,
        env={"PYTHONPATH": str(_ROOT), "PATH": "", "HOME": str(Path.home())},
        check=True,
        capture_output=True,
        text=True,
    )
    # The second line is the reference run of this program on the RTL: exit in cycle 27426.
    assert done.stdout.splitlines()[1] == "t13-simd4: exit, 27427 cycles"


@pytest.mark.heavy("studies")
def test_optuna_finds_the_best_machine() -> None:
    """Of the whole grid, which has 48 points."""
    pytest.importorskip("optuna", reason="optuna is absent; install: python -m pip install optuna")
    script = _ROOT / "examples" / "optuna_search.py"
    done = subprocess.run(
        [sys.executable, str(script), "150"],
        cwd=_ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    axes = runpy.run_path(str(script))["AXES"]
    fixed = {"variant": "vector", "n": 16}
    points = gnomon.iterate_sweep(
        {"schema": 1, "name": "grid", "kernel": "multiply", "arch": "t13-paper-simd1",
         "fixed": fixed, "axes": axes}
    )  # fmt: skip
    best = min(
        (point for point in points if not point.reason),
        key=lambda point: point.metrics["area_luts"] * point.metrics["time_us"],
    )
    least = best.metrics["area_luts"] * best.metrics["time_us"] / 1000
    assert done.stdout.startswith(f"{least:.1f} kLUT µs: ")


@pytest.mark.parametrize("notebook", _SHORT, ids=lambda path: path.name)
def test_each_cell_shows_a_table(notebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a server: what a cell ends with is what a notebook asks for HTML."""
    monkeypatch.chdir(_ROOT)
    names: dict[str, Any] = {}
    for cell in json.loads(notebook.read_text())["cells"]:
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop()
        assert isinstance(last, ast.Expr)
        exec(compile(tree, str(notebook), "exec"), names)
        shown = eval(compile(ast.Expression(last.value), str(notebook), "eval"), names)
        assert "<table" in shown._repr_html_()


@pytest.mark.heavy("studies")
@pytest.mark.parametrize("notebook", _NOTEBOOKS, ids=lambda path: path.name)
def test_notebook(notebook: Path, tmp_path: Path) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "jupyter",
            "execute",
            str(notebook),
            f"--output={tmp_path}/run.ipynb",
        ],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(_ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    cells = nbformat.read(tmp_path / "run.ipynb", 4).cells
    shown = [cell.outputs[-1].data for cell in cells if cell.cell_type == "code"]
    assert all("<table" in data["text/html"] for data in shown)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert spent.ru_utime + spent.ru_stime - before.ru_utime - before.ru_stime <= 60
