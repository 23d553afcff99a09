"""How far ours are from the published figures: errors, builds, where cycles go, other readings."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from gnomon.report.table import NOTHING, Column, Table, Value, number

from .builds import COMPILERS, LEVELS, RIVALS, SOFTWARE, UNIT
from .cells import PARAMS, VARIANTS
from .columns import ALGORITHMS, PLATFORMS, cited, readings_of, size, word
from .facts import frame_of
from .published import TABLES
from .results import Results, Row

_CELLS, _BUILDS, _RIVALS = "paper/cells.csv", "paper/builds.csv", "paper/rivals.csv"
_NEAR = (0.05, 0.10, 0.20)
_BUILD_NAMES = tuple(product(COMPILERS, LEVELS))
_SOFTWARE_LEVEL = _USUAL_LEVEL = "-O2"
_PARTS = ("product", "inverse", "division", "copy", "other")


@dataclass(frozen=True, slots=True)
class Errors:
    """Ratios of ours to published, and what they are of."""

    words: tuple[str, ...]
    ratios: Any
    where: str

    @property
    def off(self) -> Any:
        return (self.ratios - 1).abs()

    def value(self, how: str, form: str = ".1%") -> Value:
        """Such as the median of |ratio - 1|."""
        found = getattr(self.off, how)()
        return number(float(found), form, how=f"{how} |ratio - 1| of {self.where}")

    def within(self, limit: float) -> Value:
        count = int((self.off <= limit).sum())
        return number(count, ".0f", how=f"|ratio - 1| at most {limit:.0%}, of {self.where}")


def _error_columns(heads: Sequence[str]) -> list[Column]:
    def words(at: int) -> Column:
        return Column(heads[at], is_filter=True, shows=lambda of: Value(of.words[at]))

    return [
        *(words(at) for at in range(len(heads))),
        Column("cells", is_number=True, shows=lambda of: number(len(of.ratios), how=of.where)),
        *(
            Column(head, "error", is_number=True, shows=lambda of, how=how: of.value(how))  # type: ignore[misc]
            for head, how in (("median", "median"), ("mean", "mean"), ("worst", "max"))
        ),
        *(
            Column(f"{limit:.0%}", "cells within", is_number=True,
                   shows=lambda of, limit=limit: of.within(limit))  # type: ignore[misc]
            for limit in _NEAR
        ),
    ]  # fmt: skip


def cell_errors(results: Results, table: int, platform: str, metric: str, reading: str) -> Errors:
    """Of the published implementation, Table 3 with d = 4."""
    keys = {"table": table, "platform": platform, "metric": metric, "reading": reading}
    rows = frame_of(results, _CELLS, line="paper", d="" if table == 2 else 4, **keys)
    where = f"{_CELLS}, paper code, " + ", ".join(f"{name} {key}" for name, key in keys.items())
    words = (f"Table {table}", PLATFORMS[platform], metric, reading)
    return Errors(words, rows["ratio"].dropna(), where)


def errors_table(results: Results) -> Table:
    """Median, mean and worst error of each table, platform and reading; hart and wall apart."""
    rows = [
        cell_errors(results, table, platform, metric, reading)
        for table, platform, metric in product(TABLES, PLATFORMS, ("cycles", "energy"))
        for reading in readings_of(platform)
    ]
    caption = (
        "Errors |ours / published - 1| of Tables 2 and 3. T13: nothing fitted to cycles, power "
        "from the other table; boards: one factor fitted without the size (left-out), or none"
    )
    columns = _error_columns(("table", "platform", "metric", "reading"))
    return Table.of("errors", caption, columns, rows)


def rivals_table(results: Results) -> Table:
    """What else the published T13 counts could be of, each with its errors."""
    every = frame_of(results, _RIVALS)
    rows = []
    for reading, table, kind in product(RIVALS, TABLES, ("scalar", "vector")):
        is_vector = every["variant"].str.endswith("+vcu").eq(kind == "vector")
        ours = every[is_vector & every["reading"].eq(reading) & every["table"].eq(table)]
        if len(ours):
            where = f"{_RIVALS}, {reading}, Table {table}, {kind}"
            rows.append(Errors((reading, f"Table {table}", kind), ours["ratio"], where))
    caption = (
        "What the published T13 counts could be of. Three harts: the arms shared, the first hart "
        "timed, with a barrier before the choice or, as the public library has it, without (2 of 8 "
        "arms in Table 2, 4 in Table 3). Without rotation: the same latencies, one hart, in order"
    )
    return Table.of("rivals", caption, _error_columns(("reading", "table", "code")), rows)


def rival_errors(
    results: Results, reading: str, *, table: int | None = None, vector: bool | None = None
) -> Errors:
    """Of one reading over both tables, or of one of them, or of one kind of code."""
    keys = {} if table is None else {"table": table}
    every = frame_of(results, _RIVALS, reading=reading, **keys)
    if vector is not None:
        every = every[every["variant"].str.endswith("+vcu").eq(vector)]
    return Errors((reading,), every["ratio"], f"{_RIVALS}, {reading}")


def _build(results: Results, compiler: str, level: str, division: str = UNIT) -> Any:
    def at(row: Row) -> Row | None:
        vector = row["variant"].endswith("+vcu")
        if division == SOFTWARE and not vector:
            return None
        of = {"compiler": compiler, "level": level, "division": division if vector else ""}
        return results.beside(_BUILDS, **of)(row)

    return at


def _first_rows(results: Results) -> list[Row]:
    compiler, level = _BUILD_NAMES[1]
    return [
        results.row(_BUILDS, table=table, variant=variant, param=param, compiler=compiler,
                    level=level, division=UNIT if variant.endswith("+vcu") else "")
        for table, variant, param in product(TABLES, VARIANTS, PARAMS)
    ]  # fmt: skip


def builds_table(results: Results) -> Table:
    """Each T13 cell by six builds: their ratios and the spread."""

    def ratios(row: Row) -> list[float]:
        known = (_build(results, *build)(row) for build in _BUILD_NAMES)
        return [each.number("hart_ratio") for each in known]

    def end(label: str, of: Any) -> Column:
        return Column(label, "spread", is_number=True, shows=lambda row: number(
            of(ratios(row)), ".3f", how=f"{label} hart ratio of the six builds"))  # fmt: skip

    columns = [
        word("table", names=ALGORITHMS),
        word("variant"),
        size("size", "param"),
        cited("published", "published", ",.0f"),
        *(
            cited(level, "hart_ratio", ".3f", f"{compiler}, hart ratio",
                  _build(results, compiler, level))
            for compiler, level in _BUILD_NAMES
        ),
        end("lowest", min),
        end("highest", max),
        Column("holds 1", "spread", is_filter=True, shows=lambda row: Value(
            "yes" if min(ratios(row)) <= 1 <= max(ratios(row)) else "no",
            how="whether the published count is between the builds")),
        *(
            cited(compiler, "hart_ratio", ".3f", f"divided in software, {_SOFTWARE_LEVEL}",
                  _build(results, compiler, _SOFTWARE_LEVEL, SOFTWARE))
            for compiler in COMPILERS
        ),
    ]  # fmt: skip
    caption = "T13 cells by compiler and level, hart cycles over published, Table 3 with d = 4"
    return Table.of("builds", caption, columns, _first_rows(results))


def bytes_table(results: Results) -> Table:
    """Each cell and build: hart and wall cycles, code, static data and stack."""
    columns = [
        word("table", names=ALGORITHMS),
        word("variant"),
        size("size", "param"),
        word("compiler"),
        word("level"),
        word("division"),
        *(
            cited(label, column, form, f"{reading} cycles")
            for reading in ("hart", "wall")
            for label, column, form in (
                ("ours", f"{reading}_cycles", ",.0f"), ("ratio", f"{reading}_ratio", ".3f"))
        ),
        *(
            cited(label, f"{column}_bytes", ",.0f", "bytes")
            for label, column in (("code", "text"), ("static", "static"), ("stack", "stack"))
        ),
    ]  # fmt: skip
    caption = "T13 cells by build: cycles, code size, static data and deepest stack of hart 0"
    return Table.of("builds-all", caption, columns, results.rows(_BUILDS))


def nearest_table(results: Results) -> Table:
    """Of each column of Tables 2 and 3 the build that is nearest, and what stays."""
    rows = []
    for table, variant in product(TABLES, VARIANTS):
        every = frame_of(results, _BUILDS, table=table, variant=variant)
        every["division"] = every["division"].astype(object).where(every["division"].notna(), "")
        of_builds = [
            Errors((f"Table {table}", variant, f"{compiler} {level}", division or "core"),
                   own["hart_ratio"], f"{_BUILDS}, Table {table}, {variant}, {compiler} {level}")
            for (compiler, level, division), own in every.groupby(
                ["compiler", "level", "division"], sort=False)
        ]  # fmt: skip
        rows.append(min(of_builds, key=lambda each: float(each.off.mean())))
    columns = _error_columns(("table", "variant", "nearest build", "divides"))
    caption = "The build with the smallest mean error of each column: what a build can explain"
    return Table.of("nearest", caption, columns, rows)


def error_ends(results: Results, table: int, variant: str, param: int) -> tuple[float, float]:
    """How far the six builds of a cell are off, the lowest and the highest."""
    rows = results.rows(_BUILDS, table=table, variant=variant, param=param)
    off = [row.number("hart_ratio") - 1 for row in rows if row["division"] != SOFTWARE]
    return min(off), max(off)


def build_errors(results: Results) -> list[Errors]:
    """Each of the six builds over all 32 cells, the vector unit dividing."""
    every = frame_of(results, _BUILDS)
    every = every[every["division"] != SOFTWARE]
    return [
        Errors((f"{compiler} {level}",),
               every[every["compiler"].eq(compiler) & every["level"].eq(level)]["hart_ratio"],
               f"{_BUILDS}, {compiler} {level}, 32 cells")
        for compiler, level in _BUILD_NAMES
    ]  # fmt: skip


def division_errors(results: Results, table: int, division: str) -> Errors:
    """Of the vector cells of a table, the unit or software dividing."""
    keys = {"table": table, "compiler": "clang", "level": _USUAL_LEVEL, "division": division}
    own = frame_of(results, _BUILDS, **keys)["hart_ratio"]
    return Errors((division,), own, f"{_BUILDS}, Table {table}, clang {_USUAL_LEVEL}, {division}")


def budget_table(results: Results) -> Table:
    """Where the hart cycles of each cell go, by its profile; what a product and a division cost."""

    def share(part: str) -> Column:
        def shows(row: Row) -> Value:
            every = sum(row.number(f"{each}_cycles") for each in _PARTS)
            how = f"{row.origin}: {part}_cycles over the cycles of all functions"
            return number(row.number(f"{part}_cycles") / every, ".1%", how=how)

        return Column(part, "share of the cycles", is_number=True, shows=shows)

    def cost(label: str, parts: Sequence[str], count: str) -> Column:
        def shows(row: Row) -> Value:
            if row["variant"].endswith("+vcu") or not row.number(count):
                return NOTHING
            cycles = sum(row.number(f"{part}_cycles") for part in parts)
            how = f"{row.origin}: cycles of {' and '.join(parts)} over {count}"
            return number(cycles / row.number(count), ".1f", how=how)

        return Column(label, "hart cycles each", is_number=True, shows=shows)

    columns = [
        word("table", names=ALGORITHMS),
        word("variant"),
        size("size", "param"),
        Column("error", is_number=True, shows=lambda row: number(
            row.number("hart_ratio") - 1, "+.1%", how=f"{row.origin}:hart_ratio less 1")),
        cited("products", "products", ",.0f", "executed by the core"),
        cited("divisions", "divisions", ",.0f", "executed by the core"),
        *(share(part) for part in _PARTS),
        cost("product", ("product", "inverse"), "products"),
        cost("division", ("division",), "divisions"),
    ]  # fmt: skip
    caption = (
        "Where the cycles of a cell go, clang -O2. With the vector unit the cycles of a function "
        "hold waits, and its divisions are part of the inverse"
    )
    return Table.of("budget", caption, columns, _first_rows(results))


@dataclass(frozen=True, slots=True)
class Extra:
    """What the four cells of a column cost more than published, by product and division.

    Least squares of the relative differences, two unknowns for four cells: a description of the
    difference, fitted to the published counts; nothing else on the page is.
    """

    table: int
    variant: str
    build: str
    product: float
    division: float
    worst: float

    @property
    def how(self) -> str:
        of = f"{_BUILDS}, Table {self.table}, {self.variant}, {self.build}"
        return f"least squares of (hart - published) over published, {of}"


def extra_costs(results: Results, table: int, variant: str, compiler: str, level: str) -> Extra:
    """Of one column and build."""
    keys = {"table": table, "variant": variant, "compiler": compiler, "level": level}
    own = frame_of(results, _BUILDS, **keys)
    counts = own[["products", "divisions"]].div(own["published"], axis=0).to_numpy()
    off = (own["hart_ratio"] - 1).to_numpy()
    found = np.linalg.lstsq(counts, off, rcond=None)[0]
    worst = float(np.abs(off - counts @ found).max())
    of_product, of_division = map(float, found)
    return Extra(table, variant, f"{compiler} {level}", of_product, of_division, worst)


def extra_table(results: Results) -> Table:
    """The differences of the std columns, told as costs of a product and of a division."""
    rows = [
        extra_costs(results, table, "std", *build) for table, build in product(TABLES, _BUILD_NAMES)
    ]

    def cost(label: str, form: str, group: str = "") -> Column:
        head = {"worst": "worst error left"}.get(label, label)
        return Column(head, group, is_number=True,
                      shows=lambda of: number(getattr(of, label), form, how=of.how))  # fmt: skip

    columns = [
        Column("table", is_filter=True, shows=lambda of: Value(f"Table {of.table}")),
        Column("build", is_filter=True, shows=lambda of: Value(of.build)),
        cost("product", "+.1f", "hart cycles more than published, each"),
        cost("division", "+.1f", "hart cycles more than published, each"),
        cost("worst", ".1%"),
    ]
    caption = "Differences of the std cells as hart cycles per product and per division"
    return Table.of("extra", caption, columns, rows)


def extra_shown(results: Results, compiler: str) -> dict[str, Value]:
    """The extra costs of Table 2, std, and what of the difference at d = 4 divisions are."""
    extra = extra_costs(results, 2, "std", compiler, _USUAL_LEVEL)
    keys = {"table": 2, "variant": "std", "param": PARAMS[0], "compiler": compiler}
    row = results.row(_BUILDS, level=_USUAL_LEVEL, **keys)
    parts = [row.number("products") * extra.product, row.number("divisions") * extra.division]
    numbers = {"product": (extra.product, ".1f"), "division": (extra.division, ".1f"),
               "worst": (extra.worst, ".1%"), "share": (parts[1] / sum(parts), ".0%")}  # fmt: skip
    return {name: number(value, form, how=extra.how) for name, (value, form) in numbers.items()}
