"""``gnomon experiment logged``: learners on click logs, by replay and by inverse propensities."""

from collections.abc import Iterator
from functools import wraps
from pathlib import Path
from statistics import mean
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from gnomon.base.frames import readable
from gnomon.base.interval import Interval
from gnomon.base.progress import rounds_progress
from gnomon.cli.study import study_command
from gnomon.report.canvas import legend, panels
from gnomon.report.criteria import Criterion, criteria_json, findings, tally
from gnomon.report.study import StudyReport

from .estimators import ARMS, ESTIMATORS, MOST_WEIGHT, ROUNDS
from .experiment import STAND_IN_ROUNDS, LoggedExperiment, LoggedRun, run_logged
from .stand_in import STAND_INS

NAME = "logged"
_LIMIT = 4.0


def logged_report(experiment: LoggedExperiment) -> StudyReport:
    criteria = list(_criteria(experiment))
    tables = {"criteria": findings(criteria)} if criteria else {}
    tables |= {
        "logs": pd.DataFrame(_log(run) for run in experiment.runs),
        "replay": pd.DataFrame(_replays(experiment)),
        "taught": pd.DataFrame(_taught(experiment)),
    }
    if experiment.estimators is not None:
        tables["estimators"] = experiment.estimators
    if experiment.coverage is not None:
        tables["coverage"] = experiment.coverage
    facts = {
        "synthetic": any(run.path is None for run in experiment.runs),
        "known": any(run.live for run in experiment.runs),
        "command": _command(experiment),
        "features": experiment.dimensions - 1,
        "criteria": criteria,
        "tally": tally(criteria),
        "far": [each.name for each in criteria if not each.met],
        "ahead": [_ahead(run) for run in experiment.runs],
        "explores": sorted(
            {
                of.learner
                for run in experiment.runs
                for of in run.evaluation.outcomes
                if not of.exploits
            }
        ),
        "uniform": [each for run in experiment.runs if (each := _against_uniform(run)) is not None],
        "estimators": _ranked(experiment.estimators),
        "coverage": _covered(experiment.coverage),
        "error_of_share": _error_of_share(experiment.coverage),
        "tables": {name: readable(table) for name, table in tables.items()},
    }
    answer = {"criteria": criteria_json(criteria)}
    return StudyReport(
        Path(__file__).parent, NAME, facts, tables, {"rates": _figure}, answer, f"{NAME}-",
        experiment,
    )  # fmt: skip


def _ahead(run: LoggedRun) -> tuple[str, list[str]]:
    """Return the learners whose whole intervals are above those of the best ranking."""
    regrets = ((each, run.evaluation.regret(each)) for each in run.evaluation.outcomes)
    return run.log_format, [of.learner for of, regret in regrets if regret and regret.high < 0]


def _against_uniform(run: LoggedRun) -> tuple[str, str, str, str] | None:
    """Return true rates and estimates of a frozen LinUCB and of any arm, if both are there."""
    of = {each.learner: each for each in run.evaluation.outcomes}
    lin, any_arm = of.get("linucb-disjoint/optimized"), of.get("uniform")
    if lin is None or any_arm is None or lin.true_rate is None or any_arm.true_rate is None:
        return None
    order = {True: "above", False: "below"}
    truth = order[lin.true_rate > any_arm.true_rate]
    estimate = order[lin.taught.value > any_arm.taught.value]
    rates = f"{lin.true_rate:.4f} against {any_arm.true_rate:.4f}"
    return run.log_format, rates, truth, estimate


def _ranked(table: pd.DataFrame | None) -> dict[str, object] | None:
    """Return the estimator nearest to the truth, the biased ones, those of low coverage.

    Biased: the mean error exceeds three of its standard errors. Low coverage: three standard
    errors of a share below 95 %.
    """
    if table is None:
        return None
    numbers = table.set_index("estimator").astype(float)
    least = 95.0 - 3.0 * (95.0 * 5.0 / numbers["logs"]) ** 0.5
    biased = numbers["mean_error"].abs() > 3.0 * numbers["of_mean_error"]
    return {
        "logs": int(numbers["logs"].iloc[0]),
        "rounds": ROUNDS,
        "arms": ARMS,
        "most_weight": MOST_WEIGHT,
        "nearest": numbers["rms_error"].idxmin(),
        "biased": list(numbers.index[biased]),
        "rare": list(numbers.index[numbers["interval_holds_percent"] < least]),
    }


def _covered(table: pd.DataFrame | None) -> list[tuple[str, list[tuple[str, float, float]]]] | None:
    """Return least and mean coverage of each logging policy by estimator, in percent."""
    if table is None:
        return None
    numbers = table.assign(**{name: pd.to_numeric(table[name]) for name in ESTIMATORS})
    return [
        (
            str(logged_by),
            [(name, rows[name].min(), rows[name].mean()) for name in ESTIMATORS],
        )
        for logged_by, rows in numbers.groupby("logged_by", sort=False)
    ]


def _error_of_share(table: pd.DataFrame | None) -> float:
    """Return the standard error of a share of 95 % over the logs of a row, in points."""
    return 0.0 if table is None else float((95.0 * 5.0 / int(table["logs"].iloc[0])) ** 0.5)


def _command(experiment: LoggedExperiment) -> str:
    words = ["gnomon experiment logged"]
    real = [run for run in experiment.runs if run.path is not None]
    words += [f"--format {run.log_format} --data {run.path}" for run in real]
    if not real:
        words.append(f"--size {experiment.size}")
        if len(experiment.runs) < len(STAND_INS):
            words += [f"--format {run.log_format}" for run in experiment.runs]
    if experiment.learners:
        words += [f"--learner {learner}" for learner in experiment.learners]
    if experiment.rounds is not None:
        words.append(f"--rounds {experiment.rounds}")
    words.append(f"--dimensions {experiment.dimensions} --seed {experiment.seed}")
    return " ".join(words)


def _criteria(experiment: LoggedExperiment) -> Iterator[Criterion]:
    """Check estimates on stand-ins against the known values."""
    for run in experiment.runs:
        outcomes = run.evaluation.outcomes
        if run.live is None:
            continue
        taught = [each.taught_errors for each in outcomes]
        pairs = zip(outcomes, run.live, strict=True)
        replays = [each.replay_errors(rates) for each, rates in pairs]
        for name, what, errors in (
            ("replay", "replayed rates less those of 20 runs at the site itself", replays),
            ("IPS", "IPS rates less the true ones", taught),
        ):
            known = [each for each in errors if each is not None]
            if known:
                words = f"{what}, in standard errors, each of {len(known)} learners"
                yield Criterion.from_values(
                    f"{name} {run.log_format}", words, known, least=-_LIMIT, most=_LIMIT, form=".2f"
                )


def _log(run: LoggedRun) -> dict[str, str]:
    of, logged, best = run.survey, run.evaluation.logged, run.evaluation.best_ranking
    return {
        "log": run.log_format,
        "data": "synthetic stand-in" if run.path is None else str(run.path),
        "rounds": str(of.rounds),
        "clicks": str(of.clicks),
        **_ends("rate", logged.rate),
        **_ends("best", best.interval, "best_ranking", best.value),
        "arms": str(len(of.arms)),
        "pool": f"{of.pool_sizes[0]} to {of.pool_sizes[1]}",
        "least_propensity": f"{of.least_propensity:.3g}",
        "context": f"{len(of.user_features) + 1} of {of.all_user_features}",
        "arm_features": "0" if of.arm_features is None else str(of.arm_features.shape[1]),
        "skipped_lines": str(run.skipped_lines),
        "first_skipped": run.first_skipped,
    }


def _replays(experiment: LoggedExperiment) -> Iterator[dict[str, str]]:
    for run in experiment.runs:
        for at, outcome in enumerate(run.evaluation.outcomes):
            regret = run.evaluation.regret(outcome)
            missed = regret and regret.scaled(1000.0, "")
            yield {
                "log": run.log_format,
                "learner": outcome.learner,
                "rounds": str(outcome.replay.rounds),
                "clicks": str(outcome.replay.clicks),
                **_ends("rate", outcome.replay.rate),
                **_ends("missed", missed, "missed_per_1000", form=".1f"),
                "rate_at_site": f"{mean(run.live[at]):.4f}" if run.live else "",
            }


def _taught(experiment: LoggedExperiment) -> Iterator[dict[str, str]]:
    for run in experiment.runs:
        for outcome in run.evaluation.outcomes:
            taught, normalised = outcome.taught, outcome.taught_normalised
            yield {
                "log": run.log_format,
                "learner": outcome.learner,
                "matched": str(taught.matched),
                **_ends("ips", taught.interval, value=taught.value),
                **(_ends("snips", normalised.interval, value=normalised.value)
                   if normalised else _ends("snips", None)),
                "true_rate": "" if outcome.true_rate is None else f"{outcome.true_rate:.4f}",
            }  # fmt: skip


def _ends(
    name: str, interval: Interval | None, of_value: str = "", value: float | None = None,
    form: str = ".4f",
) -> dict[str, str]:  # fmt: skip
    """Return the cells of a value and its ends; the value may be known without them."""
    ends = (interval.value, interval.low, interval.high) if interval else (value, None, None)
    names = (of_value or name, f"{name}_low", f"{name}_high")
    return {
        column: "" if each is None else format(each, form)
        for column, each in zip(names, ends, strict=True)
    }


def _figure(experiment: LoggedExperiment) -> Figure:
    """Draw one panel per log: rates with intervals, between the site and a ranking."""
    longest = max(len(run.evaluation.outcomes) for run in experiment.runs)
    count = len(experiment.runs)
    figure, grid = panels(1, count, size=(1.2 + 4.2 * count, 1.6 + 0.28 * longest))
    for axes, run in zip(grid[0], experiment.runs, strict=True):
        outcomes = [each for each in run.evaluation.outcomes if each.replay.rate is not None]
        for at, each in enumerate(outcomes):
            rate = each.replay.rate
            assert rate is not None
            axes.plot([rate.low, rate.high], [at, at], color="tab:blue", linewidth=1.5)
            axes.plot(rate.value, at, "o", color="tab:blue", markersize=4)
        best = run.evaluation.best_ranking
        axes.axvline(run.survey.click_rate, color="0.5", linestyle="--", label="the site itself")
        axes.axvline(best.value, color="tab:orange", label="best ranking")
        if best.interval:
            low, high = best.interval.low, best.interval.high
            axes.axvspan(low, high, color="tab:orange", alpha=0.15, linewidth=0)
        axes.set_yticks(range(len(outcomes)), [each.learner for each in outcomes], fontsize=8)
        axes.invert_yaxis()
        axes.set_xlim(left=0.0)
        axes.set_xlabel("clicks a visit, 95 % intervals")
        axes.set_title(run.log_format + " (SYNTHETIC)" * (run.path is None), fontsize=10)
    legend(figure, grid[0][0], 2, "outside lower center", fontsize=8)
    return figure


@wraps(run_logged)
def _run(**options: Any) -> StudyReport:
    return logged_report(run_logged(**options))


main = study_command(_run, {name: name for name in STAND_IN_ROUNDS}, watched=rounds_progress)
