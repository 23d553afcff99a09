"""Tables 2 and 3: the published figures, our cells, and the files made of them."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gnomon.cli._app import app
from gnomon.errors import GnomonError
from gnomon.report._cells import Cells, cells_steps, published_inverse_bound, run_cells
from gnomon.report._cells_text import COLUMNS, cells_csv
from gnomon.report._published import CellKey, published_cells

COMMITTED = Path(__file__).parents[2] / "reports" / "paper"


@pytest.fixture(scope="module")
def table_2() -> Cells:
    done: list[str] = []
    cells = run_cells(done.append, tables=[2])
    assert len(done) == cells_steps([2]) == 16
    return cells


def test_published_cells() -> None:
    cells = published_cells()
    assert len(cells) == 192 - 6  # N.A.: Table 3 with f = 32 on the Cortex-M4
    assert cells[CellKey(2, "Disjoint", "t13", "std", "d", 4, "cycles")] == 96117
    assert cells[CellKey(3, "Hybrid", "t13", "opt+vcu", "f", 32, "cycles")] == 12768900
    assert cells[CellKey(3, "Hybrid", "cortex-a72", "std", "f", 32, "energy")] == 1004239


def test_published_times_are_cycles_over_the_clock() -> None:
    clock_mhz = {"cortex-m4": 80, "cortex-a72": 1500, "t13": 100}
    cells = published_cells()
    wrong = [
        key
        for key, cycles in cells.items()
        if key.metric == "cycles"
        and abs(cycles / clock_mhz[key.platform] - cells[key._replace(metric="time")]) > 1
    ]
    assert wrong == [CellKey(3, "Hybrid", "t13", "opt", "f", 32, "cycles")]  # a misprint


def test_the_published_tables_differ_on_one_inverse() -> None:
    bound = published_inverse_bound()
    assert bound.three_at_least == 1307512 - 974813 - 27905
    assert bound.two_at_most == 2017706 / 8
    assert bound.factor > 1.2


def test_columns_and_readings(table_2: Cells) -> None:
    rows = list(csv.DictReader(io.StringIO(cells_csv(table_2))))
    assert tuple(rows[0]) == COLUMNS
    assert len(rows) == 32
    for row in rows:
        assert row["ratio"] == f"{int(row['ours']) / int(row['published']):.4f}"
        assert (row["platform"], row["line"], row["unit"]) == ("t13", "paper", "cycles")
    hart, wall = rows[:2]
    assert (hart["reading"], wall["reading"]) == ("hart", "wall")
    assert int(hart["ours"]) < int(wall["ours"])


def test_table_2_is_reproduced(table_2: Cells) -> None:
    for cell in table_2.cells:
        low, high = (0.7, 1.4) if cell.key.variant.endswith("+vcu") else (0.85, 1.20)
        assert low <= cell.ratio("hart") <= high
    assert all(cell.in_band for cell in table_2.cells)


def test_parts_are_most_of_a_cell(table_2: Cells) -> None:
    for cell in table_2.cells:
        shares = [
            cell.share("inverse_"),
            cell.share("paper_divide", "divide_"),
            cell.share("multiply_", "scale_"),
        ]
        assert (0.4 if cell.is_vector else 0.65) < sum(shares) < 1


def test_committed_cells_are_those_of_this_code(table_2: Cells) -> None:
    """Byte for byte, with the compiler that made them."""
    build = table_2.cells[0].run.build
    if f"- Compiler: {build.compiler} {build.version};" not in (COMMITTED / "cells.md").read_text():
        pytest.skip(f"the committed cells are not of {build.compiler} {build.version}")
    committed = (COMMITTED / "cells.csv").read_text("utf-8").splitlines()
    assert committed[: 1 + 32] == cells_csv(table_2).splitlines()


def test_committed_cells_outside_a_band_have_their_cause() -> None:
    rows = list(csv.DictReader(io.StringIO((COMMITTED / "cells.csv").read_text("utf-8"))))
    assert len(rows) == 2 * (16 + 16 + 16)
    hart = [row for row in rows if row["reading"] == "hart" and row["param_name"] in ("d", "f")]
    assert len(hart) == 32
    for row in hart:
        low, high = (0.85, 1.20) if row["table"] == "2" else (0.7, 1.3)
        if row["variant"].endswith("+vcu"):
            low, high = 0.7, 1.4
        assert ("outside" in row["note"]) == (not low <= float(row["ratio"]) <= high)


def test_an_unknown_part() -> None:
    with pytest.raises(GnomonError) as caught:
        CliRunner().invoke(app, ["report", "paper", "--part", "cell"], catch_exceptions=False)
    assert str(caught.value) == (
        "the paper report has no part 'cell' (allowed: cells, did you mean 'cells'?)"
    )
