"""``gnomon report hyperdimensional``: hyperdimensional bandits, our reading, beside LinUCB."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gnomon.base.frames import frame
from gnomon.cli.study import study_command
from gnomon.content.reports.learners.problems import PROBLEMS
from gnomon.report.study import Steps, StudyReport

from .claims import COLUMNS, claims_of
from .costs import MACHINES, SCALED_ON, SIZES, measure, points
from .play import ENTRIES, EVALUATED, LINUCB, ROUNDS, TUNING, interval, play_problem

_REGRETS = ("problem", "learner", "setting", "regret", "regret_low", "regret_high",
            "less_linucb", "less_linucb_low", "less_linucb_high", "last_window_won")  # fmt: skip
_COSTS = ("learner", "machine", "d", "warm_steps", "select_cycles", "update_cycles",
          "model_bytes", "text_bytes")  # fmt: skip


def run_hyperdimensional(progress: Steps | None = None) -> StudyReport:
    """Play all problems, measure steps on machines, and judge the statements of the abstracts."""
    progress = progress or Steps()
    played = [run for problem in progress.over(PROBLEMS, lambda each: each.name)
              for run in play_problem(problem)]  # fmt: skip
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
    claims = frame(COLUMNS, claims_of(runs, costs))
    small = table[(table["d"] == SIZES.d) & (table["warm_steps"] == 64)]
    scaled = table[(table["machine"] == SCALED_ON) & (table["warm_steps"] == 64)]
    facts: dict[str, Any] = {
        "regrets": regrets.assign(
            interval=[f"{low:.3f} to {high:.3f}" for low, high in
                      zip(regrets["regret_low"], regrets["regret_high"], strict=True)],
        )[["problem", "learner", "setting", "regret", "interval", "last_window_won"]],
        "steps": small, "scaled": scaled[scaled["learner"].isin(["LinUCB", "EPS", "PROB"])],
        "claims": claims, "sizes": SIZES, "machines": MACHINES, "scaled_on": SCALED_ON,
        "rounds": ROUNDS, "tuning": TUNING, "evaluated": EVALUATED,
        "most_settings": max(len(entry.grid) for entry in ENTRIES),
    }  # fmt: skip
    tables = {"regrets": regrets, "costs": table, "claims": claims}
    answer = {name: each.to_dict("records") for name, each in tables.items()}
    return StudyReport(Path(__file__).parent, "hyperdimensional", facts, tables, answer=answer)


main = study_command(run_hyperdimensional, title="playing hyperdimensional bandits")
