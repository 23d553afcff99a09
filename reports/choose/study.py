"""``gnomon report choose``: the tables of ``gnomon choose``, and how held-out inputs fare."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any

import pandas as pd

from gnomon.base.content import content
from gnomon.cli.study import Pages, option, study_command
from gnomon.report.study import Keeps, Steps, StudyReport

from . import checking, costs, fit, law
from .cells import Cell, design
from .page import report
from .results import PLACES, Results, checked_table, held_out_table
from .tables import CellTables


@dataclass(frozen=True, slots=True)
class ChooseSize:
    """Extent of the study.

    Attributes:
        costs: number of sizes to fit cost models to, and as many fit; None: the committed models.
        cells: number of cells of regret and counts.
        seeds: most seeds of a policy in a cell.
        budget: most multiplications of a policy in a cell; it gets fewer seeds above.
        share: each cell prices one of so many implementations.
        checked: number of held-out configurations.
    """

    name: str
    costs: int | None
    cells: int
    seeds: int
    budget: float
    share: int
    checked: int


SIZES = {
    "small": ChooseSize("small", None, 2, 8, 2e6, 9, 0),
    "medium": ChooseSize("medium", None, 128, 16, 8e8, 2, 60),
    "full": ChooseSize("full", 10**6, 320, 200, 1e10, 3, 60),
}

Cells = Annotated[int | None, option("--cells N", "Number of cells; by default, of the size.")]
Extend = Annotated[
    bool,
    option(
        "--extend",
        "Keep the committed rows of cells that have as many seeds, and of cost models; measure the"
        " others.",
    ),
]
PowerOption = Annotated[
    str | None,
    option("--power TABLE", "Power table of all energies; by default, that of each machine."),
]


def _run(
    size: ChooseSize,
    progress: Steps,
    keeps: Keeps,
    *,
    cells: Cells = None,
    extend: Extend = False,
    power: PowerOption = None,
    pages: Pages = False,
) -> StudyReport:
    if pages:
        return report(size.name, Results.committed(), power, pages=True)
    chosen = design(size.cells if cells is None else cells)
    kept = _kept(chosen, size) if extend else {}
    missing = [cell for cell in chosen if str(cell.number) not in kept]
    progress.plan(len(missing) + size.checked)
    modeled, held_out = _costs(None if extend else size.costs, keeps, progress)
    measured = CellTables()
    for cell in missing:
        measured.measure(cell, size.seeds, size.budget, size.share,
                         (keeps.learning, keeps.measuring))  # fmt: skip
        progress(f"cell {cell.number}")
    joined = {name: _joined(name, kept, measured) for name in measured.rows}
    results = Results(
        costs=modeled, counts=law.count_laws(joined["cells"], joined["priced"]),
        cells=joined["cells"], regret=joined["points"],
        laws=law.regret_laws(joined["cells"], joined["points"]), held_out=held_out,
        priced=joined["priced"], skipped=joined["skipped"], checked=checked_table([]),
    )  # fmt: skip
    return report(size.name, check(results, size, keeps, progress), power)


def check(results: Results, size: ChooseSize, keeps: Keeps, progress: Steps) -> Results:
    """Return the results with the checks of held-out configurations."""
    rows, tables = [], results.tables()
    if not results.laws.empty:
        for each in checking.configurations(size.checked):
            rows.append(keeps.measuring(checking.check, each, tables, size.seeds, size.budget))
            progress(f"configuration {each.number}")
    return Results(
        **{each.name: getattr(results, each.name) for each in fields(results)
           if each.name != "checked"},
        checked=checked_table(rows),
    )  # fmt: skip


def _kept(chosen: Sequence[Cell], size: ChooseSize) -> dict[str, dict[Any, Any]]:
    """Return the committed conditions of cells that need not be measured again, by number."""
    place = content(*PLACES["cells"])
    if not place.is_file():
        return {}
    numbers = {str(cell.number) for cell in chosen}
    return {
        str(row["cell"]): dict(row)
        for row in pd.read_csv(place, dtype=str, keep_default_na=False).to_dict("records")
        if row["cell"] in numbers
        and int(row["most_seeds"]) >= size.seeds
        and float(row["budget"]) >= size.budget
    }


def _joined(name: str, kept: dict[str, dict[Any, Any]], measured: CellTables) -> pd.DataFrame:
    """Return committed rows of the kept cells and the measured ones, in order of the cells."""
    new = measured.table(name)
    if not kept:
        return new
    old = pd.read_csv(content(*PLACES["regret" if name == "points" else name]), dtype=str,
                      keep_default_na=False)  # fmt: skip
    old = old[old["cell"].isin(list(kept))]
    both = pd.concat([old[list(new.columns)], new.astype(str)], ignore_index=True)
    order = both["cell"].astype(int)
    return both.loc[order.sort_values(kind="stable").index].reset_index(drop=True)


def _costs(count: int | None, keeps: Keeps, progress: Steps) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return cost models and their held-out check, measured or committed."""
    if count is None:
        committed = Results.committed()
        return committed.costs, committed.held_out
    grid, widths, points = costs.grid(), costs.calibration(), costs.held_out()
    progress.plan(sum(map(len, (grid, widths, points))))
    fitted, others, measured = (
        costs.table(each, keeps.measuring, progress) for each in (grid, widths, points)
    )
    laws = fit.laws(fitted, others)
    return laws, held_out_table(measured, laws)


main = study_command(_run, SIZES, title="measuring")
