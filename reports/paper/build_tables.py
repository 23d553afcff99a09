"""The T13 cells by compiler and level, and the cycles of a cell by part."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from gnomon.report.table import PageColumn, PageTable, Value, format_number

from .agreement import Errors, error_columns
from .builds import COMPILERS, LEVELS, SOFTWARE, UNIT
from .cells import PARAMS
from .columns import OF_CELL, cited, computed, word
from .published import TABLES
from .results import Results, Row

_BUILDS = "paper/builds.csv.xz"
_BUILD_NAMES = tuple(product(COMPILERS, LEVELS))
_USUAL_LEVEL = "-O2"
_PLAIN_LEVEL = "-O0"
"""Level that does not optimize; no spread includes it, as it would hold almost any count."""
_OPTIMIZED = tuple(build for build in _BUILD_NAMES if build[1] != _PLAIN_LEVEL)
_SPREAD = f"spread above {_PLAIN_LEVEL}"
_PARTS = ("product", "inverse", "division", "copy", "other")


def _build(results: Results, compiler: str, level: str, division: str = UNIT) -> Any:
    def at(row: Row) -> Row | None:
        vector = row["variant"].endswith("+vcu")
        of = {"compiler": compiler, "level": level, "division": division if vector else ""}
        none = division == SOFTWARE and not vector
        return None if none else results.beside(_BUILDS, **of)(row)

    return at


def _of_units(results: Results, **keys: object) -> list[Row]:
    """Return rows of builds whose vector unit, where there is one, divides."""
    return [row for row in results.rows(_BUILDS, **keys) if row["division"] != SOFTWARE]


def _usual(results: Results) -> list[Row]:
    """Return one build of each cell."""
    return _of_units(results, compiler="clang", level=_USUAL_LEVEL)


def table_errors(results: Results) -> dict[int, list[Errors]]:
    """Return the errors of every build over all cells of each table, by who divides vectors."""
    every = results.frame(_BUILDS).fillna({"division": ""})
    found: dict[int, list[Errors]] = {}
    for table, (compiler, level), division in product(TABLES, _BUILD_NAMES, (UNIT, SOFTWARE)):
        own = every[
            every["table"].eq(table) & every["compiler"].eq(compiler) & every["level"].eq(level)
            & every["division"].isin(("", division))
        ]  # fmt: skip
        words = (f"Table {table}", f"{compiler} {level}", division)
        where = f"{_BUILDS}, {', '.join(words)}"
        found.setdefault(table, []).append(Errors(words, own["hart_ratio"], where))
    return found


def nearest_builds(of_tables: Mapping[int, Sequence[Errors]]) -> dict[int, Errors]:
    """Return each table's build of least median error; of equal tenths of a percent the first."""
    return {
        table: min(each, key=lambda errors: round(errors.median, 3))
        for table, each in of_tables.items()
    }


def tables_builds_table(results: Results) -> PageTable:
    """Return every build's errors over all cells of each table, the nearest one marked."""
    of_tables = table_errors(results)
    nearest = nearest_builds(of_tables).values()
    columns = [
        *error_columns("table", "build", "divides"),
        PageColumn("nearest", is_filter=True, shows=lambda of: Value(
            "yes" if of in nearest else "", how="least median error of its table")),
    ]  # fmt: skip
    caption = (
        "Errors of every build over the T13 cells of a table, hart cycles, Table 3 with d = 4. "
        "The nearest build is chosen after the comparison"
    )
    rows = [errors for each in of_tables.values() for errors in each]
    return PageTable.from_results("builds-tables", caption, columns, rows)


def programs(results: Results) -> tuple[int, int]:
    """Return the numbers of builds of one cell, and of the different programs among them."""
    of_cells = results.frame(_BUILDS).groupby(["table", "variant", "param", "division"],
                                              dropna=False)["program_sha256"]  # fmt: skip
    return int(of_cells.count().min()), int(of_cells.nunique().min())


def builds_table(results: Results) -> PageTable:
    """Return each T13 cell by every build: the ratios and the spread."""

    def ratios(row: Row) -> list[float]:
        return [_build(results, *build)(row).number("hart_ratio") for build in _OPTIMIZED]

    def end(label: str, of: Any) -> PageColumn:
        how = f"{label} hart ratio of the builds above {_PLAIN_LEVEL}"
        return computed(label, ".3f", lambda row: of(ratios(row)), lambda _: how, _SPREAD)

    columns = [
        *OF_CELL,
        cited("published", "published", ",.0f"),
        *(
            cited(level, "hart_ratio", ".3f", f"{compiler}, hart ratio",
                  _build(results, compiler, level))
            for compiler, level in _BUILD_NAMES
        ),
        end("lowest", min),
        end("highest", max),
        PageColumn("holds 1", _SPREAD, is_filter=True, shows=lambda row: Value(
            "yes" if min(ratios(row)) <= 1 <= max(ratios(row)) else "no",
            how=f"whether the published count is between the builds above {_PLAIN_LEVEL}")),
        *(
            cited(compiler, "hart_ratio", ".3f", f"divided in software, {_USUAL_LEVEL}",
                  _build(results, compiler, _USUAL_LEVEL, SOFTWARE))
            for compiler in COMPILERS
        ),
    ]  # fmt: skip
    caption = "T13 cells by compiler and level, hart cycles over published, Table 3 with d = 4"
    return PageTable.from_results("builds", caption, columns, _usual(results))


def bytes_table(results: Results) -> PageTable:
    """Return, per cell and build: hart and wall cycles, code, static data and stack."""
    columns = [*OF_CELL, word("compiler"), word("level"), word("division")]
    for reading in ("hart", "wall"):
        columns.append(cited("ours", f"{reading}_cycles", ",.0f", f"{reading} cycles"))
        columns.append(cited("ratio", f"{reading}_ratio", ".3f", f"{reading} cycles"))
    for label, column in (("code", "text"), ("static", "static"), ("stack", "stack")):
        columns.append(cited(label, f"{column}_bytes", ",.0f", "bytes"))
    caption = "T13 cells by build: cycles, code size, static data and deepest stack of hart 0"
    return PageTable.from_results("builds-all", caption, columns, results.rows(_BUILDS))


def nearest_table(results: Results) -> PageTable:
    """Return, per column of Tables 2 and 3, the nearest build, and the remaining error."""
    every = results.frame(_BUILDS).fillna({"division": "core"})
    every["build"] = every["compiler"] + " " + every["level"]
    rows = []
    for (table, variant), column in every.groupby(["table", "variant"], sort=False):
        head = f"{_BUILDS}, Table {table}, {variant}"
        of_builds = [
            Errors((f"Table {table}", variant, build, division), own["hart_ratio"],
                   f"{head}, {build}")
            for (build, division), own in column.groupby(["build", "division"], sort=False)
        ]  # fmt: skip
        rows.append(min(of_builds, key=lambda each: each.mean))
    columns = error_columns("table", "variant", "nearest build", "divides")
    caption = "The build with the smallest mean error of each column, chosen after the comparison"
    return PageTable.from_results("nearest", caption, columns, rows)


def error_ends(results: Results, table: int, variant: str, param: int) -> tuple[float, float]:
    """Return the lowest and the highest error of the builds of a cell that optimize."""
    rows = _of_units(results, table=table, variant=variant, param=param)
    off = [row.number("hart_ratio") - 1 for row in rows if row["level"] != _PLAIN_LEVEL]
    return min(off), max(off)


def build_errors(results: Results) -> list[Errors]:
    """Return the errors of every build over all 32 cells, the vector unit dividing."""
    every = results.frame(_BUILDS)
    of_builds = every[every["division"] != SOFTWARE].groupby(["compiler", "level"], sort=False)
    return [
        Errors((f"{compiler} {level}",), own["hart_ratio"],
               f"{_BUILDS}, {compiler} {level}, 32 cells")
        for (compiler, level), own in of_builds
    ]  # fmt: skip


def division_errors(results: Results, table: int, division: str) -> Errors:
    """Return errors of the vector cells of a table, the unit or software dividing."""
    keys = {"table": table, "compiler": "clang", "level": _USUAL_LEVEL, "division": division}
    where = f"{_BUILDS}, Table {table}, clang {_USUAL_LEVEL}, {division}"
    return Errors((division,), results.frame(_BUILDS, **keys)["hart_ratio"], where)


def budget_table(results: Results) -> PageTable:
    """Return the hart cycles of each cell by profile, and those per product and division."""

    def cycles(row: Row, *parts: str) -> float:
        return sum(row.number(f"{part}_cycles") for part in parts)

    def share(part: str) -> PageColumn:
        return computed(
            part, ".1%", lambda row: cycles(row, part) / cycles(row, *_PARTS),
            lambda row: f"{row.origin}: {part}_cycles over the cycles of all functions",
            "share of the cycles",
        )  # fmt: skip

    def cost(label: str, *parts: str) -> PageColumn:
        def each(row: Row) -> float | None:
            count = row.number(f"{label}s")
            return None if row["variant"].endswith("+vcu") or not count else (
                cycles(row, *parts) / count)  # fmt: skip

        words = f"cycles of {' and '.join(parts)} over {label}s"
        return computed(
            label, ".1f", each, lambda row: f"{row.origin}: {words}", "hart cycles each"
        )

    columns = [
        *OF_CELL,
        computed("error", "+.1%", lambda row: row.number("hart_ratio") - 1,
                 lambda row: f"{row.origin}:hart_ratio less 1"),
        cited("products", "products", ",.0f", "executed by the core"),
        cited("divisions", "divisions", ",.0f", "executed by the core"),
        *map(share, _PARTS),
        cost("product", "product", "inverse"),
        cost("division", "division"),
    ]  # fmt: skip
    caption = (
        "Where the cycles of a cell go, clang -O2. With the vector unit the cycles of a function "
        "hold waits, and its divisions are part of the inverse"
    )
    return PageTable.from_results("budget", caption, columns, _usual(results))


@dataclass(frozen=True, slots=True)
class Extra:
    """Extra cost of the four std cells of a table over the published one, per product and division.

    Least squares of the relative differences, two unknowns for four cells: a description of the
    difference, fitted to the published counts; nothing else on the page is.
    """

    table: int
    build: str
    product: float
    division: float
    worst: float

    @classmethod
    def of(cls, results: Results, table: int, compiler: str, level: str) -> "Extra":
        keys = {"table": table, "variant": "std", "compiler": compiler, "level": level}
        own = results.frame(_BUILDS, **keys)
        counts = own[["products", "divisions"]].div(own["published"], axis=0).to_numpy()
        off = (own["hart_ratio"] - 1).to_numpy()
        found = np.linalg.lstsq(counts, off, rcond=None)[0]
        worst = float(np.abs(off - counts @ found).max())
        of_product, of_division = map(float, found)
        return cls(table, f"{compiler} {level}", of_product, of_division, worst)

    @property
    def how(self) -> str:
        of = f"{_BUILDS}, Table {self.table}, std, {self.build}"
        return f"least squares of (hart - published) over published, {of}"


def extra_table(results: Results) -> PageTable:
    """Return the differences of the std columns as costs of a product and of a division."""

    def how(of: Extra) -> str:
        return of.how

    each = "hart cycles more than published, each"
    columns = [
        PageColumn("table", is_filter=True, shows=lambda of: Value(f"Table {of.table}")),
        PageColumn("build", is_filter=True, shows=lambda of: Value(of.build)),
        computed("product", "+.1f", lambda of: of.product, how, each),
        computed("division", "+.1f", lambda of: of.division, how, each),
        computed("worst error left", ".1%", lambda of: of.worst, how),
    ]
    caption = "Differences of the std cells as hart cycles per product and per division"
    rows = [Extra.of(results, table, *build) for table, build in product(TABLES, _BUILD_NAMES)]
    return PageTable.from_results("extra", caption, columns, rows)


def extra_shown(results: Results, compiler: str) -> dict[str, Value]:
    """Return the extra costs of Table 2, std, and the divisions' part of them at d = 4."""
    extra = Extra.of(results, 2, compiler, _USUAL_LEVEL)
    keys = {"table": 2, "variant": "std", "param": PARAMS[0], "compiler": compiler}
    row = results.row(_BUILDS, level=_USUAL_LEVEL, **keys)
    parts = [row.number("products") * extra.product, row.number("divisions") * extra.division]
    numbers = {"product": (extra.product, ".1f"), "division": (extra.division, ".1f"),
               "worst": (extra.worst, ".1%"), "share": (parts[1] / sum(parts), ".0%")}  # fmt: skip
    return {
        name: format_number(value, form, how=extra.how) for name, (value, form) in numbers.items()
    }


OF_PAGE = (tables_builds_table, builds_table, nearest_table, bytes_table, budget_table, extra_table)
