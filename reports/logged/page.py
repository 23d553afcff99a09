"""Criteria, tables and figure of the page, and what its sentences are chosen by."""

from __future__ import annotations

from pathlib import Path
from statistics import mean, stdev
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt

from gnomon.base.frames import frame, readable
from gnomon.learn import Criterion
from gnomon.learn.logged import FORMATS
from gnomon.report.canvas import render
from gnomon.report.criteria import findings, tally
from gnomon.report.study import study_page, write_study

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import pandas as pd
    from matplotlib.figure import Figure

    from gnomon.learn.logged import Outcome

    from .experiment import LoggedExperiment, LoggedRun

NAME = "logged"
_LIMIT = 4.0


def write_page(experiment: LoggedExperiment, folder: Path) -> tuple[Path, ...]:
    """Page, tables and figure; the same results give the same bytes.

    Raises:
        GnomonError: a file cannot be written.
    """
    criteria = logged_criteria(experiment)
    tables = {"criteria": findings(criteria)} if criteria else {}
    tables |= {
        "logs": _logs(experiment),
        "replay": _replays(experiment),
        "taught": _taught(experiment),
    }
    text = page_text(experiment, tables)
    return write_study(folder, NAME, text, tables, {"rates": render(lambda: _figure(experiment))})


def page_text(experiment: LoggedExperiment, tables: Mapping[str, pd.DataFrame]) -> str:
    """The page in Markdown."""
    criteria = logged_criteria(experiment)
    return study_page(
        Path(__file__).parent,
        synthetic=any(run.path is None for run in experiment.runs),
        known=any(run.live for run in experiment.runs),
        command=_command(experiment),
        features=experiment.dimensions - 1,
        criteria=criteria,
        tally=tally(criteria),
        far=[each.name for each in criteria if not each.met],
        ahead=[_ahead(run) for run in experiment.runs],
        tables={name: readable(table) for name, table in tables.items()},
    )


def _ahead(run: LoggedRun) -> tuple[str, list[str]]:
    """Learners that are ahead of the best ranking, whole intervals of them."""
    ahead = []
    for outcome in run.evaluation.outcomes:
        regret = run.evaluation.regret(outcome)
        if regret is not None and regret[1][1] < 0:
            ahead.append(outcome.learner)
    return run.log_format, ahead


def _command(experiment: LoggedExperiment) -> str:
    words = ["gnomon experiment logged"]
    real = [run for run in experiment.runs if run.path is not None]
    words += [f"--format {run.log_format} --data {run.path}" for run in real]
    if not real:
        words.append(f"--size {experiment.size}")
        if len(experiment.runs) < len(FORMATS):
            words += [f"--format {run.log_format}" for run in experiment.runs]
    if experiment.learners:
        words += [f"--learner {learner}" for learner in experiment.learners]
    if experiment.rounds is not None:
        words.append(f"--rounds {experiment.rounds}")
    words.append(f"--dimensions {experiment.dimensions} --seed {experiment.seed}")
    return " ".join(words)


def logged_criteria(experiment: LoggedExperiment) -> list[Criterion]:
    """Of stand-ins: estimates against what is known."""
    found = []
    for run in experiment.runs:
        outcomes = run.evaluation.outcomes
        if run.live is None:
            continue
        taught = [_errors_of_taught(each) for each in outcomes]
        pairs = zip(outcomes, run.live, strict=True)
        replays = [_errors_of_replay(each, rates) for each, rates in pairs]
        for name, what, errors in (
            ("replay", "replayed rates less those of 20 runs at the site itself", replays),
            ("IPS", "IPS rates less the true ones", taught),
        ):
            known = [each for each in errors if each is not None]
            if known:
                found.append(
                    Criterion.of_all(
                        f"{name} {run.log_format}",
                        f"{what}, in standard errors, each of {len(known)} learners",
                        known,
                        least=-_LIMIT,
                        most=_LIMIT,
                        form=".2f",
                    )
                )
    return found


def _errors_of_taught(outcome: Outcome) -> float | None:
    error = outcome.taught.standard_error
    if not error or outcome.true_rate is None:
        return None
    return (outcome.taught.value - outcome.true_rate) / error


def _errors_of_replay(outcome: Outcome, rates: tuple[float, ...]) -> float | None:
    """One more run than those at the site, in standard deviations of such a difference."""
    if outcome.replay.rate is None:
        return None
    spread = stdev(rates) * (1.0 + 1.0 / len(rates)) ** 0.5
    return (outcome.replay.rate - mean(rates)) / spread if spread else None


def _logs(experiment: LoggedExperiment) -> pd.DataFrame:
    rows = []
    for run in experiment.runs:
        of, best = run.survey, run.evaluation.best_ranking
        rows.append(
            (
                run.log_format,
                "synthetic stand-in" if run.path is None else str(run.path),
                str(of.rounds),
                str(of.clicks),
                *_rate(run.evaluation.logged.rate, run.evaluation.logged.interval),
                *_rate(best.value, best.interval),
                str(len(of.arms)),
                f"{of.pool_sizes[0]} to {of.pool_sizes[1]}",
                f"{of.least_propensity:.3g}",
                f"{len(of.user_features) + 1} of {of.all_user_features}",
                "0" if of.arm_features is None else str(of.arm_features.shape[1]),
                str(run.skipped.lines),
                run.skipped.first,
            )
        )
    return frame(
        (
            "log", "data", "rounds", "clicks", "rate", "rate_low", "rate_high",
            "best_ranking", "best_low", "best_high", "arms", "pool", "least_propensity",
            "context", "arm_features", "skipped_lines", "first_skipped",
        ),
        rows,
    )  # fmt: skip


def _replays(experiment: LoggedExperiment) -> pd.DataFrame:
    return frame(
        (
            "log", "learner", "rounds", "clicks", "rate", "rate_low", "rate_high",
            "missed_per_1000", "missed_low", "missed_high", "rate_at_site",
        ),
        _rows(experiment, _replay_row),
    )  # fmt: skip


def _replay_row(run: LoggedRun, at: int) -> tuple[str, ...]:
    outcome = run.evaluation.outcomes[at]
    regret = run.evaluation.regret(outcome)
    missed = [""] * 3
    if regret is not None:
        missed = [f"{1000.0 * value:.1f}" for value in (regret[0], *regret[1])]
    return (
        str(outcome.replay.rounds),
        str(outcome.replay.clicks),
        *_rate(outcome.replay.rate, outcome.replay.interval),
        *missed,
        f"{mean(run.live[at]):.4f}" if run.live else "",
    )


def _taught(experiment: LoggedExperiment) -> pd.DataFrame:
    return frame(
        (
            "log", "learner", "matched", "ips", "ips_low", "ips_high",
            "snips", "snips_low", "snips_high", "true_rate",
        ),
        _rows(experiment, _taught_row),
    )  # fmt: skip


def _taught_row(run: LoggedRun, at: int) -> tuple[str, ...]:
    outcome = run.evaluation.outcomes[at]
    normalised = outcome.taught_normalised
    return (
        str(outcome.taught.matched),
        *_rate(outcome.taught.value, outcome.taught.interval),
        *(_rate(normalised.value, normalised.interval) if normalised else ("", "", "")),
        f"{outcome.true_rate:.4f}" if outcome.true_rate is not None else "",
    )


def _rows(
    experiment: LoggedExperiment, cells: Callable[[LoggedRun, int], tuple[str, ...]]
) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (run.log_format, outcome.learner, *cells(run, at))
        for run in experiment.runs
        for at, outcome in enumerate(run.evaluation.outcomes)
    )


def _rate(value: float | None, interval: tuple[float, float] | None) -> tuple[str, str, str]:
    low, high = interval or (None, None)
    first, second, third = ("" if each is None else f"{each:.4f}" for each in (value, low, high))
    return first, second, third


def _figure(experiment: LoggedExperiment) -> Figure:
    """One panel for each log: rates with intervals, between what the site and a ranking earn."""
    longest = max(len(run.evaluation.outcomes) for run in experiment.runs)
    figure, grid = plt.subplots(
        1,
        len(experiment.runs),
        figsize=(1.2 + 4.2 * len(experiment.runs), 1.6 + 0.28 * longest),
        layout="constrained",
        squeeze=False,
    )
    for axes, run in zip(grid[0], experiment.runs, strict=True):
        outcomes = [each for each in run.evaluation.outcomes if each.replay.rate is not None]
        for at, each in enumerate(outcomes):
            assert each.replay.rate is not None
            assert each.replay.interval is not None
            low, high = each.replay.interval
            axes.plot([low, high], [at, at], color="tab:blue", linewidth=1.5)
            axes.plot(each.replay.rate, at, "o", color="tab:blue", markersize=4)
        logged, best = run.evaluation.logged.rate, run.evaluation.best_ranking
        axes.axvline(logged, color="0.5", linestyle="--", label="the site itself")
        axes.axvline(best.value, color="tab:orange", label="best ranking")
        if best.interval:
            axes.axvspan(*best.interval, color="tab:orange", alpha=0.15, linewidth=0)
        axes.set_yticks(range(len(outcomes)), [each.learner for each in outcomes], fontsize=8)
        axes.invert_yaxis()
        axes.set_xlim(left=0.0)
        axes.set_xlabel("clicks a visit, 95 % intervals")
        synthetic = " (SYNTHETIC)" if run.path is None else ""
        axes.set_title(f"{run.log_format}{synthetic}", fontsize=10)
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False, fontsize=8)
    return figure
