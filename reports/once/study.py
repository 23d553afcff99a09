"""``gnomon report once``: learners by hand and once, in cycles, bytes, decisions and regret."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from gnomon.base.frames import frame
from gnomon.cli.study import Pages, study_command
from gnomon.report.canvas import COLOURS, legend, log_axis, panels, size_axis
from gnomon.report.study import Keeps, Steps, StudyReport

from .measuring import (
    COSTS,
    DECISIONS,
    LOSSES,
    MANY_ROUNDS,
    PLAYING,
    ROUNDS,
    SEEDS,
    cost_points,
    decision_points,
    measure_cost,
    measure_decisions,
    measure_loss,
)
from .pairs import ARMS, DIMENSIONS, LIMITED, PAIRS, SCALAR, VECTOR

_TABLES = ("costs", "decisions", "losses")
_SHOWN = (8, 32)
"""Features of the table of all machines."""
_FIRST = (SCALAR["small"][0], VECTOR["small"][0])
_MOST_REGRET = 0.01
_LEAST_FOLLOWED = 0.98
_MOST_RATIOS = {
    ("LinUCB", _FIRST[0]): {8: 1.1, 16: 1.1, 32: 1.1},
    ("LinUCB, vector unit", _FIRST[1]): {8: 2.0, 32: 3.0},
}
"""Limits of the ratio of cycles, by learner, machine and d."""


def run_once(
    size: str, keeps: Keeps, progress: Steps | None = None, *, pages: Pages = False
) -> StudyReport:
    """Measure each pair on its machines, and compare decisions with the Python."""
    if pages:
        folder = Path(__file__).parent
        return report_of({name: pd.read_csv(folder / f"{name}.csv") for name in _TABLES})
    progress, keep = progress or Steps(), keeps.measuring
    costs = [
        keep(measure_cost, pair.title, by, machine, d)
        for pair, by, machine, d in progress.over(
            list(cost_points(size)), lambda each: f"{each[0].title} by {each[1]} on {each[2]}"
        )
    ]
    decisions = [
        keep(measure_decisions, pair.title, by, sizes, rounds, SEEDS[size])
        for pair, by, sizes, rounds in progress.over(
            list(decision_points(size)),
            lambda each: f"{each[3]} decisions of {each[0].title} by {each[1]}",
        )
    ]
    losses = [keep(measure_loss, pair.title) for pair in PAIRS]
    rows = (COSTS, costs), (DECISIONS, decisions), (LOSSES, losses)
    return report_of({
        name: frame(columns, of) for name, (columns, of) in zip(_TABLES, rows, strict=True)
    })  # fmt: skip


def report_of(tables: Mapping[str, pd.DataFrame]) -> StudyReport:
    """Return the page of these tables."""
    costs = tables["costs"].assign(
        cycles=lambda each: each["select_cycles"] + each["update_cycles"]
    )
    both = _beside(costs)
    decisions = tables["decisions"]
    once, few = decisions[decisions["by"] == "once"], decisions["rounds"] == ROUNDS
    followed = once[once["rounds"] == ROUNDS]
    facts: dict[str, Any] = {
        "ratios": _ratios(both), "machines": _on_machines(both),
        "bytes": both[both["machine"].isin(_FIRST) & (both["d"] == _SHOWN[0])][
            ["learner", "model_hand", "model_once", "text_hand", "text_once"]
        ],
        "decisions": _shown(decisions[few]), "many": _shown(decisions[~few]),
        "playing": PLAYING, "many_rounds": MANY_ROUNDS, "losses": tables["losses"],
        "limits": _limits(both),
        "lowest": float(followed["follows_lowest"].min()), "least": _LEAST_FOLLOWED,
        "widest": float(once[["more_low", "more_high"]].abs().to_numpy().max()),
        "most": _MOST_REGRET,
        "failing": _names(followed, followed["follows_lowest"] < _LEAST_FOLLOWED),
        "losing": _names(once, once[["more_low", "more_high"]].abs().max(axis=1) >= _MOST_REGRET),
        "arms": ARMS, "seeds": int(decisions["seeds"].max()), "rounds": ROUNDS,
        "scalar": _FIRST[0], "vector": _FIRST[1],
        "limited": LIMITED, "plain": _limited(costs), "shown": _SHOWN,
    }  # fmt: skip
    answer = {name: each.to_dict("records") for name, each in tables.items()}
    return StudyReport(
        Path(__file__).parent, "once", facts, tables, {"ratios": _draw_ratios}, answer, results=both
    )


def _beside(costs: pd.DataFrame) -> pd.DataFrame:
    """Return one row for each point, with both implementations and the ratio of their cycles."""
    keys = ["learner", "machine", "d"]
    renamed = {"cycles": "cycles", "model_bytes": "model", "text_bytes": "text"}
    halves = []
    for by in ("hand", "once"):
        own = costs[costs["by"] == by][[*keys, *renamed]]
        halves.append(own.rename(columns={old: f"{new}_{by}" for old, new in renamed.items()}))
    both = halves[0].merge(halves[1], on=keys, sort=False)
    return both.assign(ratio=both["cycles_once"] / both["cycles_hand"])


def _ratios(both: pd.DataFrame) -> pd.DataFrame:
    """Return cycles of generated C and their ratio to hand-written C, one column for each d."""
    rows, sizes = [], list(dict.fromkeys(both["d"]))
    for title in dict.fromkeys(both["learner"]):
        own = both[both["learner"] == title]
        of = own[own["machine"].isin(_FIRST)].set_index("d")
        cells = (f"{of['cycles_once'][d]:,} ({of['ratio'][d]:.2f})" for d in sizes)
        rows.append((title, of["machine"].iloc[0], *cells))
    return frame(("learner", "machine", *(f"d {d}" for d in sizes)), rows)


def _draw_ratios(both: pd.DataFrame) -> Figure:
    """Draw the ratio of cycles over d, on the machines of the table of ratios."""
    figure, ((axes,),) = panels(size=(7.0, 3.8))
    shown = both[both["machine"].isin(_FIRST)]
    for at, title in enumerate(dict.fromkeys(shown["learner"])):
        own = shown[shown["learner"] == title]
        axes.plot(
            own["d"].tolist(), own["ratio"].tolist(), label=title, linewidth=1.2,
            linestyle="--" if at >= len(COLOURS) else "-",
            color=COLOURS[at % len(COLOURS)], marker="osD^vP*Xh"[at], markersize=4,
        )  # fmt: skip
    axes.axhline(1.0, color="#999999", linewidth=0.8, linestyle=":")
    size_axis(axes, sorted(set(shown["d"])), "d")
    log_axis(axes)
    axes.set_ylabel("hart cycles, generated / hand-written")
    legend(figure, axes, 3)
    return figure


def _on_machines(both: pd.DataFrame) -> pd.DataFrame:
    own = both[both["d"].isin(_SHOWN) & (both["machine"] != LIMITED)]
    return own[["learner", "machine", "d", "cycles_hand", "cycles_once", "ratio"]]


def _limits(both: pd.DataFrame) -> pd.DataFrame:
    """Return the ratios of LinUCB that have a limit."""
    rows = [
        (title, machine, d, ratio, limit)
        for (title, machine), limits in _MOST_RATIOS.items() for d, limit in limits.items()
        for ratio in both[
            (both["learner"] == title) & (both["machine"] == machine) & (both["d"] == d)
        ]["ratio"]
    ]  # fmt: skip
    return frame(("learner", "machine", "d", "ratio", "limit"), rows)


def _limited(costs: pd.DataFrame) -> pd.DataFrame:
    """Return cycles on the machine without post-scaled products, one column for each d."""
    own = costs[costs["machine"] == LIMITED]
    sizes = list(dict.fromkeys(own["d"]))
    rows = []
    for title in dict.fromkeys(own["learner"]):
        of = own[own["learner"] == title].set_index("d")["cycles"]
        rows.append((title, *(f"{of[d]:,}" for d in sizes)))
    return frame(("learner", *(f"d {d}" for d in sizes)), rows)


def _shown(decisions: pd.DataFrame) -> pd.DataFrame:
    ends = zip(decisions["more_low"], decisions["more_high"], strict=True)
    shown = decisions.assign(interval=[f"{low:+z.2%} to {high:+z.2%}" for low, high in ends])
    return shown[["learner", "by", "d", "follows", "follows_lowest", "regret", "regret_python",
                  "more", "interval"]]  # fmt: skip


def _names(rows: pd.DataFrame, chosen: Any) -> list[str]:
    return [f"{name} at d {d}" for name, d in rows[chosen][["learner", "d"]].to_numpy()]


main = study_command(
    run_once, {name: name for name in DIMENSIONS},
    title="comparing hand-written and generated learners",
)  # fmt: skip
