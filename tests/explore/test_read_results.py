"""Results that are read from Parquet are the results that were written."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gnomon.base.errors import GnomonError
from gnomon.explore import make_sweep, read_results, read_sweep, run_sweep
from gnomon.explore._read import _sweep_of
from gnomon.report.sweep import write_sweep_report

from .conftest import ROOT, kernel_sweep

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_read_was_written(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some points fail, some make no machine, some have no energy."""
    monkeypatch.setattr("gnomon.explore._result.SLICE", 7)
    monkeypatch.setattr("gnomon.explore._read.SLICE", 5)
    axes = {
        "variant": ["scalar", "vector"],
        "vcu.simd": [1, 8],
        "vcu.sharing": ["shared", "replicated"],
        "vcu.scratchpads.size": ["16 B", "1 KiB"],
    }
    sweep = make_sweep(kernel_sweep(axes=axes, fixed={"n": 4}, objectives=["time", "energy"]))
    result = run_sweep(sweep, tmp_path)
    reasons = result.failures
    assert 0 < sum(reasons.values()) < len(result.rows)
    assert not result.points.made.all()
    again = read_results(tmp_path)
    assert again.sweep == sweep
    assert again.points == result.points
    assert again.columns() == result.columns()
    for name in ("ran", "read"):
        write_sweep_report({"ran": result, "read": again}[name], tmp_path / name)
    for path in (tmp_path / "ran").iterdir():
        assert path.read_bytes() == (tmp_path / "read" / path.name).read_bytes()


@pytest.mark.parametrize("path", sorted((ROOT / "examples").rglob("*.yaml")), ids=lambda p: p.name)
def test_a_sweep_is_made_from_its_json(path: Path) -> None:
    if "axes:" in path.read_text():
        sweep = read_sweep(path)
        assert _sweep_of(sweep.to_json()) == sweep


def test_other_files_are_rejected(tmp_path: Path, own_cache: Path) -> None:
    with pytest.raises(GnomonError, match=r"results\.parquet: no such file"):
        read_results(tmp_path)
    file = tmp_path / "results.parquet"
    file.write_bytes(b"PAR1 and no more")
    with pytest.raises(GnomonError, match="is damaged, or not a result of a sweep"):
        read_results(file)
    pq.write_table(pa.table({"point": [1]}), file)
    with pytest.raises(GnomonError, match="is not a result of gnomon sweep"):
        read_results(file)
    run_sweep(make_sweep(kernel_sweep(axes={"n": [2, 4]}, fixed={"variant": "scalar"})), tmp_path)
    table = pq.read_table(file)
    far = table.set_column(0, "point", pa.array([1, 7])).replace_schema_metadata(
        table.schema.metadata
    )
    pq.write_table(far, file)
    with pytest.raises(GnomonError, match="outside of the grid"):
        read_results(file)
    shutil.rmtree(own_cache / "sweep")
