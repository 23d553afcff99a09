"""One cell made again: equal to the committed one, and blind to what it is tested against."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pytest

from gnomon.base.errors import GnomonError
from gnomon.content.reports.paper.cell import cell_again, cell_lines
from gnomon.content.reports.paper.results import Results, committed_reports

BOARD = "table2/cortex-m4/std/d=4/cycles"


@pytest.mark.parametrize("name", [BOARD, "table2/t13/opt+vcu/d=4/energy"])
def test_a_cell_made_again_is_the_committed_one(name: str) -> None:
    answer = cell_again(name, Results(committed_reports()))
    assert len(answer) == 2
    assert all(row["ours"] == row["committed"] for row in answer)
    assert "; as committed" in cell_lines(name, answer)[1]


def test_a_left_out_cell_does_not_see_the_cells_of_its_size(tmp_path: Path) -> None:
    """Twice the counts of its size change nothing; of another size they change the factor."""
    folder = tmp_path / "paper"
    folder.mkdir()
    for name in ("cells.csv", "platform-mixes.csv"):
        shutil.copy(committed_reports() / "paper" / name, folder)
    counts = pd.read_csv(folder / "platform-mixes.csv")
    made = []
    for doubled in (4, 8):
        more = counts.copy()
        more.loc[more["param"] == doubled, ["alu", "load", "store"]] *= 2
        more.to_csv(folder / "platform-mixes.csv", index=False)
        left_out, documented = cell_again(BOARD, Results(tmp_path))
        assert documented["ours"] == documented["committed"]
        made.append(left_out["ours"] == left_out["committed"])
    assert made == [True, False]


def test_a_cell_that_is_not_printed() -> None:
    with pytest.raises(GnomonError, match=r"no published cell.*did you mean 'table2/t13/std/d=8"):
        cell_again("table2/t13/std/d=88/cycles", Results(committed_reports()))
