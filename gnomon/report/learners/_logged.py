"""The experiment ``logged`` as a report: learners on click logs."""

from __future__ import annotations

from statistics import mean, stdev
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt

from gnomon.learn import Criterion
from gnomon.learn.logged import FORMATS
from gnomon.report.canvas import render
from gnomon.report.learners._report import LearnerReport, Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

    from gnomon.learn.logged import LoggedExperiment, LoggedRun, Outcome

_SYNTHETIC = (
    "**SYNTHETIC. No real click is on this page.** No log was given, so logs were drawn with a"
    " seed, written in the formats of the real ones and read back. Rates are far above those of the"
    " real logs. The page shows that readers and estimators work, not how learners do on real"
    " users. For that: `gnomon experiment logged --format FORMAT --data PATH`."
)
_REPLAY = (
    "Replay (Li, Chu, Langford and Wang, 2011): a learner that learns as it goes; a round counts,"
    " and is learned, where it chooses what was shown. Where a log has unequal propensities p, a"
    " round is first kept with probability (least p) / p. 95 % intervals of rates by Wilson's"
    " score. Missed: clicks per 1,000 visits that the best ranking of arms has more, which looks at"
    " no user; its ranks come from the other half of the rounds. Below 0 the learner is ahead."
)
_TAUGHT = (
    "Taught: a learner learns all rounds of the first half, whatever was shown, then chooses in the"
    " second half and learns no more. Its rate by inverse propensities (IPS), and self-normalised"
    " (SNIPS); 95 % intervals by the normal distribution. They can reach below 0 where few rounds"
    " match."
)
_LIMIT = 4.0


def logged_report(experiment: LoggedExperiment) -> LearnerReport:
    """Page, tables and figure."""
    synthetic = any(run.path is None for run in experiment.runs)
    about = [_SYNTHETIC] if synthetic else []
    about += [
        (
            "Learners choose among the arms of each round's pool. A context is a constant 1 and at"
            f" most {experiment.dimensions - 1} features of the user, those that vary most."
            " Learners have the settings of their classes unless a row says otherwise; kernel"
            " learners a bandwidth of 1. With one model for all arms they see features of arms, at"
            " most five principal components."
        )
    ]
    tables = [_logs(experiment), _replays(experiment), _taught(experiment)]
    return LearnerReport(
        name="logged",
        title=f"Learners on logged clicks{' (SYNTHETIC stand-ins)' if synthetic else ''}",
        command=_command(experiment),
        about=tuple(about),
        criteria=tuple(_criteria(experiment)),
        tables=tuple(tables),
        figures={"rates": ("Rates of clicks by replay", render(lambda: _figure(experiment)))},
    )


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


def _criteria(experiment: LoggedExperiment) -> list[Criterion]:
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
    """One more run beside those at the site, in standard deviations of such a difference."""
    if outcome.replay.rate is None:
        return None
    spread = stdev(rates) * (1.0 + 1.0 / len(rates)) ** 0.5
    return (outcome.replay.rate - mean(rates)) / spread if spread else None


def _logs(experiment: LoggedExperiment) -> Table:
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
    return Table(
        name="logs",
        title="Logs",
        columns=(
            "log", "data", "rounds", "clicks", "rate", "rate_low", "rate_high",
            "best_ranking", "best_low", "best_high", "arms", "pool", "least_propensity",
            "context", "arm_features", "skipped_lines", "first_skipped",
        ),
        rows=tuple(rows),
        about="Rate: what the site itself earned. Context: values of a context, of so many features"
        " in the log; arm features: with their constant 1.",
    )  # fmt: skip


def _replays(experiment: LoggedExperiment) -> Table:
    return Table(
        name="replay",
        title="While learning: replay",
        columns=(
            "log", "learner", "rounds", "clicks", "rate", "rate_low", "rate_high",
            "missed_per_1000", "missed_low", "missed_high", "rate_at_site",
        ),
        rows=_rows(experiment, _replay_row),
        about=_REPLAY + _if_known(experiment, " Rate at site: mean of 20 runs at the stand-in's"
                                  " site itself, over as many rounds."),
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


def _taught(experiment: LoggedExperiment) -> Table:
    return Table(
        name="taught",
        title="After learning: inverse propensities",
        columns=(
            "log", "learner", "matched", "ips", "ips_low", "ips_high",
            "snips", "snips_low", "snips_high", "true_rate",
        ),
        rows=_rows(experiment, _taught_row),
        about=_TAUGHT + _if_known(experiment, " True rate: what both estimate, by the known rates"
                                  " of the stand-in."),
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


def _if_known(experiment: LoggedExperiment, text: str) -> str:
    return text if any(run.live for run in experiment.runs) else ""


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
