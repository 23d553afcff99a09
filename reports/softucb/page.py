"""Page, tables and figures of the report."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gnomon.base.files import Content, write_files
from gnomon.base.frames import csv_text, frame
from gnomon.report.canvas import render
from gnomon.report.criteria import criteria_csv, criteria_table, summary
from gnomon.report.study import study_page

from .criteria import OFFLINE, ONLINE
from .experiment import published_widths
from .pictures import regret_figure, training_figure, width_figure

if TYPE_CHECKING:
    import pandas as pd

    from .experiment import SoftucbExperiment
    from .runs import TrainedWidth


def write_softucb(experiment: SoftucbExperiment, folder: Path) -> tuple[Path, ...]:
    """Write page, tables and figures into a folder; the same results give the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    files: dict[str, Content] = {
        "softucb.md": page(experiment),
        "criteria.csv": criteria_csv(experiment.criteria),
        "regret.csv": csv_text(_regret(experiment)),
        "curves.csv": csv_text(_curves(experiment)),
        "training.csv": csv_text(_training(experiment)),
        "sweep.csv": csv_text(_sweep(experiment)),
    }
    if experiment.table_1:
        files["widths.csv"] = csv_text(_widths(experiment))
    for name, draw in {
        "regret": regret_figure,
        "training": training_figure,
        "width": width_figure,
    }.items():
        files[name] = render(partial(draw, experiment))
    return write_files(folder, files)


def page(experiment: SoftucbExperiment) -> str:
    """The page as Markdown, its sentences chosen by the results."""
    comparisons = experiment.comparisons
    soft = [min(each.played[OFFLINE].mean, each.played[ONLINE].mean) for each in comparisons]
    facts: dict[str, Any] = {
        "size": experiment.size,
        "summary": summary(experiment.criteria),
        "criteria": criteria_table(experiment.criteria),
        "iterations": comparisons[0].setup.iterations,
        "data": experiment.data,
        "setups": len(comparisons),
        "gains": sum(each.ratio(OFFLINE, "linucb") < 1.0 for each in comparisons),
        "gain_least": max(each.ratio(OFFLINE, "linucb") for each in comparisons),
        "gain_most": min(each.ratio(OFFLINE, "linucb") for each in comparisons),
        "tuned": sum(
            each.played["linucb-tuned"].mean <= best
            for each, best in zip(comparisons, soft, strict=True)
        ),
        "regret": _regret_of_policies(experiment),
        "divergence": experiment.divergence.beta,
        "trap": experiment.trap,
        "widths": None,
    }
    if experiment.table_1:
        facts |= {"widths": _table_1(experiment), "noises": _growth(experiment.table_1)}
    return study_page(Path(__file__).parent, **facts)


def _growth(rows: tuple[TrainedWidth, ...]) -> list[dict[str, Any]]:
    """By noise: whether the width grows with T at the least d, and with d at the largest T."""
    found = []
    for noise in sorted({row.noise_std for row in rows}):
        some = [row for row in rows if row.noise_std == noise]
        least, most = min(row.dimensions for row in some), max(row.rounds for row in some)
        by_rounds = sorted((row.rounds, row.mean) for row in some if row.dimensions == least)
        by_size = sorted((row.dimensions, row.mean) for row in some if row.rounds == most)
        found.append(
            {
                "noise": f"{noise:.3g}",
                "with_rounds": all(low <= high for (_, low), (_, high) in pairwise(by_rounds)),
                "with_size": all(low <= high for (_, low), (_, high) in pairwise(by_size)),
            }
        )
    return found


def _regret(experiment: SoftucbExperiment) -> pd.DataFrame:
    """R(T) of every policy in every setup."""
    columns = ("setup", "policy", "arms", "d", "rounds", "environments", "noise_std", "beta",
               "regret", "standard_error")  # fmt: skip
    rows = [
        (c.setup.name, name, *c.setup.arm_sets.features.shape[1:], c.setup.rounds,
         len(each.final), f"{c.setup.arm_sets.noise_std:g}",
         "" if each.beta is None else f"{each.beta:.4f}", f"{each.mean:.3f}",
         f"{each.standard_error:.3f}")
        for c in experiment.comparisons
        for name, each in c.played.items()
    ]  # fmt: skip
    return frame(columns, rows)


def _regret_of_policies(experiment: SoftucbExperiment) -> pd.DataFrame:
    comparisons = experiment.comparisons
    rows = [
        (
            name,
            *(
                f"{each.mean:.1f} ({each.standard_error:.1f})"
                + ("" if each.beta is None else f", β {each.beta:.2f}")
                for each in (c.played[name] for c in comparisons)
            ),
        )
        for name in comparisons[0].played
    ]
    return frame(("policy", *(c.setup.name for c in comparisons)), rows)


def _curves(experiment: SoftucbExperiment) -> pd.DataFrame:
    """Regret over rounds, at 17 rounds."""
    rows = [
        (c.setup.name, name, int(c.stops[at]), f"{each.regret[at]:.3f}")
        for c in experiment.comparisons
        for name, each in c.played.items()
        for at in range(0, len(c.stops), 8)
    ]
    return frame(("setup", "policy", "round", "regret"), rows)


def _training(experiment: SoftucbExperiment) -> pd.DataFrame:
    """Trained width and regret over iterations."""
    rows = [
        (c.setup.name, at + 1, f"{c.beta_by_iteration[at + 1]:.4f}", f"{regret:.3f}")
        for c in experiment.comparisons
        for at, regret in enumerate(c.regret_by_iteration)
    ]
    return frame(("setup", "iteration", "beta", "regret"), rows)


def _sweep(experiment: SoftucbExperiment) -> pd.DataFrame:
    """R(T) over a fixed width."""
    rows = [
        (d, rounds, f"{noise:.4g}", f"{width:g}", f"{regret:.3f}")
        for (d, rounds, noise), sweep in experiment.sweeps.items()
        for width, regret in sweep.items()
    ]
    return frame(("d", "rounds", "noise_std", "beta", "regret"), rows)


def _widths(experiment: SoftucbExperiment) -> pd.DataFrame:
    """Table 1, published and ours."""
    trained, theory = published_widths("beta_trained"), published_widths("beta_theory")
    columns = ("d", "rounds", "noise_std", "beta_trained_published", "beta_trained_ours",
               "beta_std", "beta_theory_published", "beta_theory_ours", "regret",
               "regret_linucb")  # fmt: skip
    rows = [
        (row.dimensions, row.rounds, f"{row.noise_std:.4g}", trained[row.dimensions, row.rounds],
         f"{row.mean:.4f}", f"{row.beta.std(ddof=1):.4f}", theory[row.dimensions, row.rounds],
         f"{row.theory:.4f}", f"{row.regret:.3f}", f"{row.linucb:.3f}")
        for row in experiment.table_1
    ]  # fmt: skip
    return frame(columns, rows)


def _table_1(experiment: SoftucbExperiment) -> pd.DataFrame:
    trained, theory = published_widths("beta_trained"), published_widths("beta_theory")
    columns = ("d", "T", "noise", "β trained, published", "ours", "β of (5), published", "ours",
               "R(T)", "R(T) of LinUCB")  # fmt: skip
    rows = [
        (row.dimensions, row.rounds, f"{row.noise_std:.3g}", trained[row.dimensions, row.rounds],
         f"{row.mean:.2f}", theory[row.dimensions, row.rounds], f"{row.theory:.2f}",
         f"{row.regret:.0f}", f"{row.linucb:.0f}")
        for row in experiment.table_1
    ]  # fmt: skip
    return frame(columns, rows)
