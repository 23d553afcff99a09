"""Agreement with the published figures: errors, and other readings of the counts."""

from dataclasses import dataclass
from itertools import product
from typing import Any

from gnomon.report.table import PageColumn, PageTable, Value, format_number

from .builds import RIVALS
from .columns import PLATFORMS, computed, readings_of
from .published import TABLES
from .results import Results

_CELLS, _RIVALS = "paper/cells.csv", "paper/rivals.csv"
_NEAR = (0.05, 0.10, 0.20)


@dataclass(frozen=True, slots=True)
class Errors:
    """Ratios of gnomon's figures to published ones, and their subject."""

    words: tuple[str, ...]
    ratios: Any
    where: str

    @property
    def off(self) -> Any:
        return (self.ratios - 1).abs()

    @property
    def mean(self) -> float:
        return float(self.off.mean())

    @property
    def median(self) -> float:
        return float(self.off.median())

    def value(self, how: str, form: str = ".1%") -> Value:
        """Return a statistic of the errors, such as the median of |ratio - 1|."""
        found = getattr(self.off, how)()
        return format_number(float(found), form, how=f"{how} |ratio - 1| of {self.where}")


def error_columns(*heads: str) -> list[PageColumn]:
    """Return columns of :class:`Errors`: their words under ``heads``, and statistics."""

    def words(at: int) -> PageColumn:
        return PageColumn(heads[at], is_filter=True, shows=lambda of: Value(of.words[at]))

    def error(head: str, how: str) -> PageColumn:
        return PageColumn(head, "error", is_number=True, shows=lambda of: of.value(how))

    def within(limit: float) -> PageColumn:
        return computed(
            f"{limit:.0%}", ".0f", lambda of: (of.off <= limit).sum(),
            lambda of: f"|ratio - 1| at most {limit:.0%}, of {of.where}", "cells within",
        )  # fmt: skip

    return [
        *map(words, range(len(heads))),
        computed("cells", "", lambda of: len(of.ratios), lambda of: of.where),
        error("median", "median"),
        error("mean", "mean"),
        error("worst", "max"),
        *map(within, _NEAR),
    ]


def errors_table(results: Results) -> PageTable:
    """Return each table's median, mean and worst error per platform and reading.

    The rows are of the published implementation, Table 3 with d = 4.
    """
    rows = []
    for table, platform, metric in product(TABLES, PLATFORMS, ("cycles", "energy")):
        for reading in readings_of(platform):
            keys = {"table": table, "platform": platform, "metric": metric, "reading": reading}
            own = results.frame(_CELLS, line="paper", d="" if table == 2 else 4, **keys)
            where = [f"{_CELLS}, paper code", *(f"{name} {key}" for name, key in keys.items())]
            words = (f"Table {table}", PLATFORMS[platform], metric, reading)
            rows.append(Errors(words, own["ratio"].dropna(), ", ".join(where)))
    caption = (
        "Errors |ours / published - 1| of Tables 2 and 3. T13: cycles without a fit, power "
        "from the other table. Boards: one factor fitted without the size (left-out), or none"
    )
    return PageTable.from_results(
        "errors", caption, error_columns("table", "platform", "metric", "reading"), rows
    )


def rivals_table(results: Results) -> PageTable:
    """Return other interpretations of the published T13 counts, each with its errors."""
    of_codes = product(RIVALS, TABLES, ("scalar", "vector"))
    rows = [each for code in of_codes if len((each := rival_errors(results, *code)).ratios)]
    caption = (
        "Possible interpretations of the published T13 counts. Three harts: they share the arms, "
        "and the first hart is timed, with a barrier before the choice or, as in the public "
        "library, without (2 of 8 arms in Table 2, 4 in Table 3). Without rotation: the same "
        "latencies, one hart, in order"
    )
    return PageTable.from_results(
        "rivals", caption, error_columns("reading", "table", "code"), rows
    )


def nearest_readings(results: Results) -> dict[int, Errors]:
    """Return, for each table, the interpretation of all its cells with the least median error."""
    found = {}
    for table in TABLES:
        of_table = results.frame(_RIVALS, table=table)
        cells = len(of_table.groupby(["variant", "param"]))
        each = [
            Errors((reading,), own["ratio"], f"{_RIVALS}, Table {table}, {reading}")
            for reading, own in of_table.groupby("reading", sort=False)
            if len(own) == cells
        ]
        found[table] = min(each, key=lambda errors: errors.median)
    return found


def rival_errors(
    results: Results, reading: str, table: int | None = None, code: str = ""
) -> Errors:
    """Return the errors of a reading over both tables or one, or over one kind of code."""
    words: tuple[str, ...] = (reading,)
    own = results.frame(_RIVALS, reading=reading)
    if table is not None:
        words = (reading, f"Table {table}", code)
        own = own[own["table"].eq(table)]
    if code:
        is_vector = own["variant"].str.endswith("+vcu")
        own = own[is_vector.eq(code == "vector")]
    return Errors(words, own["ratio"], ", ".join(filter(None, (_RIVALS, *words))))


OF_PAGE = (errors_table, rivals_table)
