"""Points one after another are those of the whole sweep, and no more than a loop asks for."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gnomon
from gnomon.base.errors import GnomonError
from gnomon.explore import make_sweep, run_sweep
from gnomon.explore.metrics import METRICS

from .conftest import kept_points, kernel_sweep

if TYPE_CHECKING:
    from pathlib import Path


def test_points_are_evaluated_when_a_loop_asks_for_them(own_cache: Path) -> None:
    spec = kernel_sweep()
    points = gnomon.iterate_sweep(spec)
    assert kept_points(own_cache) == 0
    first = list(islice(points, 3))
    assert [point.number for point in first] == [0, 1, 2]
    assert 0 < kept_points(own_cache) <= 3
    every = [*first, *points]
    result = run_sweep(make_sweep(spec))
    assert result.counts.computed == 0
    for point, row in zip(every, result.rows, strict=True):
        assert point.number == row.index
        assert point.axes == result.named(row)
        assert (point.metrics, point.reason) == (row.outcome.metrics, row.outcome.reason)
        assert point.meets == result.meets(row)


@pytest.mark.parametrize("search", [{"method": "random", "points": 5, "seed": 3}])
def test_a_random_search(own_cache: Path, search: dict[str, Any]) -> None:
    spec = kernel_sweep(search=search)
    result = run_sweep(make_sweep(spec))
    numbers = [point.number for point in gnomon.iterate_sweep(spec)]
    assert numbers == [row.index for row in result.rows]
    with pytest.raises(GnomonError, match=r"use gnomon\.sweep"):
        gnomon.iterate_sweep(kernel_sweep(search=search | {"method": "nsga2"}))


def test_arrays_over_the_axes(own_cache: Path) -> None:
    """Every metric is at its place; what was not visited is NaN."""
    pytest.importorskip("xarray", reason="xarray is absent; install: pip install 'gnomon[xarray]'")
    result = run_sweep(make_sweep(kernel_sweep(search={"method": "random", "points": 15})))
    arrays = result.to_xarray()
    assert dict(arrays.sizes) == {axis.name: len(axis.values) for axis in result.sweep.axes}
    time = arrays["time_us"]
    metric = next(each for each in METRICS if each.name == "time_us")
    assert (time.attrs["units"], time.attrs["long_name"]) == (metric.unit, metric.meaning)
    assert int(np.isfinite(arrays["failed"]).sum()) == 15
    assert int(arrays["failed"].sum()) == len(result.failed)
    for row in result.rows:
        found = float(time.sel(result.named(row)))
        value = row.metric(metric)
        assert np.isnan(found) if value is None else found == value
    table = result.to_pandas()
    assert table["time_us"].notna().sum() == int(np.isfinite(time).sum())
