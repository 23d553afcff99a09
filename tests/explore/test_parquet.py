"""Columns in Parquet: every value comes back, and what is not known stays so."""

from __future__ import annotations

import io

import pyarrow.parquet as pq
from hypothesis import given
from hypothesis import strategies as st

from gnomon.explore import make_sweep
from gnomon.explore._result import ResultColumn
from gnomon.explore.files import write_parquet

from .conftest import kernel_sweep

OF_KIND = {
    "int64": st.integers(-(2**63), 2**63 - 1),
    "float64": st.floats(allow_nan=False),
    "bool": st.booleans(),
    "string": st.text(st.characters(codec="utf-8")),
}


@given(st.data())
def test_every_value_comes_back(data: st.DataObject) -> None:
    rows = data.draw(st.integers(0, 20))
    table = {
        kind: ResultColumn(kind, data.draw(st.lists(st.none() | of, min_size=rows, max_size=rows)))
        for kind, of in OF_KIND.items()
    }
    out = io.BytesIO()
    write_parquet([table], make_sweep(kernel_sweep()), out)
    read = pq.read_table(out)
    read.validate(full=True)
    names = {
        name: str(kind) for name, kind in zip(read.column_names, read.schema.types, strict=True)
    }
    assert names == {"int64": "int64", "float64": "double", "bool": "bool", "string": "string"}
    assert read.to_pydict() == {name: column.values for name, column in table.items()}
