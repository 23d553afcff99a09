"""Results that are read from Parquet are the results that were written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from gnomon.base.errors import GnomonError
from gnomon.explore import make_sweep, read_results, read_sweep, run_sweep
from gnomon.explore._read import _sweep_of
from gnomon.explore.files import SWEEP_KEY
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
    with pytest.raises(GnomonError, match=r"not a result of a sweep: its metadata have no gnomon"):
        read_results(file)


def test_other_points_than_those_of_the_sweep_are_rejected(tmp_path: Path, own_cache: Path) -> None:
    """As after rows of two sweeps were joined: the file has the grid of one."""
    axes = {"n": [2, 4], "vcu.simd": [1, 8]}
    run_sweep(make_sweep(kernel_sweep(axes=axes, fixed={"variant": "scalar"})), tmp_path)
    file = tmp_path / "results.parquet"
    table, whole = pq.read_table(file), read_results(file)

    def changed(name: str, *values: object) -> pa.Table:
        place = table.schema.names.index(name)
        return table.set_column(place, name, pa.array(values))

    def told(other: pa.Table, **sweep: object) -> str:
        given = json.loads(table.schema.metadata[SWEEP_KEY]) | sweep
        pq.write_table(other.replace_schema_metadata({SWEEP_KEY: json.dumps(given)}), file)
        with pytest.raises(GnomonError) as caught:
            read_results(file)
        assert str(caught.value).startswith(f"{file}: is damaged")
        return str(caught.value)

    assert "outside of the grid" in told(changed("point", 0, 1, 7, 3))
    assert "outside of the grid" in told(changed("point", 0, -1, 2, 3))
    assert "a point has no number" in told(changed("point", 0, None, 2, 3))
    assert "a point has no number" in told(changed("point", 0.0, 1.5, 2.0, 3.0))
    assert "point 0 is there more than once" in told(pa.concat_tables([table, table.slice(0, 1)]))
    assert "values of axis n are not those" in told(changed("axis.n", 2, 2, 4, 6))
    for n in ([2, 8], ["2", "4"], [{"a": 1}, 4], "24"):
        assert "values of axis n are not those" in told(table, axes=axes | {"n": n})
    assert "5 is not a constraint" in told(table, constraints=[5])
    shuffled = table.take([3, 1, 0, 2])
    pq.write_table(shuffled, file)
    assert read_results(file).points == whole.points
