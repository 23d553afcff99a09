"""``gnomon experiment softucb``: Figures 1 and 2, Table 1 of the paper, and acceptance criteria."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from gnomon.base.errors import GnomonError
from gnomon.base.frames import across, frame, worded
from gnomon.report.criteria import criteria_frame, criteria_json, criteria_table, summary
from gnomon.report.study import (
    Fresh,
    Json,
    Out,
    Size,
    StudyReport,
    default_out,
    finish,
    running,
    size_of,
)

from .criteria import OFFLINE, ONLINE, softucb_criteria
from .experiment import SIZES, SoftucbExperiment, published_widths, run_softucb
from .pictures import regret_figure, training_figure, width_figure


def softucb_report(experiment: SoftucbExperiment) -> StudyReport:
    """Everything that is written of the results."""
    comparisons, criteria = experiment.comparisons, softucb_criteria(experiment)
    gains = [each.ratio(OFFLINE, "linucb") for each in comparisons]
    regret = _regret(experiment)
    facts: dict[str, Any] = {
        "size": experiment.size,
        "summary": summary(criteria),
        "criteria": criteria_table(criteria),
        "iterations": comparisons[0].setup.iterations,
        "data": experiment.data,
        "setups": len(comparisons),
        "gains": sum(each < 1.0 for each in gains),
        "gain_least": max(gains),
        "gain_most": min(gains),
        "tuned": sum(
            each.played["linucb-tuned"].mean
            <= min(each.played[OFFLINE].mean, each.played[ONLINE].mean)
            for each in comparisons
        ),
        "regret": _regret_of_policies(regret),
        "divergence": experiment.divergence["beta"],
        "trap": experiment.trap,
        "widths": None,
    }
    forms = {"noise_std": "g", "beta": ".4f", "regret": ".3f", "standard_error": ".3f"}
    tables = {
        "criteria": criteria_frame(criteria),
        "regret": worded(regret, forms),
        "curves": _curves(experiment),
        "training": _training(experiment),
        "sweep": worded(experiment.sweeps, {"noise_std": ".4g", "beta": "g", "regret": ".3f"}),
    }
    if experiment.table_1 is not None:
        widths = _with_published(experiment.table_1)
        tables["widths"] = _widths(widths)
        facts |= {"widths": widths, "noises": _growth(widths)}
    figures = {"regret": regret_figure, "training": training_figure, "width": width_figure}
    return StudyReport(
        Path(__file__).parent,
        "softucb",
        facts,
        tables,
        {name: partial(draw, experiment) for name, draw in figures.items()},
        {"criteria": criteria_json(criteria)},
    )


def _growth(widths: pd.DataFrame) -> list[dict[str, Any]]:
    """By noise: whether the width grows with T at the least d, and with d at the largest T."""
    found = []
    for noise, of_noise in widths.groupby("noise_std"):
        short = of_noise[of_noise["d"] == of_noise["d"].min()].sort_values("rounds")
        long = of_noise[of_noise["rounds"] == of_noise["rounds"].max()].sort_values("d")
        found.append(
            {
                "noise": f"{noise:.3g}",
                "with_rounds": short["beta"].is_monotonic_increasing,
                "with_size": long["beta"].is_monotonic_increasing,
            }
        )
    return found


def _regret(experiment: SoftucbExperiment) -> pd.DataFrame:
    """R(T) of every policy in every setup."""
    rows = [
        (c.setup.name, name, *c.setup.arm_sets.features.shape[1:], c.setup.rounds,
         len(each.final), c.setup.arm_sets.noise_std, each.beta, each.mean, each.standard_error)
        for c in experiment.comparisons
        for name, each in c.played.items()
    ]  # fmt: skip
    return frame(
        ("setup", "policy", "arms", "d", "rounds", "environments", "noise_std", "beta", "regret",
         "standard_error"),
        rows,
    )  # fmt: skip


def _regret_of_policies(regret: pd.DataFrame) -> pd.DataFrame:
    """A column of regrets, their errors and widths, for each setup."""
    texts = worded(regret, {"regret": ".1f", "standard_error": ".1f", "beta": ".2f"})
    widths = [f", β {beta}" if beta else "" for beta in texts["beta"]]
    texts["shown"] = texts["regret"] + " (" + texts["standard_error"] + ")" + widths
    return across(texts, "policy", "setup", "shown")


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


def _with_published(table_1: pd.DataFrame) -> pd.DataFrame:
    """Table 1 of ours with the widths that the paper prints, at any noise."""
    published = published_widths().rename(columns="{}_published".format)
    return table_1.merge(published, left_on=["d", "rounds"], right_index=True, sort=False)


def _widths(widths: pd.DataFrame) -> pd.DataFrame:
    """``widths.csv``."""
    names = {
        "beta": "beta_trained_ours", "theory": "beta_theory_ours", "linucb": "regret_linucb",
    }  # fmt: skip
    forms = {"noise_std": ".4g", "beta": ".4f", "beta_std": ".4f", "theory": ".4f",
             "regret": ".3f", "linucb": ".3f"}  # fmt: skip
    columns = ["d", "rounds", "noise_std", "beta_trained_published", "beta_trained_ours",
               "beta_std", "beta_theory_published", "beta_theory_ours", "regret",
               "regret_linucb"]  # fmt: skip
    return worded(widths, forms).rename(columns=names)[columns]


MovieLens = Annotated[
    Path | None,
    typer.Option(
        "--movielens",
        metavar="FILE",
        help="Ratings for softucb: ratings.dat, u.data or ratings.csv.",
        show_default="a synthetic stand-in",
    ),
]
Jester = Annotated[
    Path | None,
    typer.Option(
        "--jester",
        metavar="FILE",
        help="Ratings of jokes for softucb, .npy or .csv.",
        show_default="a synthetic stand-in",
    ),
]


def main(
    *,
    size: Size = "small",
    out: Out = None,
    movielens: MovieLens = None,
    jester: Jester = None,
    fresh: Fresh = False,
    as_json: Json = False,
) -> None:
    """Run and write."""
    for option, path in (("--movielens", movielens), ("--jester", jester)):
        if path is not None and size != "full":
            raise GnomonError(f"{option} is for the experiment softucb in the size full")
    size = size_of(size, SIZES)
    with running(fresh=fresh) as (progress, keeps):
        result = run_softucb(size, progress, keeps.learning, movielens=movielens, jester=jester)
    report = softucb_report(result)
    finish(report.answer, report.write(out or default_out("softucb")), as_json=as_json)
