"""Numbers of the words on the page that are no cell of a table but follow from cells."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from gnomon.report.table import Column, Table, Value, number

from .cell_tables import PLATFORMS
from .cells import PARAMS, VARIANTS, band_of, cycles_per_product
from .published import published_inverse_bound

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .results import Results, Row

_CLOCK_MHZ = 100  # of the published T13 runs; cycles over it give µs


def facts(results: Results) -> dict[str, Value]:
    """By name, each with how it was computed."""
    return {
        **_agreement(results),
        **_inverse(results),
        **_readings(results),
        **_misprint(results),
        **_boards(results),
        **_powers(results),
        **_costs(results),
    }


def t13_cells(
    results: Results, table: int, reading: str = "hart", *, d: int | None = None,
    metric: str = "cycles", variants: Sequence[str] = VARIANTS,
) -> list[Row]:  # fmt: skip
    """The T13 cells of a table by the paper line, in its order."""
    return [
        results.cell(table, variant, param, reading, d=d, metric=metric)
        for variant in variants
        for param in PARAMS
    ]


def quotient(above: Row, below: Row, column: str, form: str) -> Value:
    """One cell over another."""
    return number(
        above.number(column) / below.number(column),
        form,
        how=f"{above.origin}:{column} over {below.origin}:{column}",
        is_new=above.is_new and below.is_new,
    )


def _agreement(results: Results) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for table in (2, 3):
        cells = t13_cells(results, table)
        ratios = [cell.number("ratio") for cell in cells]
        inside = [
            low <= cell.number("ratio") <= high
            for cell in cells
            for low, high in [band_of(table, cell["variant"])]
        ]
        where = f"ratio of the {len(cells)} T13 hart cells of Table {table} (paper line)"
        found |= {
            f"in_band_{table}": number(sum(inside), ".0f", how=f"{where} that are in their band"),
            f"cells_{table}": number(len(cells), ".0f", how=f"rows: {where}"),
            f"mean_{table}": number(fmean(ratios), ".2f", how=f"mean of the {where}"),
            f"least_{table}": number(min(ratios), ".2f", how=f"smallest {where}"),
            f"most_{table}": number(max(ratios), ".2f", how=f"largest {where}"),
        }
    return found


def _inverse(results: Results) -> dict[str, Value]:
    """Hart cycles per multiply-accumulate of the scalar inverse, and bounds of the vector one."""
    found: dict[str, Value] = {}
    per: dict[tuple[int, str], float] = {}
    for table in (2, 3):
        cells = t13_cells(results, table, variants=["std"])
        for column in ("published", "ours"):
            per[table, column] = cycles_per_product(
                table, PARAMS, [cell.number(column) for cell in cells]
            )
            found[f"product_{column}_{table}"] = number(
                per[table, column],
                ".1f",
                how=f"leading coefficient of the cubic through {column} of std, Table {table}, "
                "over its multiply-accumulates (7/3 n³ for each inverse)",
            )
    dearer = per[3, "published"] / per[2, "published"]
    found["inverse_dearer"] = number(dearer, ".2f", how="published, Table 3 over Table 2")
    for table in (2, 3):
        alone = per[table, "ours"] / per[table, "published"]
        found[f"inverse_ratio_{table}"] = number(alone, ".2f", how="ours over published")
    bound = published_inverse_bound()
    found |= {
        "vector_two": number(
            bound.two_at_most, ",.0f", how="Table 2, std+vcu, d = 32, published, over 8 arms"
        ),
        "vector_three": number(
            bound.three_at_least,
            ",.0f",
            how="published: Table 3, f = 8, std+vcu less opt+vcu, less Table 2, d = 4, std+vcu",
        ),
        "vector_dearer": number(bound.factor, ".2f", how="the second over the first"),
    }
    return found


def _readings(results: Results) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for reading in ("hart", "wall"):
        for table in (2, 3):
            ratios = [cell.number("ratio") for cell in t13_cells(results, table, reading)]
            found |= _ends(f"{reading}_{table}", ratios, f"{reading} over published, Table {table}")
    for reading in ("hart", "wall"):
        ratios = [cell.number("ratio") for cell in t13_cells(results, 3, reading, d=8)]
        found |= _ends(f"{reading}_d8", ratios, f"{reading} over published, Table 3 with d = 8")
    return found


def _ends(name: str, ratios: Sequence[float], what: str) -> dict[str, Value]:
    return {
        f"{name}_low": number(min(ratios), ".2f", how=f"smallest ratio, {what}"),
        f"{name}_high": number(max(ratios), ".2f", how=f"largest ratio, {what}"),
    }


def _misprint(results: Results) -> dict[str, Value]:
    cycles = results.cell(3, "opt", 32)
    time = results.cell(3, "opt", 32, metric="time")
    expected = cycles.number("published") / _CLOCK_MHZ
    worst = max(
        abs(
            results.cell(table, row["variant"], int(row["param"]), metric="time").number(
                "published"
            )
            - row.number("published") / _CLOCK_MHZ
        )
        for table in (2, 3)
        for row in t13_cells(results, table)
        if (table, row["variant"], row["param"]) != (3, "opt", "32")
    )
    return {
        "f32_expected": number(expected, ",.0f", how=f"{cycles.origin}:published over 100 MHz"),
        "f32_off": number(
            time.number("published") - expected, ",.0f", how=f"{time.origin}:published less that"
        ),
        "time_worst": number(worst, ".1f", how="largest |time - cycles / clock| of the others, µs"),
    }


def _boards(results: Results) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for platform in ("cortex-m4", "cortex-a72"):
        for reading in ("left-out", "documented"):
            rows = results.rows(
                "paper/cells.csv", platform=platform, metric="cycles", reading=reading
            )
            errors = [abs(row.number("ratio") - 1) for row in rows if row["ratio"]]
            where = f"|ratio - 1| of {len(errors)} cells, {platform}, {reading}"
            name = f"{platform[7:]}_{reading.replace('-', '_')}"
            found[name] = number(fmean(errors), ".1%", how=f"mean {where}")
            found[f"{name}_worst"] = number(max(errors), ".1%", how=f"largest {where}")
            found[f"{name}_cells"] = number(len(errors), ".0f", how=f"rows: {where}")
    return found


def _powers(results: Results) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for table in (2, 3):
        errors = []
        for row in t13_cells(results, table, metric="energy"):
            time = results.cell(table, row["variant"], int(row["param"]), metric="time")
            errors.append(abs(row.number("ratio") / time.number("ratio") - 1))
        where = f"|power ratio - 1|, 16 T13 cells of Table {table}: energy ratio over time ratio"
        found[f"power_{table}"] = number(fmean(errors), ".1%", how=f"mean {where}")
    return found


def _costs(results: Results) -> dict[str, Value]:
    scalar = results.row("area/machines.csv", machine="t13", change="")
    vector = results.row("area/machines.csv", machine="t13-paper-simd4", change="")
    sums = results.row("paper/figure8.csv", kernel="add", line="paper", n=32, reading="hart")
    clearing = sums.number("clearing_cycles") / sums.number("vector_cycles")
    return {
        "area_factor": quotient(vector, scalar, "lut", ".1f"),
        "dsp_more": number(
            vector.number("dsp") - scalar.number("dsp"), ".0f", how="t13-paper-simd4 less t13"
        ),
        "clearing_share": number(
            clearing, ".0%", how=f"{sums.origin}: clearing over vector cycles"
        ),
    }


def headline_table(results: Results) -> Table:
    """What speeds up: three changes, at the largest size of both learners."""
    columns = (
        Column("learner"),
        Column("change"),
        Column("published", "speed-up over std", is_number=True),
        Column("ours, hart", "speed-up over std", is_number=True),
        Column("ratio", "speed-up over std", is_number=True),
        Column("ours, wall", "speed-up over std", is_number=True),
        Column("published", "energy over std", is_number=True),
        Column("ours", "energy over std", is_number=True),
    )
    words = {
        "opt": "other algorithm",
        "std+vcu": "vector unit",
        "opt+vcu": "both",
    }
    rows = []
    for algorithm, size, table, d in (("Disjoint", "d = 32", 2, 32), ("Hybrid", "f = 32", 3, 4)):
        for variant, change in words.items():
            number_of_figure = 9 if variant == "opt" else 11
            keys = {"algorithm": algorithm, "d": d, "param": 32, "platform": "t13"}
            hart, wall = (
                results.row(
                    f"paper/figure{number_of_figure}.csv",
                    variant=variant,
                    line="paper",
                    reading=reading,
                    **keys,
                )
                for reading in ("hart", "wall")
            )
            energy = results.row(
                "energy/figures10-12.csv", table=table, platform="t13", variant=variant, param=32
            )
            rows.append(
                (
                    Value(f"{algorithm}, {size}"),
                    Value(change),
                    hart.value("published_speedup", ".1f"),
                    hart.value("speedup", ".1f"),
                    hart.value("ratio", ".2f"),
                    wall.value("speedup", ".1f"),
                    energy.value("published", ".4f"),
                    energy.value("ours", ".4f"),
                )
            )
    caption = "One selection and one update on the T13, 8 arms, largest published size"
    return Table("headline", caption, columns, tuple(rows))


def stated_table(results: Results) -> Table:
    """Speed-ups of the text that are not what its own tables give, at the digits printed."""
    columns = (
        Column("figure", is_number=True),
        Column("algorithm"),
        Column("platform"),
        Column("variant"),
        Column("size"),
        Column("text", is_number=True),
        Column("tables", is_number=True),
        Column("difference", is_number=True),
    )
    rows = []
    for figure in (9, 11):
        for row in results.rows(f"paper/figure{figure}.csv", line="published"):
            if not row["stated_speedup"]:
                continue
            stated, table = row.number("stated_speedup"), row.number("published_speedup")
            digits = len(row["stated_speedup"].partition(".")[2])
            if 0 <= table - stated < 10**-digits or abs(table - stated) <= 10**-digits / 2:
                continue  # rounded or cut off
            rows.append(
                (
                    number(str(figure)),
                    Value(row["algorithm"]),
                    Value(PLATFORMS[row["platform"]]),
                    Value(row["variant"]),
                    Value(f"{row['param_name']} = {row['param']}"),
                    row.value("stated_speedup"),
                    row.value("published_speedup", ".4f"),
                    number(stated - table, "+.3f", how=f"{row.origin}: text less tables"),
                )
            )
    caption = "Speed-ups of the text that its tables do not give, even rounded or cut off"
    return Table("stated", caption, columns, tuple(rows))
