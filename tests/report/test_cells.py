"""Tables 2 and 3: the published figures, our cells, and the files made of them."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from gnomon.base.errors import GnomonError
from gnomon.base.progress import Steps
from gnomon.cli.app import app
from gnomon.content.reports.paper.cells import (
    Cell,
    Cells,
    plan,
    run_cells,
)
from gnomon.content.reports.paper.cells_page import COLUMNS, cells_csv, notes_of
from gnomon.content.reports.paper.published import CellKey, published_cells, published_inverse_bound
from gnomon.measure.learners import LearnerBench
from tests.rows import light_and_heavy

if TYPE_CHECKING:
    from gnomon.measure.learners import LearnerRun

COMMITTED = Path(__file__).parents[2] / "reports" / "paper"


SIZES = light_and_heavy(
    "studies", 0, [pytest.param((4, 8), id="4-8"), pytest.param((4, 8, 16, 32), id="4-32")]
)


@pytest.fixture(scope="module", params=SIZES)
def table_2(request: pytest.FixtureRequest) -> Cells:
    progress = Steps()
    sizes = request.param
    cells = run_cells(plan([2], sizes), progress)
    # The tuned code has the optimized columns.
    assert progress.done == len(cells.cells) == 4 * len(sizes) + 2 * len(sizes)
    return cells


def sizes_of(cells: Cells) -> list[int]:
    return sorted({cell.key.param for cell in cells.cells})


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
    count = len(sizes_of(table_2))
    assert [row["line"] for row in rows] == ["paper"] * 8 * count + ["tuned"] * 4 * count
    for row in rows:
        assert row["ratio"] == f"{int(row['ours']) / int(row['published']):.4f}"
        assert (row["platform"], row["unit"]) == ("t13", "cycles")
    hart, wall = rows[:2]
    assert (hart["reading"], wall["reading"]) == ("hart", "wall")
    assert int(hart["ours"]) < int(wall["ours"])


def paper_line(cells: Cells) -> list[Cell]:
    return [cell for cell in cells.cells if cell.line == "paper"]


def test_table_2_is_reproduced(table_2: Cells) -> None:
    for cell in paper_line(table_2):
        low, high = (0.7, 1.4) if cell.key.variant.endswith("+vcu") else (0.85, 1.20)
        assert low <= cell.ratio("hart") <= high
        assert cell.is_comparison
        assert cell.in_band


def test_the_tuned_line_beats_the_paper_line(table_2: Cells) -> None:
    tuned = [cell for cell in table_2.cells if cell.line == "tuned"]
    assert [(cell.key.variant, cell.key.param) for cell in tuned] == [
        (variant, d) for variant in ("opt", "opt+vcu") for d in sizes_of(table_2)
    ]
    notes = notes_of(table_2)
    assert len(notes) == len(table_2.cells)
    for cell in tuned:
        paper = table_2.paper(cell)
        gain = paper.ours("wall") / cell.ours("wall")
        assert gain > 8
        assert f"{gain:.1f} times the wall cycles" in notes[table_2.cells.index(cell)]
        assert not cell.is_comparison  # bands are for the paper code
    if tuned[-1].key.param == 32:
        assert table_2.paper(tuned[-1]).ours("wall") >= 10 * tuned[-1].ours("wall")


def test_what_the_tuned_line_cannot_run_is_said(
    table_2: Cells, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_size = {(cell.line, cell.key.variant, cell.key.param): cell.run for cell in table_2.cells}
    sizes = (4, 8)

    def measured(bench: LearnerBench, **_: object) -> LearnerRun:
        variant, sizes = bench.variant, bench.sizes
        if variant.line == "tuned" and sizes.d == 8:
            raise GnomonError("d = 8 does not fit")
        column = {"standard": "std", "optimized": "opt"}[variant.name.removesuffix("-vector")]
        return by_size[variant.line, column + "+vcu" * variant.vector, sizes.d]

    monkeypatch.setattr(LearnerBench, "measure", measured)
    cells = run_cells(plan([2], sizes))
    assert [cell.key.param for cell in cells.cells if cell.line == "tuned"] == [4, 4]
    assert [(no.key.variant, no.key.param) for no in cells.refusals] == [("opt", 8), ("opt+vcu", 8)]
    lines = cells_csv(cells).splitlines()
    assert lines[-1] == (
        "2,Disjoint,t13,opt+vcu,d,8,cycles,cycles,tuned,wall,28854,,,d = 8 does not fit"
    )


def test_parts_are_most_of_a_cell(table_2: Cells) -> None:
    for cell in paper_line(table_2):
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
    committed = (COMMITTED / "cells.csv").read_text("utf-8").splitlines()[: 1 + 48]
    sizes = {str(size) for size in sizes_of(table_2)}
    of_sizes = [line for line in committed[1:] if line.split(",")[5] in sizes]
    assert [committed[0], *of_sizes] == cells_csv(table_2).splitlines()


def test_the_page_states_the_cost_of_random_data_beside_the_ratios_of_tuned_code() -> None:
    """Excess over the fresh case and ratios of the random case, from the table of the note."""
    note = (COMMITTED.parents[1] / "docs" / "notes" / "tuned-code.md").read_text("utf-8")
    table = note.split("## Wall and hart cycles")[1]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()]
    cases = {tuple(row[:3]): row for row in rows if row[2:3] in (["fresh"], ["random"])}

    def more(d: int, variant: str) -> str:
        random, fresh = (int(cases[str(d), variant, case][5]) for case in ("random", "fresh"))
        return f"{100 * (random / fresh - 1):.0f} % (d = {d})"

    def gains(variant: str) -> str:
        found = [float(cases[str(d), variant, "random"][-1]) for d in (4, 8, 16, 32)]
        return f"{min(found)} to {max(found)}"

    text = " ".join((COMMITTED / "cells.md").read_text("utf-8").split())
    assert f"scalar {more(4, 'optimized')} to {more(32, 'optimized')} more" in text
    shown = [more(d, "optimized-vector") for d in (4, 8, 16, 32)]
    assert f"vector {', '.join(shown[:3])} and {shown[3]}." in text
    assert f"{gains('optimized')} for scalar" in text
    assert f"{gains('optimized-vector')} for vector" in text


def test_committed_cells_outside_a_band_have_their_cause() -> None:
    rows = list(csv.DictReader(io.StringIO((COMMITTED / "cells.csv").read_text("utf-8"))))
    ours = [row for row in rows if (row["platform"], row["metric"]) == ("t13", "cycles")]
    paper = [row for row in ours if row["line"] == "paper"]
    assert len(paper) == 2 * (16 + 16 + 16)
    hart = [row for row in paper if row["reading"] == "hart" and row["param_name"] in ("d", "f")]
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
        "there is no part of the paper report 'cell' (allowed: cells, builds, figures,"
        " page, did you mean 'cells'?)"
    )
