"""Tables and figures of the page, and what its sentences are chosen by."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np

from gnomon.base.frames import frame, readable
from gnomon.base.tables import read_yaml_table
from gnomon.report.canvas import COLOURS, render
from gnomon.report.criteria import findings, tally
from gnomon.report.study import study_page, write_study

from .criteria import bento_criteria
from .experiment import BASELINE_ROUNDS
from .formats import BITS, LIMITS, P, formats_table, lossless_bits, within_limits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from .experiment import BentoExperiment, Instance
    from .formats import Format

NAME = "bento-epsilon-greedy"
LINUCB = "disjoint LinUCB, alpha = 1"


def write_page(
    experiment: BentoExperiment, formats: Sequence[Format], machines: pd.DataFrame, folder: Path
) -> tuple[Path, ...]:
    """Page, tables and figures; the same results give the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    tables = {
        "criteria": findings(bento_criteria(experiment)),
        **_tables(experiment),
        "formats": formats_table(formats),
        "machines": machines,
    }
    figures = {
        "regret": render(lambda: _regret(experiment)),
        "baselines": render(lambda: _baselines(experiment)),
    }
    text = page_text(experiment, formats, tables)
    return write_study(folder, NAME, text, tables, figures)


def page_text(
    experiment: BentoExperiment, formats: Sequence[Format], tables: Mapping[str, pd.DataFrame]
) -> str:
    """The page in Markdown."""
    facts: dict[str, Any] = {
        "size": experiment.size,
        "tally": tally(bento_criteria(experiment)),
        "tables": {name: readable(table) for name, table in tables.items()},
        "rounds": BASELINE_ROUNDS,
        **_compared(experiment),
        **swept(experiment),
        **_steps(tables["machines"]),
        "p": P,
        "limits": LIMITS,
        "lossless": lossless_bits(formats),
        "within": within_limits(formats),
        "variants": list(BITS),
        "format_bandits": 30 if experiment.size.full else 3,
        "format_rounds": 20_000 if experiment.size.full else 2_000,
    }
    return study_page(Path(__file__).parent, **facts)


def _compared(experiment: BentoExperiment) -> dict[str, float]:
    """Regret of LinUCB, and the least one of the learner as published."""
    regret = {row.algorithm: row.regret for row in experiment.baselines if row.noise == "normal"}
    ours = min(regret[f"epsilon-greedy, p = {p}"] for p in (30, 100, 300))
    return {"ours": ours, "linucb": regret[LINUCB]}


def swept(experiment: BentoExperiment) -> dict[str, Any]:
    """Which weights of exploration are too small for the horizon, and which have least regret."""
    by_p = _by_p(experiment)
    mean = {p: float(np.mean([row.regret for row in rows])) for p, rows in by_p.items()}
    best = min(mean, key=mean.__getitem__, default=0)
    return {
        "steep": [p for p, rows in by_p.items() if min(row.slope_ratio for row in rows) > 2],
        "straight": [
            p for p, rows in by_p.items() if all(abs(row.slope_ratio - 1) <= 0.1 for row in rows)
        ],
        "best_p": best,
        "mean_regret": mean,
    }


def _steps(machines: pd.DataFrame) -> dict[str, float]:
    """Microseconds of steps on the scalar core, optimized variant."""
    own = machines[(machines["machine"] == "t13") & (machines["variant"] == "optimized")]
    us = dict(zip(own["step"], own["select_us"].astype(float) + own["update_us"].astype(float),
                  strict=True))  # fmt: skip
    return {"explored_us": us["explored"], "exploited_us": us["exploited"],
            "solving_us": us["exploited after explored"]}  # fmt: skip


def _by_p(experiment: BentoExperiment) -> dict[int, list[Instance]]:
    by_p: dict[int, list[Instance]] = {}
    for row in experiment.sweep:
        by_p.setdefault(row.p, []).append(row)
    return by_p


def _tables(experiment: BentoExperiment) -> dict[str, pd.DataFrame]:
    """Cells are text."""
    before = read_yaml_table(Path(__file__).with_name("prototype.yaml")).data
    rows = sorted(experiment.baselines, key=lambda row: (row.noise, row.regret))
    tables = {
        "baselines": frame(
            ("noise", "algorithm", "regret", "standard_error", "before"),
            (
                (row.noise, row.algorithm, f"{row.regret:.1f}", f"{row.error:.1f}",
                 before["baselines"].get(row.noise, {}).get(row.algorithm, ""))
                for row in rows
            ),
        )
    }  # fmt: skip
    if not experiment.size.full:
        return tables
    tables["sweep"] = frame(
        ("p", "regret", "slope_over_p_rho", "before"),
        (
            (str(p), ", ".join(f"{each.regret:.0f}" for each in of_p),
             ", ".join(f"{each.slope_ratio:.2f}" for each in of_p), before["sweep"][str(p)])
            for p, of_p in _by_p(experiment).items()
        ),
    )  # fmt: skip
    tables["skew"] = frame(
        ("inverse_odds", "p", "exploited_over_explored_regret", "bandits_without"),
        (
            (str(row.inverse_odds), str(row.p), f"{row.ratio:.3f}", str(row.without))
            for row in experiment.skewed
        ),
    )
    tables["scaling"] = frame(
        ("d", "arms", "regret", "predicted_exploration", "before"),
        (
            (str(row.dimensions), str(row.arms), f"{row.regret:.0f}", f"{row.predicted:.0f}",
             before["scaling"][f"{row.dimensions}, {row.arms}"])
            for row in experiment.scaling
        ),
    )  # fmt: skip
    return tables


def _points(count: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.unique(np.geomspace(1, count, 300).astype(np.int64))


def _regret(experiment: BentoExperiment) -> Figure:
    wide = bool(experiment.sweep)
    figure, grid = plt.subplots(
        1,
        2 if wide else 1,
        figsize=(8.0 if wide else 5.0, 3.6),
        layout="constrained",
        squeeze=False,
    )
    _instances(grid[0, 0], experiment)
    if wide:
        _sweep(grid[0, 1], experiment)
    return figure


def _instances(axes: Axes, experiment: BentoExperiment) -> None:
    for index, each in enumerate(experiment.instances):
        at = _points(each.rounds)
        scale = each.p * each.uniform_regret
        label = "bandits, mean of their runs" if index == 0 else None
        axes.plot(at, each.curve[at - 1] / scale, color=COLOURS[2], linewidth=0.8, label=label)
    first = experiment.instances[0]
    at = _points(first.rounds)
    predicted = np.where(at < first.p, at / first.p, 1 + np.log(np.maximum(at / first.p, 1)))
    axes.plot(at, predicted, color=COLOURS[0], linestyle="--", label="predicted, exploration alone")
    axes.set_xscale("log")
    axes.set_xlabel("t")
    axes.set_ylabel("R(t) / (p rho)")
    axes.set_title(f"p = {first.p}")
    axes.legend(frameon=False)


def _sweep(axes: Axes, experiment: BentoExperiment) -> None:
    rows = [row for row in experiment.sweep if row.seed == 0]
    colours = plt.get_cmap("viridis")(np.linspace(0, 0.9, len(rows)))
    for row, colour in zip(rows, colours, strict=True):
        at = _points(row.rounds)
        axes.plot(at, row.curve[at - 1], color=colour, label=f"p = {row.p}")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(bottom=10)
    axes.set_xlabel("t")
    axes.set_ylabel("R(t)")
    axes.set_title("one bandit with doubled rewards")
    axes.legend(frameon=False)


def _baselines(experiment: BentoExperiment) -> Figure:
    figure, axes = plt.subplots(figsize=(7.0, 4.2), layout="constrained")
    rows = [row for row in experiment.baselines if row.noise == "normal"]
    rows.sort(key=lambda row: row.regret)
    colours = plt.get_cmap("turbo")(np.linspace(0.05, 0.95, len(rows)))
    for row, colour in zip(rows, colours, strict=True):
        at = _points(len(row.curve))
        line = "-" if row.algorithm.startswith("epsilon") else "--"
        axes.plot(at, row.curve[at - 1], line, color=colour, label=row.algorithm)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(left=10)
    axes.set_ylim(bottom=3)
    axes.set_xlabel("t")
    axes.set_ylabel("R(t), mean of 10 runs")
    axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
    return figure
