"""Tables and figure of the page, and what its sentences are chosen by."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import NullFormatter

from gnomon.base.frames import frame, readable
from gnomon.report.canvas import render
from gnomon.report.criteria import findings, tally
from gnomon.report.study import study_page, write_study

from .criteria import Found, kernel_criteria
from .experiment import SIZES, SQUARES
from .formats import MOST_ANCHORS, formats_table, lossless_bits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

    from .experiment import JobResult, KernelExperiment
    from .formats import Format

NAME = "ek-ucb"


def write_page(
    experiment: KernelExperiment, formats: Sequence[Format], machines: pd.DataFrame, folder: Path
) -> tuple[Path, ...]:
    """Page, tables and figure; the same results give the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    tables = {
        "criteria": findings(kernel_criteria(experiment)),
        "runs": _runs(experiment),
        "formats": formats_table(formats),
        "machines": machines,
    }
    text = page_text(experiment, formats, tables)
    return write_study(folder, NAME, text, tables, {"regret": render(lambda: _figure(experiment))})


def page_text(
    experiment: KernelExperiment, formats: Sequence[Format], tables: Mapping[str, pd.DataFrame]
) -> str:
    """The page in Markdown."""
    full, found = experiment.size == "full", Found(experiment)
    compared = []
    for environment in SQUARES:
        exact, ours = (found.of(environment, kind, 10.0, 500)[0] for kind in ("K-UCB", "EK-UCB"))
        compared.append((environment, ours, exact))
    facts = {
        "size": experiment.size,
        "tally": tally(kernel_criteria(experiment)),
        "tables": {name: readable(table) for name, table in tables.items()},
        "full_runs": len(SIZES["full"]),
        "compared": compared,
        "most_anchors": MOST_ANCHORS,
        "seeds": 20 if full else 2,
        "rounds": 1000 if full else 200,
        "lossless": lossless_bits(formats),
    }
    return study_page(Path(__file__).parent, **facts)


def _runs(experiment: KernelExperiment) -> pd.DataFrame:
    """Means over the seeds, cells as text."""
    groups: dict[tuple[str, ...], list[JobResult]] = {}
    for each in experiment.results:
        job = each.job
        lambda_ = f"{job.regularisation:g}"
        key = (job.environment, str(job.rounds), job.kind, lambda_, job.words)
        groups.setdefault(key, []).append(each)
    ordered = sorted(groups.items(), key=lambda item: (item[0][:2], item[1][0].job.regularisation))
    return frame(
        (
            *("environment", "rounds", "learner", "lambda", "settings", "seeds", "regret"),
            *("authors_regret", "anchors", "negative_variances", "seconds"),
        ),
        (
            (
                *key,
                str(len(each)),
                f"{np.mean([one.regret for one in each]):.1f}",
                f"{np.mean([one.authors_regret for one in each]):.0f}",
                " / ".join(str(one.anchors) for one in each),
                str(sum(one.clamped for one in each)),
                f"{np.mean([one.seconds for one in each]):.2f}",
            )
            for key, each in ordered
        ),
    )


def _figure(experiment: KernelExperiment) -> Figure:
    """Regret over rounds, and regret over seconds, of the runs with lambda 10, seed 0."""
    longest = {
        environment: max(
            each.job.rounds for each in experiment.results if each.job.environment == environment
        )
        for environment in ("bump", *SQUARES)
    }
    figure, grid = plt.subplots(2, 3, figsize=(10.0, 6.2), layout="constrained")
    kinds: dict[str, tuple[float, float, float, float]] = {}
    for column, (environment, rounds) in enumerate(longest.items()):
        for each in experiment.results:
            job = each.job
            if (job.environment, job.rounds, job.seed) != (environment, rounds, 0):
                continue
            if job.regularisation != 10.0 and job.kind != "LinUCB":
                continue
            label = f"{job.kind}{', ' if job.words else ''}{job.words}"
            colour = kinds.setdefault(label, plt.get_cmap("tab20")(len(kinds) % 20))
            line = "-" if job.kind.startswith("EK") else "--"
            steps = np.arange(1, len(each.curve) + 1)
            grid[0, column].plot(steps, each.curve, line, color=colour, label=label)
            grid[1, column].plot(each.seconds, each.regret, "o", color=colour)
        grid[0, column].set_title(environment)
        grid[0, column].set_xlabel("rounds")
        grid[1, column].set_xscale("log")
        grid[1, column].xaxis.set_minor_formatter(NullFormatter())
        grid[1, column].set_xlabel("seconds of the processor")
    grid[0, 0].set_ylabel("R")
    grid[1, 0].set_ylabel("R at the end")
    handles: dict[str, Artist] = {}
    for axes in grid[0]:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    figure.legend(
        handles=list(handles.values()),
        labels=list(handles),
        loc="outside lower center",
        ncols=3,
        frameon=False,
        fontsize=8,
    )
    return figure
