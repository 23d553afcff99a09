"""``gnomon report choose``: the tables of ``gnomon choose``, and how held-out inputs fare."""

from dataclasses import dataclass, replace
from typing import Annotated

import pandas as pd

from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.cli.study import Pages, option, study_command
from gnomon.report.study import Keeps, Steps, StudyReport

from . import checking, costs, fit, law, orders
from .cells import design
from .growing import grow
from .page import report
from .results import PLACES, Results, checked_table, held_out_table
from .switching import switching_table
from .tables import COLUMNS, read_states, table_rows
from .working import Work


@dataclass(frozen=True, slots=True)
class ChooseSize:
    """Extent of the study.

    Attributes:
        costs: whether cost models are measured; else the committed ones are taken.
        cells: number of cells of regret and counts.
        seeds: most seeds of a policy in a cell.
        budget: most multiplications of a policy in a cell; it gets fewer seeds above.
        share: each cell prices one of so many implementations.
        checked: number of held-out configurations.
        orders: number of fresh seeds for each claimed order.
    """

    name: str
    costs: bool
    cells: int
    seeds: int
    budget: float
    share: int
    checked: int
    orders: int


SIZES = {
    "small": ChooseSize("small", False, 2, 8, 2e6, 9, 0, 0),
    "medium": ChooseSize("medium", False, 128, 16, 8e8, 3, 60, 8),
    "full": ChooseSize("full", True, 320, 200, 1e10, 3, checking.WANTED, 8),
}

Cells = Annotated[int | None, option("--cells N", "Number of cells; by default, of the size.")]
Checked = Annotated[
    int | None,
    option("--checked N", "Number of held-out configurations; by default, of the size."),
]
OrderSeeds = Annotated[
    int | None,
    option("--order-seeds N", "Number of fresh seeds for claimed orders; by default, of the size."),
]
SeedBase = Annotated[
    int, option("--seed-base N", "Base of the fresh seeds on which claimed orders are tested.")
]
Extend = Annotated[
    bool,
    option("--extend", "Keep the committed runs and cost models; measure what they lack."),
]
Jobs = Annotated[int, option("--jobs N", "Number of processes that measure.")]
Minutes = Annotated[
    float | None,
    option(
        "--minutes M",
        "Time after which no cell or cost is measured; page and tables then have what there is,"
        " and the same command resumes. 0: only cached results.",
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
    checked: Checked = None,
    order_seeds: OrderSeeds = None,
    seed_base: SeedBase = orders.SEED_BASE,
    extend: Extend = False,
    jobs: Jobs = 1,
    minutes: Minutes = None,
    power: PowerOption = None,
    pages: Pages = False,
) -> StudyReport:
    del progress  # `Work` prints what it measures, and how long the rest takes
    if pages:
        return report("full", Results.committed(), power, pages=True)  # of which they are
    if seed_base < orders.SEED_BASE:
        raise GnomonError(
            f"--seed-base must be {orders.SEED_BASE} or more, not {seed_base}: smaller seeds have"
            " other uses"
        )
    work, unlimited = Work(keeps, jobs, minutes), Work(keeps, jobs)
    modeled, held_out = _costs(size, work, extend=extend)
    switching = _switching(size, work, extend=extend)
    tables = _committed() if extend else {}
    states = read_states(design(size.cells if cells is None else cells), tables)
    grow(states, size.seeds, size.budget, size.share, work)
    measured = table_rows(states.values(), size.budget)
    results = Results(
        costs=modeled, switching=switching,
        counts=law.count_laws(measured["cells"], measured["priced"]),
        laws=law.regret_laws(measured["cells"], measured["regret"]), held_out=held_out,
        checked=checked_table([]),
        orders=pd.DataFrame(columns=list(orders.COLUMNS)), **measured,
    )  # fmt: skip
    count = size.checked if checked is None else checked
    fresh = size.orders if order_seeds is None else order_seeds
    found = check(results, count, unlimited)
    if fresh:
        table = orders.orders_table(results.tables(), seed_base, fresh, unlimited)
        found = replace(found, orders=table)
    return report(size.name, found, power)


def check(results: Results, count: int, work: Work) -> Results:
    """Return the results with the checks of held-out configurations."""
    if results.laws.empty:
        return results
    tables = results.tables()
    calls = [(each, tables) for each in checking.configurations(count)]
    found = {
        call[0].number: rows
        for call, rows in work.over(checking.check, calls, "held-out configurations",
                                    lambda call: f"configuration {call[0].number}")
        if rows is not None
    }  # fmt: skip
    return replace(results, checked=checked_table(found[number] for number in sorted(found)))


def _committed() -> dict[str, pd.DataFrame]:
    """Return the committed tables of the cells."""
    return {
        name: pd.read_csv(content(*PLACES[name]), dtype=str, keep_default_na=False)
        for name in COLUMNS
    }


def _costs(size: ChooseSize, work: Work, *, extend: bool) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return cost models and their held-out check, measured or committed.

    A block of implementations for which the time does not suffice has no models.
    """
    committed = Results.committed()
    if not size.costs:
        return committed.costs, committed.held_out
    models, checked = list[pd.DataFrame](), list[pd.DataFrame]()
    for block in costs.BLOCKS:
        learners = {each.learner for each in block.implementations}
        kept = committed.costs[committed.costs["learner"].isin(learners)]
        if extend and not kept.empty:
            models.append(kept)
            checked.append(committed.held_out[committed.held_out["learner"].isin(learners)])
            continue
        fitted = costs.table(block.grid(), work)
        others = costs.table(block.calibrating(), work)
        measured = costs.table(block.judging(), work)
        if fitted is None or others is None or measured is None:
            continue
        models.append(fit.laws(fitted, others))
        checked.append(held_out_table(measured, models[-1]))
    return pd.concat(models, ignore_index=True), pd.concat(checked, ignore_index=True)


def _switching(size: ChooseSize, work: Work, *, extend: bool) -> pd.DataFrame:
    """Return switching on buses, measured or committed; committed, if the time does not suffice."""
    if size.costs and not extend:
        measured = switching_table(work)
        if measured is not None:
            return measured
    return Results.committed().switching


main = study_command(_run, SIZES, title="measuring")
