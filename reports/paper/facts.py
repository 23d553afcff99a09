"""Numbers of the page's text that are no cell of a table but follow from cells."""

from itertools import product
from typing import Any

import pandas as pd

from gnomon.base.content import content
from gnomon.base.errors import GnomonError
from gnomon.base.tables import read_csv_table
from gnomon.report.table import PageColumn, PageTable, Value, format_number

from .cells import FITTED_D, PARAMS, READINGS, cycles_per_product
from .columns import AGREES, cited, computed, word
from .published import published_inverse_bound
from .results import Results, Row

_CLOCK_MHZ = 100  # of the published T13 runs; cycles over it give µs
_UNIT = "vcu.simd=4 vcu.sharing=shared vcu.scratchpads.count=4"
_CHANGES = {"opt": "other algorithm", "std+vcu": "vector unit", "opt+vcu": "both"}


def t13_of(results: Results, table: int, **keys: object) -> Any:
    """Return T13 cells by the published implementation: hart cycles, Table 3 with d = 4."""
    usual = {"platform": "t13", "metric": "cycles", "line": "paper", "reading": "hart",
             "d": "" if table == 2 else FITTED_D}  # fmt: skip
    return results.frame("paper/cells.csv", table=table, **(usual | keys))


class Facts(dict[str, Value]):
    """Facts by name, each with its derivation."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._agreement()
        self._inverse()
        self._readings()
        self._misprint()
        self._boards()
        self._costs()

    def _add(self, name: str, value: float, form: str, how: str) -> None:
        self[name] = format_number(value, form, how=how)

    def _ends(self, name: str, values: Any, form: str, what: str) -> None:
        self._add(f"{name}_low", values.min(), form, f"smallest {what}")
        self._add(f"{name}_high", values.max(), form, f"largest {what}")

    def _agreement(self) -> None:
        for table in (2, 3):
            cells = t13_of(self._results, table)
            off = (cells["ratio"] - 1).abs()
            where = f"|ratio - 1| of the {len(cells)} T13 hart cells of Table {table} (paper code)"
            self._add(f"cells_{table}", len(cells), ".0f", f"rows: {where}")
            self._add(f"median_{table}", off.median(), ".1%", f"median of the {where}")
            self._add(f"mean_{table}", off.mean(), ".1%", f"mean of the {where}")
            self._add(f"worst_{table}", off.max(), ".1%", f"largest of the {where}")
            near = (off <= AGREES).sum()
            self._add(f"near_{table}", near, ".0f", f"{where}: at most {AGREES:.0%}")

    def _inverse(self) -> None:
        """Compute hart cycles per multiply-accumulate of the scalar inverse and the vector one."""
        per: dict[tuple[int, str], float] = {}
        for table in (2, 3):
            cells = t13_of(self._results, table, variant="std")
            for column in ("published", "ours"):
                per[table, column] = cycles_per_product(table, PARAMS, list(cells[column]))
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
        shown = ((2, "", "2", "2"), (3, 4, "3", "3"), (3, 8, "d8", "3 with d = 8"))
        for (table, d, end, words), reading in product(shown, READINGS):
            ratios = t13_of(self._results, table, reading=reading, d=d)["ratio"]
            what = f"ratio, {reading} over published, Table {words}"
            self._ends(f"{reading}_{end}", ratios, ".2f", what)
        hart, wall = (
            pd.concat([t13_of(self._results, table, reading=reading)["ours"] for table in (2, 3)])
            for reading in READINGS
        )
        self._ends("wait", wall / hart, ".1f", "wall over hart cycles of ours, Tables 2 and 3")

    def _misprint(self) -> None:
        cycles, time = (self._results.cell(3, "opt", 32, metric=of) for of in ("cycles", "time"))
        keys = ["table", "variant", "param"]
        clock, printed = (
            pd.concat([t13_of(self._results, table, metric=metric) for table in (2, 3)])
            .set_index(keys)["published"]
            for metric in ("cycles", "time")
        )  # fmt: skip
        off, expected = printed - clock / _CLOCK_MHZ, cycles.number("published") / _CLOCK_MHZ
        self._add("f32_expected", expected, ",.0f", f"{cycles.origin}:published over 100 MHz")
        how = f"{time.origin}:published less that"
        self._add("f32_off", off.pop((3, "opt", 32)), ",.0f", how)
        how = "largest |time - cycles / clock| of the others, µs"
        self._add("time_worst", off.abs().max(), ".1f", how)

    def _boards(self) -> None:
        """Compute mean errors of the boards' cycles, and of the T13's mean power."""
        for platform, reading in product(("cortex-m4", "cortex-a72"), ("left-out", "documented")):
            keys = {"platform": platform, "metric": "cycles", "reading": reading}
            ratios = self._results.frame("paper/cells.csv", **keys)["ratio"]
            errors = (ratios.dropna() - 1).abs()
            where = f"|ratio - 1| of {len(errors)} cells, {platform}, {reading}"
            name = f"{platform[7:]}_{reading.replace('-', '_')}"
            self._add(name, errors.mean(), ".1%", f"mean {where}")
            self._add(f"{name}_worst", errors.max(), ".1%", f"largest {where}")
            self._add(f"{name}_cells", len(errors), ".0f", f"rows: {where}")
        for table in (2, 3):
            energy, time = (
                t13_of(self._results, table, metric=of)["ratio"] for of in ("energy", "time")
            )
            how = (f"mean |power ratio - 1|, 16 T13 cells of Table {table}: energy ratio over time"
                   " ratio")  # fmt: skip
            self._add(f"power_{table}", (energy / time - 1).abs().mean(), ".1%", how)

    def _costs(self) -> None:
        scalar, vector = (
            self._results.row("area/machines.csv", machine=machine, change="")
            for machine in ("t13", "t13-paper-simd4")
        )
        self._add("area_factor", vector.number("lut") / scalar.number("lut"), ".1f",
                  f"{vector.origin}:lut over {scalar.origin}:lut")  # fmt: skip
        self._add("dsp_more", vector.number("dsp") - scalar.number("dsp"), ".0f",
                  "t13-paper-simd4 less t13")  # fmt: skip
        without, with_unit = (_synthesized_luts(unit) for unit in ("vcu.simd=none", _UNIT))
        tool = "models/area/synth-machines-xc7.csv, our RTL of the whole machine"
        self._add("whole_scalar", without, ",.0f", f"{tool}: no vector unit")
        self._add("whole_vector", with_unit, ",.0f", f"{tool}: SIMD 4, shared, no vector division")
        self._add("whole_factor", with_unit / without, ".1f", f"{tool}: the second over the first")
        both = self._results.row("paper/figure11.csv", algorithm="Disjoint", param=32, line="paper",
                                 platform="t13", variant="opt+vcu", reading="hart")  # fmt: skip
        for name, column in (("", "speedup"), ("published_", "published_speedup")):
            how = f"one over {both.origin}:{column}"
            self._add(f"{name}time_alone", 1 / both.number(column), ".2%", how)
        keys = {"kernel": "add", "line": "paper", "n": 32, "reading": "hart"}
        sums = self._results.row("paper/figure8.csv", **keys)
        self._add("clearing_share", sums.number("clearing_cycles") / sums.number("vector_cycles"),
                  ".0%", f"{sums.origin}: clearing over vector cycles")  # fmt: skip


def _synthesized_luts(unit: str) -> float:
    """Return LUTs of the whole machine with this vector unit, by one tool and one family."""
    wanted = {"core.harts=3", "core.divider=restoring_r2", *unit.split()}
    for row in read_csv_table(content("models", "area", "synth-machines-xc7.csv")):
        known = dict(row.values)
        if wanted <= set(known["conditions"].split()):
            return float(known["lut"])
    raise GnomonError(f"models/area/synth-machines-xc7.csv: no machine with {unit}")


def headline_table(results: Results) -> PageTable:
    """Return the speed-ups of three changes, at the largest size of both learners."""

    def energy(row: Row) -> Row:
        table = 2 if row["algorithm"] == "Disjoint" else 3
        return results.row("energy/figures10-12.csv", table=table, platform="t13",
                           variant=row["variant"], param=row["param"])  # fmt: skip

    def wall(row: Row) -> Row:
        figure = 9 if row["variant"] == "opt" else 11
        return results.beside(f"paper/figure{figure}.csv", reading="wall")(row)

    columns = [
        PageColumn("learner", shows=lambda row: Value(
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
    return PageTable.from_results("headline", caption, columns, rows)


def stated_table(results: Results) -> PageTable:
    """Return speed-ups of the text that differ from its own tables, at the digits printed."""

    def off(row: Row) -> bool:
        """Return whether the number is neither cut off nor rounded."""
        stated, table = row.number("stated_speedup"), row.number("published_speedup")
        last = 10 ** -len(row["stated_speedup"].partition(".")[2])
        return not (0 <= table - stated < last or abs(table - stated) <= last / 2)

    def figure(row: Row) -> Value:
        return format_number(row.origin.partition("/figure")[2].partition(".csv")[0])

    columns = [
        PageColumn("figure", is_number=True, shows=figure),
        word("algorithm", is_filter=False),
        word("platform", is_filter=False),
        word("variant", is_filter=False),
        PageColumn("size", shows=lambda row: Value(f"{row['param_name']} = {row['param']}")),
        cited("text", "stated_speedup"),
        cited("tables", "published_speedup", ".4f"),
        computed("difference", "+.3f",
                 lambda row: row.number("stated_speedup") - row.number("published_speedup"),
                 lambda row: f"{row.origin}: text less tables"),
    ]  # fmt: skip
    printed = (results.rows(f"paper/figure{figure}.csv", line="published") for figure in (9, 11))
    rows = [row for rows in printed for row in rows if row["stated_speedup"] and off(row)]
    caption = "Speed-ups of the text that its tables do not give, even rounded or cut off"
    return PageTable.from_results("stated", caption, columns, rows)
