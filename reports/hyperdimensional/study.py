"""``gnomon report hyperdimensional``: hyperdimensional bandits, our reading, beside LinUCB."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

import pandas as pd

from gnomon.base.frames import frame, typed
from gnomon.cli.study import Pages, study_command
from gnomon.content.reports.learners.problems import PROBLEMS
from gnomon.report.study import Steps, StudyReport

from .claims import COLUMNS, claims_of
from .costs import (
    CLOCK,
    NO_UNIT,
    POWERS,
    SCALED,
    SCALED_ON,
    SIZES,
    UNIT,
    UNIT_ON,
    UNIT_POWER,
    WARM_STEPS,
    CoreCost,
    UnitCost,
    measure,
    measure_core,
    measure_unit,
    points,
    unit_points,
)
from .play import ENTRIES, EVALUATED, LINUCB, ROUNDS, TUNING, interval, play_problem

_REGRETS = ("problem", "learner", "setting", "regret", "regret_low", "regret_high",
            "less_linucb", "less_linucb_low", "less_linucb_high", "last_window_won")  # fmt: skip
_COSTS = ("learner", "machine", "d", "warm_steps", "select_cycles", "update_cycles",
          "model_bytes", "text_bytes")  # fmt: skip

_UNITS = ("learner", *(each.name for each in fields(UnitCost)[1:]))
_CORES = ("learner", *(each.name for each in fields(CoreCost)[1:]))
_TABLES = ("regrets", "costs", "units", "cores", "claims")


def run_hyperdimensional(progress: Steps | None = None, *, pages: Pages = False) -> StudyReport:
    """Play all problems, measure steps on machines, and judge the statements of the abstracts."""
    if pages:
        folder = Path(__file__).parent
        return report_of({name: pd.read_csv(folder / f"{name}.csv") for name in _TABLES})
    progress = progress or Steps()
    played = [
        run
        for problem in progress.over(PROBLEMS, lambda each: each.name)
        for run in play_problem(problem)
    ]
    runs = {(run.problem, run.entry.title): run for run in played}
    steps = progress.over(points(), lambda each: f"{each[0].title} on {each[1]}, d = {each[2]}")
    costs = [measure(*point) for point in steps]
    regrets = frame(_REGRETS, [
        (run.problem, run.entry.title, run.setting, *interval(run.regrets),
         *interval(run.regrets - runs[run.problem, LINUCB].regrets), float(run.windows[-1]))
        for run in played
    ])  # fmt: skip
    table = frame(_COSTS, [
        (cost.title, cost.machine, cost.d, cost.warm_steps, cost.select_cycles,
         cost.update_cycles, cost.model_bytes, cost.text_bytes)
        for cost in costs
    ])  # fmt: skip
    pairs = progress.over(unit_points(), lambda each: f"{each[0].title}, unit {each[1]}")
    units = typed(_UNITS, [astuple(measure_unit(*pair)) for pair in pairs])
    priced = progress.over([(entry, core) for core in POWERS for entry in ENTRIES],
                           lambda each: f"energy of {each[0].title} on {each[1]}")  # fmt: skip
    cores = typed(_CORES, [astuple(measure_core(*pair)) for pair in priced])
    claims = frame(COLUMNS, claims_of(runs, costs))
    return report_of({"regrets": regrets, "costs": table, "units": units, "cores": cores,
                      "claims": claims})  # fmt: skip


def report_of(tables: Mapping[str, pd.DataFrame]) -> StudyReport:
    """Return the page of these tables."""
    regrets, costs = tables["regrets"], tables["costs"]
    ends = zip(regrets["regret_low"], regrets["regret_high"], strict=True)
    regrets = regrets.assign(interval=[f"{low:.3f} to {high:.3f}" for low, high in ends])
    usual = costs[costs["warm_steps"] == WARM_STEPS].drop(columns="warm_steps")
    scaled = usual[(usual["machine"] == SCALED_ON) & usual["learner"].isin(SCALED)]
    updates = costs[(costs["learner"] == "PROB") & (costs["warm_steps"] != WARM_STEPS)]
    facts: dict[str, Any] = {
        "regrets": regrets[["problem", "learner", "setting", "regret", "interval",
                            "last_window_won"]],
        "steps": usual[usual["d"] == SIZES.d], "scaled": scaled.sort_values(["d"], kind="stable"),
        "updates": updates[["warm_steps", "update_cycles"]],
        **_unit_facts(tables["units"]), **_core_facts(tables["cores"]),
        "claims": tables["claims"], "sizes": SIZES, "scaled_on": SCALED_ON,
        "rounds": ROUNDS, "tuning": TUNING, "evaluated": EVALUATED, "warm_steps": WARM_STEPS,
        "most_settings": max(len(entry.grid) for entry in ENTRIES),
    }  # fmt: skip
    answer = {name: each.to_dict("records") for name, each in tables.items()}
    return StudyReport(Path(__file__).parent, "hyperdimensional", facts, tables, answer=answer)


def _unit_facts(units: Any) -> dict[str, Any]:
    """Return the facts on the unit: its table, and what it saves by learner in percent."""
    step = units["select_cycles"] + units["update_cycles"]
    of = units.assign(step=step).set_index(["learner", "unit"])
    titles = dict.fromkeys(units["learner"])
    saved = {
        name: {title: 100 * (1 - float(of[name][title, UNIT]) / float(of[name][title, NO_UNIT]))
               for title in titles}
        for name in ("step", "energy_uj")
    }  # fmt: skip
    ends = zip(units["energy_low_uj"], units["energy_high_uj"], strict=True)
    shown = units.assign(interval=[f"{low:.1f} to {high:.1f}" for low, high in ends])
    return {
        "units": shown[["learner", "unit", "select_cycles", "update_cycles", "executions",
                        "energy_uj", "interval", "area_luts", "text_bytes"]],
        "saved": saved, "unit": UNIT, "unit_on": UNIT_ON, "unit_power": UNIT_POWER,
    }  # fmt: skip


def _core_facts(cores: Any) -> dict[str, Any]:
    """Return the facts on the energy of a step on cores."""
    ends = zip(cores["energy_low_uj"], cores["energy_high_uj"], strict=True)
    shown = cores.assign(interval=[f"{low:.1f} to {high:.1f}" for low, high in ends])
    return {
        "cores": shown[["learner", "machine", "step_cycles", "energy_uj", "interval"]],
        "powers": POWERS, "clock": CLOCK,
    }  # fmt: skip


main = study_command(run_hyperdimensional, title="playing hyperdimensional bandits")
