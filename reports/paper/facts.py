"""Numbers of the words on the page that are no cell of a table but follow from cells."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from gnomon.report.table import Column, Table, Value, number

from .cells import PARAMS, READINGS, cycles_per_product
from .columns import PLATFORMS, cited, word
from .published import bands, published_inverse_bound

if TYPE_CHECKING:
    from .results import Results, Row

_CLOCK_MHZ = 100  # of the published T13 runs; cycles over it give µs
_CHANGES = {"opt": "other algorithm", "std+vcu": "vector unit", "opt+vcu": "both"}


class Facts(dict[str, Value]):
    """By name, each with how it was computed."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._agreement()
        self._inverse()
        self._readings()
        self._misprint()
        self._boards()
        self._costs()

    def _add(self, name: str, value: float, form: str, how: str) -> None:
        self[name] = number(value, form, how=how)

    def _agreement(self) -> None:
        for table in (2, 3):
            cells = self._results.t13(table)
            ratios = [cell.number("ratio") for cell in cells]
            limits = [bands()[table, cell["variant"]] for cell in cells]
            inside = sum(low <= ratio <= high
                         for ratio, (low, high) in zip(ratios, limits, strict=True))  # fmt: skip
            where = f"ratio of the {len(cells)} T13 hart cells of Table {table} (paper line)"
            self._add(f"in_band_{table}", inside, ".0f", f"{where} that are in their band")
            self._add(f"cells_{table}", len(cells), ".0f", f"rows: {where}")
            self._add(f"mean_{table}", fmean(ratios), ".2f", f"mean of the {where}")

    def _inverse(self) -> None:
        """Hart cycles per multiply-accumulate of the scalar inverse, and of the vector one."""
        per: dict[tuple[int, str], float] = {}
        for table in (2, 3):
            cells = self._results.t13(table, variants=["std"])
            for column in ("published", "ours"):
                cycles = [cell.number(column) for cell in cells]
                per[table, column] = cycles_per_product(table, PARAMS, cycles)
                how = (f"leading coefficient of the cubic through {column} of std, Table {table}, "
                       "over its multiply-accumulates (7/3 n³ for each inverse)")  # fmt: skip
                self._add(f"product_{column}_{table}", per[table, column], ".1f", how)
            alone = per[table, "ours"] / per[table, "published"]
            self._add(f"inverse_ratio_{table}", alone, ".2f", "ours over published")
        dearer = per[3, "published"] / per[2, "published"]
        self._add("inverse_dearer", dearer, ".2f", "published, Table 3 over Table 2")
        bound = published_inverse_bound()
        self._add("vector_two", bound.two_at_most, ",.0f",
                  "Table 2, std+vcu, d = 32, published, over 8 arms")  # fmt: skip
        how = "published: Table 3, f = 8, std+vcu less opt+vcu, less Table 2, d = 4, std+vcu"
        self._add("vector_three", bound.three_at_least, ",.0f", how)
        self._add("vector_dearer", bound.factor, ".2f", "the second over the first")

    def _readings(self) -> None:
        for table, d, end, words in ((2, None, "2", "Table 2"), (3, None, "3", "Table 3"),
                                     (3, 8, "d8", "Table 3 with d = 8")):  # fmt: skip
            for reading in READINGS:
                ratios = [cell.number("ratio") for cell in self._results.t13(table, reading, d=d)]
                what = f"ratio, {reading} over published, {words}"
                self._add(f"{reading}_{end}_low", min(ratios), ".2f", f"smallest {what}")
                self._add(f"{reading}_{end}_high", max(ratios), ".2f", f"largest {what}")

        harts, walls = (
            [row.number("ours") for table in (2, 3) for row in self._results.t13(table, reading)]
            for reading in READINGS
        )
        waits = [wall / hart for hart, wall in zip(harts, walls, strict=True)]
        what = "wall over hart cycles of ours, Tables 2 and 3"
        self._add("wait_low", min(waits), ".1f", f"smallest {what}")
        self._add("wait_high", max(waits), ".1f", f"largest {what}")

    def _misprint(self) -> None:
        cells = [(row, self._results.beside("paper/cells.csv", metric="time")(row))
                 for table in (2, 3) for row in self._results.t13(table)]  # fmt: skip
        off = {
            (row["table"], row["variant"], row["param"]):
                time.number("published") - row.number("published") / _CLOCK_MHZ
            for row, time in cells
        }  # fmt: skip
        cycles, time = (self._results.cell(3, "opt", 32, metric=of) for of in ("cycles", "time"))
        self._add("f32_expected", cycles.number("published") / _CLOCK_MHZ, ",.0f",
                  f"{cycles.origin}:published over 100 MHz")  # fmt: skip
        self._add("f32_off", off.pop(("3", "opt", "32")), ",.0f",
                  f"{time.origin}:published less that")  # fmt: skip
        self._add("time_worst", max(map(abs, off.values())), ".1f",
                  "largest |time - cycles / clock| of the others, µs")  # fmt: skip

    def _boards(self) -> None:
        """Mean errors of the boards' cycles, and of the T13's mean power."""
        for platform in ("cortex-m4", "cortex-a72"):
            for reading in ("left-out", "documented"):
                keys = {"platform": platform, "metric": "cycles", "reading": reading}
                rows = self._results.rows("paper/cells.csv", **keys)
                errors = [abs(row.number("ratio") - 1) for row in rows if row["ratio"]]
                where = f"|ratio - 1| of {len(errors)} cells, {platform}, {reading}"
                name = f"{platform[7:]}_{reading.replace('-', '_')}"
                self._add(name, fmean(errors), ".1%", f"mean {where}")
                self._add(f"{name}_worst", max(errors), ".1%", f"largest {where}")
                self._add(f"{name}_cells", len(errors), ".0f", f"rows: {where}")
        for table in (2, 3):
            energies, times = (
                [row.number("ratio") for row in self._results.t13(table, metric=metric)]
                for metric in ("energy", "time")
            )
            errors = [abs(a / b - 1) for a, b in zip(energies, times, strict=True)]
            how = (f"mean |power ratio - 1|, 16 T13 cells of Table {table}: energy ratio over time"
                   " ratio")  # fmt: skip
            self._add(f"power_{table}", fmean(errors), ".1%", how)

    def _costs(self) -> None:
        scalar, vector = (
            self._results.row("area/machines.csv", machine=machine, change="")
            for machine in ("t13", "t13-paper-simd4")
        )
        self._add("area_factor", vector.number("lut") / scalar.number("lut"), ".1f",
                  f"{vector.origin}:lut over {scalar.origin}:lut")  # fmt: skip
        self._add("dsp_more", vector.number("dsp") - scalar.number("dsp"), ".0f",
                  "t13-paper-simd4 less t13")  # fmt: skip
        keys = {"kernel": "add", "line": "paper", "n": 32, "reading": "hart"}
        sums = self._results.row("paper/figure8.csv", **keys)
        self._add("clearing_share", sums.number("clearing_cycles") / sums.number("vector_cycles"),
                  ".0%", f"{sums.origin}: clearing over vector cycles")  # fmt: skip


def headline_table(results: Results) -> Table:
    """What speeds up: three changes, at the largest size of both learners."""

    def energy(row: Row) -> Row:
        table = 2 if row["algorithm"] == "Disjoint" else 3
        return results.row("energy/figures10-12.csv", table=table, platform="t13",
                           variant=row["variant"], param=row["param"])  # fmt: skip

    def wall(row: Row) -> Row:
        figure = 9 if row["variant"] == "opt" else 11
        return results.beside(f"paper/figure{figure}.csv", reading="wall")(row)

    columns = [
        Column("learner", shows=lambda row: Value(
            f"{row['algorithm']}, {row['param_name']} = {row['param']}")),
        word("change", "variant", _CHANGES, is_filter=False),
        cited("published", "published_speedup", ".1f", "speed-up over std"),
        cited("ours, hart", "speedup", ".1f", "speed-up over std"),
        cited("ratio", "ratio", ".2f", "speed-up over std"),
        cited("ours, wall", "speedup", ".1f", "speed-up over std", wall),
        cited("published", "published", ".4f", "energy over std", energy),
        cited("ours", "ours", ".4f", "energy over std", energy),
    ]  # fmt: skip
    rows = [
        results.row(
            f"paper/figure{9 if variant == 'opt' else 11}.csv", algorithm=algorithm, d=d, param=32,
            platform="t13", variant=variant, line="paper", reading="hart",
        )
        for algorithm, d in (("Disjoint", 32), ("Hybrid", 4))
        for variant in _CHANGES
    ]  # fmt: skip
    caption = "One selection and one update on the T13, 8 arms, largest published size"
    return Table.of("headline", caption, columns, rows)


def stated_table(results: Results) -> Table:
    """Speed-ups of the text that are not what its own tables give, at the digits printed."""

    def off(row: Row) -> bool:
        stated, table = row.number("stated_speedup"), row.number("published_speedup")
        last = 10 ** -len(row["stated_speedup"].partition(".")[2])
        is_rounded = 0 <= table - stated < last or abs(table - stated) <= last / 2
        return not is_rounded  # nor cut off

    def difference(row: Row) -> Value:
        less = row.number("stated_speedup") - row.number("published_speedup")
        return number(less, "+.3f", how=f"{row.origin}: text less tables")

    columns = [
        Column("figure", is_number=True,
               shows=lambda row: number(row.origin.partition("/figure")[2].partition(".csv")[0])),
        word("algorithm", is_filter=False),
        word("platform", names=PLATFORMS, is_filter=False),
        word("variant", is_filter=False),
        Column("size", shows=lambda row: Value(f"{row['param_name']} = {row['param']}")),
        cited("text", "stated_speedup"),
        cited("tables", "published_speedup", ".4f"),
        Column("difference", is_number=True, shows=difference),
    ]  # fmt: skip
    rows = [
        row
        for figure in (9, 11)
        for row in results.rows(f"paper/figure{figure}.csv", line="published")
        if row["stated_speedup"] and off(row)
    ]
    caption = "Speed-ups of the text that its tables do not give, even rounded or cut off"
    return Table.of("stated", caption, columns, rows)
