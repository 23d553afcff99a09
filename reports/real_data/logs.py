"""An Open Bandit log of the user: learners by replay and by inverse propensities."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from gnomon.base.frames import frame
from gnomon.base.interval import Interval
from gnomon.content.reports.logged.experiment import default_learners
from gnomon.learn.logged import Evaluation, Survey, open_log

_DIMENSIONS = 12


@dataclass(frozen=True, slots=True)
class LogRun:
    """Learners on one log."""

    path: Path
    survey: Survey
    skipped_lines: int
    first_skipped: str
    evaluation: Evaluation


def evaluate_log(path: Path, *, rounds: int | None, skip_malformed: bool) -> LogRun:
    """Evaluate the learners of ``gnomon experiment logged`` on an Open Bandit log.

    Raises:
        GnomonError: if the log cannot be read.
    """
    log = open_log(path, "open-bandit", skip_malformed=skip_malformed)
    survey = Survey.from_log(log, rounds=rounds, dimensions=_DIMENSIONS)
    choices = Evaluation.choices(default_learners(survey))
    evaluation = Evaluation.from_log(log, survey, choices)
    return LogRun(path, survey, log.skipped.lines, log.skipped.first, evaluation)


def log_table(logs: Sequence[LogRun]) -> pd.DataFrame:
    """Return a row per learner: click rate by replay and by inverse propensities."""
    columns = ("log", "learner", "matched", "replay", "replay_low", "replay_high", "ips",
               "ips_low", "ips_high")  # fmt: skip
    return frame(columns, _rows(logs))


def _rows(logs: Sequence[LogRun]) -> Iterator[tuple[Any, ...]]:
    for run in logs:
        for each in run.evaluation.outcomes:
            yield (str(run.path), each.learner, each.replay.rounds, *_ends(each.replay.rate),
                   f"{each.taught.value:.4f}", *_ends(each.taught.interval)[1:])  # fmt: skip


def _ends(interval: Interval | None) -> tuple[str, str, str]:
    if interval is None:
        return "", "", ""
    value, low, high = (f"{each:.4f}" for each in (interval.value, interval.low, interval.high))
    return value, low, high
