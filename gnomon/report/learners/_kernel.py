"""The experiment ``ek-ucb`` as a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import NullFormatter

from gnomon.learn.kernel_ucb import KERNEL_SIZES, kernel_criteria
from gnomon.report.canvas import render
from gnomon.report.learners._report import LearnerReport, Table

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

    from gnomon.learn.kernel_ucb import JobResult, KernelExperiment

_ABOUT = (
    (
        "Zenati, Bietti, Diemert, Mairal, Martin and Gaillard, *Efficient Kernel UCB for Contextual"
        " Bandits* (AISTATS 2022). Published are curves, without a number of regret or time in the"
        " text: K-UCB has the least regret, EK-UCB nearly the same in far less time, CBBKB is"
        " slower, SupK-UCB poor. The environments, the kernel exp(-50 |s - s'|^2) and the radius"
        " 0.1 are those of the authors' public code; the limits of the criteria are ours."
    ),
    (
        "Two points differ from that code on purpose: the leverage score is the published one"
        " (their code has it inverted), and a state nearer than 10^-4 to the span of the dictionary"
        " is never added (without that its kernel matrix becomes singular). The budget is lambda,"
        " as the paper's text says, unless a row says otherwise."
    ),
    (
        "R is the regret against the best action of each context. The authors' code counts against"
        " the best value of the whole environment, which no policy reaches: the column"
        " authors' regret. Seconds are those of the processor, NumPy, one thread, so that other"
        " programs on the computer do not count."
    ),
)
_ONLY_SMALL = (
    "These are the runs of the small size. CBKB, CBBKB and SupK-UCB, the order of regrets over"
    " lambda and mu, and how time grows (criteria F1 to F6) need the full one:"
    f" {len(KERNEL_SIZES['full'].jobs)} runs of up to 2,000 rounds."
)


def kernel_report(experiment: KernelExperiment, *more: Table) -> LearnerReport:
    """Page, tables and figures; further tables come last."""
    name, size = "ek-ucb", experiment.size.name
    about = _ABOUT if size == "full" else (*_ABOUT, _ONLY_SMALL)
    return LearnerReport(
        name=name,
        title="Efficient kernel UCB",
        command=f"gnomon experiment {name} --size {size}",
        about=about,
        criteria=kernel_criteria(experiment),
        tables=(_runs(experiment), *more),
        figures={"regret": ("Regret and time", render(lambda: _figure(experiment)))},
    )


def _groups(experiment: KernelExperiment) -> dict[tuple[str, ...], list[JobResult]]:
    """Results of equal runs but for the seed, in order."""
    groups: dict[tuple[str, ...], list[JobResult]] = {}
    for each in experiment.results:
        job = each.job
        key = (
            job.environment,
            str(job.rounds),
            job.kind,
            f"{job.regularisation:g}",
            job.words,
        )
        groups.setdefault(key, []).append(each)
    return groups


def _runs(experiment: KernelExperiment) -> Table:
    rows = []
    ordered = sorted(_groups(experiment).items(), key=lambda item: (item[0][:2], _lambda(item)))
    for key, each in ordered:
        rows.append(
            (
                *key,
                str(len(each)),
                f"{np.mean([one.regret for one in each]):.1f}",
                f"{np.mean([one.authors_regret for one in each]):.0f}",
                " / ".join(str(one.anchors) for one in each),
                str(sum(one.clamped for one in each)),
                f"{np.mean([one.seconds for one in each]):.2f}",
            )
        )
    return Table(
        name="runs",
        title="All runs",
        columns=(
            "environment",
            "rounds",
            "learner",
            "lambda",
            "settings",
            "seeds",
            "regret",
            "authors_regret",
            "anchors",
            "negative_variances",
            "seconds",
        ),
        rows=tuple(rows),
        about="Means over the seeds; anchors of each seed; for K-UCB these are all"
        " states. Negative variances, of all seeds, are taken as 0.",
    )


def _lambda(item: tuple[tuple[str, ...], list[JobResult]]) -> float:
    return item[1][0].job.regularisation


def _figure(experiment: KernelExperiment) -> Figure:
    """Regret over rounds, and regret over seconds, of the runs with lambda 10, seed 0."""
    longest = {
        environment: max(
            each.job.rounds for each in experiment.results if each.job.environment == environment
        )
        for environment in ("bump", "chessboard", "step-diagonal")
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
