"""``gnomon report flash``: flash waits, instruction cache and placement for two programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pandas as pd

from gnomon.arch import load_architecture
from gnomon.base.frames import frame
from gnomon.cli.study import Pages, study_command
from gnomon.report.study import Steps, StudyReport

from . import measure

SHOWN_WAITS: Final = 4
"""Wait states of the table of caches and of the conclusions, if they were run."""
ENOUGH: Final = 0.9
"""A cache is enough if it saves this share of what code in RAM saves."""
SAME: Final = 0.02
"""Cycles that differ by a smaller share count as the same."""


def run_flash(
    size: measure.FlashSize, progress: Steps | None = None, *, pages: Pages = False
) -> StudyReport:
    """Run both programs on all machines; the result of each run is checked."""
    if pages:
        folder = Path(__file__).parent
        tables = (folder / name for name in ("rows.csv.xz", "programs.csv"))
        return replace(report_of(*map(pd.read_csv, tables)), tables={})
    subjects = [measure.Programs(each()) for each in measure.SUBJECTS]
    work = [(each, point) for each in subjects for point in measure.points(size)]
    steps = (progress or Steps()).over(work, lambda each: each[0].subject.name)
    rows = frame(measure.ROWS, [each.row(point) for each, point in steps])
    programs = frame(measure.PROGRAMS, [each.sizes() for each in subjects])
    return report_of(rows, programs)


def report_of(rows: pd.DataFrame, programs: pd.DataFrame) -> StudyReport:
    """Return the page of these tables."""
    rows, programs = rows.infer_objects(), programs.infer_objects()
    board = load_architecture(str(measure.BOARD))
    waits = sorted(set(rows["waits"]))
    shown = SHOWN_WAITS if SHOWN_WAITS in waits else waits[-1]
    facts: dict[str, Any] = {
        "board": board,
        "core": board.source,
        "learner": measure.LEARNER,
        "sizes": measure.SIZES,
        "line": measure.LINE_BYTES,
        "hot": measure.HOT,
        "enough": ENOUGH,
        "same": SAME,
        "shown": shown,
        "programs": programs,
        "subjects": [
            _subject(rows[rows["program"] == each["program"]], each, shown)
            for each in programs.to_dict("records")
        ],
    }
    answer = {"rows": rows.to_dict("records"), "programs": programs.to_dict("records")}
    return StudyReport(Path(__file__).parent, "flash", facts, {"rows": rows, "programs": programs},
                       answer=answer, packed={"rows"})  # fmt: skip


def _subject(rows: Any, sizes: Mapping[Any, Any], shown: int) -> dict[str, Any]:
    """Return tables and figures of one program; the figures select the sentences."""
    plain = rows[rows["cache_bytes"] == 0]
    by_place: Any = plain.pivot_table(index="waits", columns="placement", values="cycles")
    by_place = by_place[list(measure.PLACEMENTS)].astype(int)
    here = by_place.loc[shown]
    cached = rows[(rows["waits"] == shown) & (rows["cache_bytes"] > 0)]
    first = cached[cached["burst"] == cached["burst"].min()]
    simple = first[(first["placement"] == "flash") & (first["ways"] == first["ways"].min())]
    with_constants = first[
        (first["placement"] == "constants") & (first["ways"] == first["ways"].min())
    ]
    most = int(here["flash"] - here["code"])
    enough = [row for row in simple.to_dict("records")
              if most > 0 and here["flash"] - row["cycles"] >= ENOUGH * most]  # fmt: skip
    chosen = enough[0] if enough else simple.to_dict("records")[-1]
    both = with_constants.set_index("cache_bytes")["cycles"][chosen["cache_bytes"]]
    uncached = plain[(plain["waits"] == shown) & (plain["placement"] == "flash")].iloc[0]
    ways: Any = first[first["placement"] == "flash"].pivot_table(
        index="cache_bytes", columns="ways", values="cycles"
    )
    bursts: Any = cached[
        (cached["placement"] == "flash") & (cached["ways"] == cached["ways"].min())
    ].pivot_table(index="cache_bytes", columns="burst", values="cycles")
    return {
        **sizes,
        "name": sizes["program"],
        "places": by_place.reset_index(),
        "caches": _caches(cached[cached["placement"] == "flash"], here),
        "flash": here["flash"], "code": here["code"], "both": here["both"],
        "constants": here["constants"],
        "slowdown": here["flash"] / here["both"],
        "most": most,
        "wait_each": uncached["fetch_wait_cycles"] / sizes["instructions"],
        "enough": bool(enough),
        "cache": chosen["cache_bytes"],
        "cache_saves": here["flash"] - chosen["cycles"],
        "cache_waits": chosen["fetch_wait_cycles"],
        "same_loads": bool(chosen["load_cycles"] == uncached["load_cycles"]),
        "with_constants": here["flash"] - both,
        "all": int(here["flash"] - here["both"]),
        "ways_gain": float((1 - ways.iloc[:, -1] / ways.iloc[:, 0]).max()),
        "ways_loss": float((ways.iloc[:, -1] / ways.iloc[:, 0] - 1).max()),
        "has_ways": ways.shape[1] > 1,
        "has_bursts": bursts.shape[1] > 1,
        "burst": cached["burst"].max(),
        "burst_saves": float(1 - bursts.iloc[0, -1] / bursts.iloc[0, 0]),
        "smallest": cached["cache_bytes"].min(),
        "harmful": _harmful(rows),
    }  # fmt: skip


def _caches(cached: Any, here: Any) -> Any:
    """Return cycles by size of the cache, and the share of the gain of code in RAM."""
    table: Any = cached.pivot_table(index="cache_bytes", columns=["ways", "burst"], values="cycles")
    table = table.astype(int)
    saved = (here["flash"] - table.iloc[:, 0]) / max(1, here["flash"] - here["code"])
    table.columns = [
        f"{ways} {'way' if ways == 1 else 'ways'}, burst {burst}" for ways, burst in table.columns
    ]
    table.insert(1, "saves, of code in RAM", saved.map("{:.0%}".format))
    return table.reset_index()


def _harmful(rows: Any) -> list[int]:
    """Return the wait states at which some cache is slower than none."""
    flash = rows[rows["placement"] == "flash"]
    none = flash[flash["cache_bytes"] == 0].set_index("waits")["cycles"]
    slower = flash[flash["cycles"] > flash["waits"].map(none)]
    return sorted({int(waits) for waits in slower["waits"]})


main = study_command(run_flash, measure.FLASH_SIZES, title="running machines")
