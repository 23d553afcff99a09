"""Without an extra, what needs it says how to install it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from gnomon.base.errors import GnomonError
from gnomon.explore import make_sweep, run_sweep
from gnomon.observe.trace import TraceFiles

if TYPE_CHECKING:
    from pathlib import Path


def test_a_sweep_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    sweep = make_sweep(
        {"schema": 1, "name": "one", "kernel": "add", "arch": "t13-simd4",
         "fixed": {"n": 4, "variant": "vector"}, "axes": {"vcu.simd": [2]}}
    )  # fmt: skip
    result = run_sweep(sweep, tmp_path / "out")
    assert {path.name for path in (tmp_path / "out").glob("[!.]*")} == {
        "results.csv", "summary.json"
    }  # fmt: skip
    assert result.frame()["wall_cycles"][0] > 0
    with pytest.raises(GnomonError, match=r"--parquet needs pyarrow: .*'gnomon\[sweep\]'"):
        run_sweep(sweep, tmp_path / "other", parquet=True)
    assert not (tmp_path / "other").exists()


def test_a_log_without_pyarrow_is_refused_before_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(GnomonError, match=r"--trace log= needs pyarrow: .*'gnomon\[trace\]'"):
        TraceFiles.parse(["kanata=a.kanata", "log=a.log"])
