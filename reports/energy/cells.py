"""Tables 2 and 3 as measured points of power, and gnomon's activity at each of them."""

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import pandas as pd

from gnomon.base.frames import csv_text, frame, rows_of, worded
from gnomon.content.reports.paper.cells import FITTED_D, PARAMS, READINGS, Cell, fresh_cell, plan
from gnomon.content.reports.paper.cells_page import COLUMNS
from gnomon.content.reports.paper.published import published_cells
from gnomon.cost.energy import Activity, Energy
from gnomon.report.study import Steps
from gnomon.sim import Work

FITTED_DATA = "sparse"
"""Operand values of the cells: a fresh model and a zero context, mostly zeros."""

TABLE_OF = {2: "t13-table2", 3: "t13-table3"}
"""Power table fitted to each published table alone."""

OTHER = {2: 3, 3: 2}
METRICS = {"time": "us", "energy": "uJ"}


def cell_activity(cell: Cell, data: str = FITTED_DATA) -> Activity:
    return Activity.from_work(_work(cell), cell.architecture, data=data)


def cell_energy(cell: Cell, power: str, data: str = FITTED_DATA) -> Energy:
    return Energy.from_work(_work(cell), cell.architecture, power=power, data=data)


def _work(cell: Cell) -> Work:
    return Work.joined(stage.work for stage in cell.run.stages)


def fresh_cells(progress: Steps | None = None, params: Sequence[int] = PARAMS) -> tuple[Cell, ...]:
    """Run the cells that have a published power, on fresh models only, without details."""
    planned = [each for each in plan((2, 3), params, (FITTED_D,)) if each.line == "paper"]
    return tuple(map(fresh_cell, (progress or Steps()).over(planned, lambda each: each.title)))


def published_powers(cells: Iterable[Cell]) -> pd.DataFrame:
    """Return cells by name, with printed energy (``published_uj``) and time (``published_us``).

    ``published_mw`` is the mean power of these, ``rounding_mw`` the half-width of its interval from
    printing whole µJ and µs; ``point`` names a cell, such as ``table2/std/d4``.
    """
    every: Any = list(cells)
    table = pd.DataFrame([cell.key for cell in every]).drop(columns="metric")
    for name, metric in (("published_uj", "energy"), ("published_us", "time")):
        table[name] = [published_cells()[cell.key._replace(metric=metric)] for cell in every]
    power = table["published_uj"] / table["published_us"] * 1e3
    rounding = power * (0.5 / table["published_uj"] + 0.5 / table["published_us"])
    points = [f"table{key.table}/{key.variant}/{key.param_name}{key.param}"
              for key in (cell.key for cell in every)]  # fmt: skip
    return table.assign(cell=every, published_mw=power, rounding_mw=rounding, point=points)


def energy_cells(cells: Iterable[Cell]) -> pd.DataFrame:
    """Price cells of the paper code, each by the table that was not fitted to it.

    Returns:
        As :func:`published_powers`, with gnomon's mean power and its interval (``mw``, ``mw_low``,
        ``mw_high``), and time and energy in each reading, such as ``hart_us`` and ``hart_uj``.
    """
    table = published_powers(cell for cell in cells if cell.is_comparison)
    energies: Any = [cell_energy(cell, TABLE_OF[OTHER[cell.key.table]]) for cell in table["cell"]]
    table["energy"] = energies
    table["toggles"] = [each.toggles_per_cycle for each in energies]
    table["extrapolated"] = [each.extrapolated for each in energies]
    for name, end in (("mw", "value"), ("mw_low", "low"), ("mw_high", "high")):
        table[name] = [getattr(each.power_mw, end) for each in energies]
    for reading in READINGS:
        pairs = zip(table["cell"], energies, strict=True)
        table[f"{reading}_us"] = [cell.ours(reading) * 1e6 / each.clock_hz for cell, each in pairs]
        table[f"{reading}_uj"] = table["mw"] * table[f"{reading}_us"] * 1e-3
    return table


def activity_csv(cells: Sequence[Cell]) -> str:
    """Return toggles per cycle by unit and point, the input of ``gnomon power fit``."""
    activities = [cell_activity(cell) for cell in cells]
    table = frame(activities[0].units, (activity.per_cycle().tolist() for activity in activities))
    table = worded(table, dict.fromkeys(activities[0].units, ".4f"))
    table.insert(0, "point", published_powers(cells)["point"])
    return csv_text(table)


def power_csv(cells: Iterable[Cell]) -> str:
    """Return published mean power by point, the other input of ``gnomon power fit``."""
    table = published_powers(cells)
    heads = {"published_mw": "power_mw", "rounding_mw": "rounding_mw", "published_uj": "energy_uj",
             "published_us": "time_us"}  # fmt: skip
    texts = worded(table, dict.fromkeys([*heads][:2], ".3f")).rename(columns=heads)
    return csv_text(texts[["point", *heads.values()]])


def energy_rows(cells: pd.DataFrame) -> list[dict[str, str]]:
    """Return time and energy as lines of ``cells.csv``, one per cell, metric and reading."""
    return [
        _row(cell, metric, reading)
        for metric in METRICS
        for cell in rows_of(cells)
        for reading in READINGS
    ]


def is_energy_row(row: Mapping[str, str]) -> bool:
    return row["platform"] == "t13" and row["metric"] in METRICS


def _row(cell: Any, metric: str, reading: str) -> dict[str, str]:
    unit = METRICS[metric]
    published, ours = (getattr(cell, f"{of}_{unit.lower()}") for of in ("published", reading))
    values = (
        *(cell.table, cell.algorithm, cell.platform, cell.variant, cell.param_name, cell.param),
        *(metric, unit, cell.cell.line, reading),
        *(published, f"{ours:.1f}", f"{ours / published:.4f}", _note(cell, metric, reading)),
    )
    return dict(zip(COLUMNS, (str(value) for value in values), strict=True))


def _note(cell: Any, metric: str, reading: str) -> str:
    stated = "" if cell.cell.d is None else f"d = {cell.cell.d}; "
    if metric == "time":
        return f"{stated}cycles at 100 MHz"
    flag = "; activity outside that of the fit" if cell.extrapolated else ""
    time = getattr(cell, f"{reading}_us") / cell.published_us
    return (
        f"{stated}dynamic power {cell.mw:.1f} mW ({cell.mw_low:.1f} to {cell.mw_high:.1f})"
        f" predicted by {cell.energy.table}, which has not seen this table; published"
        f" {cell.published_mw:.1f} mW; ratio = time {time:.4f} x power"
        f" {cell.mw / cell.published_mw:.4f}{flag}"
    )


TABLES = {2: ("Disjoint", "d"), 3: ("Hybrid", "f")}
FIGURES: Final = {"opt": 10, "std+vcu": 12, "opt+vcu": 12}
"""The figure that shows a variant; Figure 12 is of the T13 alone."""

PLATFORMS = ("t13", "cortex-m4", "cortex-a72")
PLATFORM_READING = "left-out"
_POINT = ["table", "platform", "variant", "param"]
ENERGIES = ["published", "ours", "ours_wall"]


def energy_factors(cells: pd.DataFrame, platform_rows: str) -> pd.DataFrame:
    """Return one row per point: factors over std, NaN where one of both is unavailable.

    Args:
        cells: of the T13; ``ours`` is of hart cycles, ``ours_wall`` of wall time.
        platform_rows: text of a ``cells.csv`` that holds the cells of the other platforms.
    """
    own = cells.rename(columns={"hart_uj": "ours", "wall_uj": "ours_wall"})
    own = own[[*_POINT, "ours", "ours_wall"]]
    others = pd.read_csv(io.StringIO(platform_rows))
    others = others[(others["metric"] == "energy") & (others["reading"] == PLATFORM_READING)]
    # A cell that does not fit its board has text instead of a number.
    others = others.assign(ours=pd.to_numeric(others["ours"], errors="coerce"))
    printed = [
        (key.table, key.platform, key.variant, key.param, energy)
        for key, energy in published_cells().items()
        if key.metric == "energy"
    ]
    every = pd.concat([own, others[others["param"].isin(own["param"])][[*_POINT, "ours"]]])
    every = every.merge(pd.DataFrame(printed, columns=[*_POINT, "published"]), "left", _POINT)
    std = every[every["variant"] == "std"].drop(columns="variant")
    over = every[every["variant"] != "std"].merge(
        std, "left", ["table", "platform", "param"], suffixes=("", "_std")
    )
    factors = {name: over[name] / over[f"{name}_std"] for name in ENERGIES}
    order = {name: at for at, name in enumerate((*PLATFORMS, *FIGURES))}
    found = over[_POINT].assign(figure=over["variant"].map(FIGURES), **factors)
    found = found.sort_values(
        ["figure", *_POINT], key=lambda column: column.map(lambda cell: order.get(cell, cell))
    )
    return found[["figure", *_POINT, *ENERGIES]]
