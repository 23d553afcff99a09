"""Runs of the experiment: learners on click logs, given by path or synthetic."""

import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd

from gnomon.base.errors import GnomonError, require_known
from gnomon.cli.study import option
from gnomon.learn import Learner
from gnomon.learn.logged import Evaluation, Survey, open_log
from gnomon.learn.settings import whole
from gnomon.report.study import size_of

from .estimators import (
    COVERAGE_LOGS,
    COVERAGE_ROWS,
    LOGS,
    estimator_errors,
    interval_coverage,
)
from .stand_in import STAND_INS, StandIn, write_stand_in

Progress = Callable[[str, int, int | None], None]

STAND_IN_ROUNDS = {"small": 2_000, "full": 6_000}
"""Rounds of a stand-in by size of the experiment."""

DEFAULT = (
    "uniform", "ucb1", "d-ucb", "linucb-disjoint/optimized", "linucb-hybrid/optimized",
    "bento-epsilon-greedy", "fixed-epsilon-greedy", "epoch-greedy", "softucb", "oful", "lin-ts",
    "lin-epsilon-greedy", "ek-ucb/history-free", "ares", "linucb-window",
)  # fmt: skip
"""Learners whose steps do not grow dearer with every round."""

_ONE_MODEL = ("softucb", "oful", "lin-ts", "lin-epsilon-greedy")
"""Those of them with one model for all arms: a large and slow one where arms have no features."""

LIVE_RUNS = 20
"""Runs of each learner at a stand-in's site itself, whose clicks it may all see."""


@dataclass(frozen=True, slots=True)
class LoggedRun:
    """Learners on one log."""

    log_format: str  # of the log
    path: Path | None  # of the log; None for a synthetic stand-in
    survey: Survey  # contents of the log
    skipped_lines: int  # malformed ones
    first_skipped: str  # error of the first of them, with its file and line
    evaluation: Evaluation  # of the learners
    # of a stand-in, click rates of each learner in ``LIVE_RUNS`` runs at the site itself, each over
    # as many rounds as a replay has, (learners, runs); None of a real log
    live: tuple[tuple[float, ...], ...] | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class LoggedExperiment:
    """All runs of one call."""

    size: str  # ``small`` or ``full``; of stand-ins
    # as the user wrote them; without any, ``default_learners`` of each log
    learners: tuple[str, ...]
    rounds: int | None  # requested limit of rounds of a log; None for no limit
    dimensions: int  # most values of a context
    seed: int  # of learners, stand-ins and the sample of rounds
    runs: tuple[LoggedRun, ...]  # one for each log
    # their errors on logs of a known site; None with a real log
    estimators: pd.DataFrame | None = field(repr=False)
    # coverage of the true rate by their intervals; None with a real log
    coverage: pd.DataFrame | None = field(default=None, repr=False)


_DATA = "Click log: its file, or the folder of the file."
_FORMAT = "Format of the log: yahoo-r6a, yahoo-r6b or open-bandit."
_LEARNERS = "Learner: NAME, NAME/VARIANT, NAME:KEY=NUMBER, or all."
_CHEAP = "15 learners whose steps stay cheap"
_ROUNDS = "Number of rounds to read from the start of the log."
_D = "Most values of a context: 1, then the features"
_SEED = "Seed for learners, stand-ins and the sample of rounds."
_SKIP = "Skip malformed lines of the log; the page counts them."
Data = Annotated[Path | None, option("--data PATH", _DATA, shown="synthetic stand-ins")]
Format = Annotated[str | None, option("--format FORMAT", _FORMAT, shown="of stand-ins: all")]
Learners = Annotated[list[str] | None, option("--learner LEARNER", _LEARNERS, shown=_CHEAP)]
Rounds = Annotated[int | None, option("--rounds N", _ROUNDS, shown="all")]
Dimensions = Annotated[int, option("--dimensions D", f"{_D} that vary most.")]
Seed = Annotated[int, option("--seed N", _SEED)]
SkipMalformed = Annotated[bool, option("--skip-malformed", _SKIP)]


def run_logged(
    size: str = "small",
    *,
    data: Data = None,
    log_format: Format = None,
    learners: Learners = None,
    rounds: Rounds = None,
    dimensions: Dimensions = 12,
    seed: Seed = 0,
    skip_malformed: SkipMalformed = False,
    progress: Progress = lambda *_: None,
) -> LoggedExperiment:
    """Evaluate learners on a log; without one, on synthetic stand-ins.

    ``log_format`` is the format of the log; without a log, of the one stand-in to generate. The
    first ``rounds`` of a log are read, with at most ``dimensions`` values of a context (see
    ``Survey.from_log``). ``progress`` gets the current task, the rounds done, and their total
    (None: unavailable).
    """
    whole("seed", seed, least=0)
    stand_in_rounds = size_of(size, STAND_IN_ROUNDS)
    asked = Evaluation.choices(learners or ())
    if data is not None and log_format is None:
        raise GnomonError(f"{data}: which format is it? (allowed: {', '.join(STAND_INS)})")
    formats = (
        tuple(STAND_INS)
        if log_format is None
        else (require_known("format", log_format, STAND_INS),)
    )
    runs = []
    for each in formats:
        with tempfile.TemporaryDirectory() as folder:
            stand_in, path = None, data
            if path is None:
                stand_in = STAND_INS[each](rounds=stand_in_rounds, seed=seed)
                path = write_stand_in(stand_in, Path(folder))
            log = open_log(path, each, skip_malformed=skip_malformed)
            reading = _telling(progress, f"reading {each}")
            of = Survey.from_log(log, rounds=rounds, dimensions=dimensions, progress=reading)
            choices = asked or Evaluation.choices(default_learners(of))
            evaluation = Evaluation.from_log(
                log, of, choices, seed=seed,
                click_rate=None if stand_in is None else stand_in.click_rate,
                progress=_telling(progress, f"evaluating {each}", of.rounds),
            )  # fmt: skip
            playing = _telling(progress, f"playing {each}", LIVE_RUNS)
            live = None
            if stand_in is not None:
                runs_of = ([each.build(of, seed + n) for each in choices] for n in range(LIVE_RUNS))
                live = _live(stand_in, of, runs_of, playing)
            skipped = log.skipped.lines, log.skipped.first
            runs.append(LoggedRun(each, data, of, *skipped, evaluation, live))
    estimators, coverage = None, None
    if data is None:
        logs = size_of(size, LOGS)
        telling = _telling(progress, "estimating on logs of a known site", logs)
        estimators = estimator_errors(logs, seed, telling)
        telling = _telling(progress, "intervals on logs of known sites", COVERAGE_ROWS)
        coverage = interval_coverage(size_of(size, COVERAGE_LOGS), seed, telling)
    return LoggedExperiment(
        size, tuple(learners or ()), rounds, dimensions, seed, tuple(runs), estimators, coverage
    )


def default_learners(log: Survey) -> tuple[str, ...]:
    """Return the learners evaluated on a log by default."""
    return tuple(each for each in DEFAULT if log.arm_features is not None or each not in _ONE_MODEL)


def _telling(progress: Progress, what: str, total: int | None = None) -> Callable[[int], None]:
    return lambda done: progress(what, done, total)


def _live(
    stand_in: StandIn, of: Survey, runs: Iterable[Sequence[Learner]],
    told: Callable[[int], None],
) -> tuple[tuple[float, ...], ...]:  # fmt: skip
    """Play at the site, in as many and as spread visits as those of a replay."""
    rates = []
    for number, learners in enumerate(runs):
        clicks, played = np.zeros(len(learners)), 0
        rng = np.random.default_rng([stand_in.seed, 3, number])
        for visit in islice(stand_in.visits(number + 1), of.rounds):
            if rng.random() >= of.least_propensity:
                continue
            played += 1
            context, pool, chance = of.context(visit), of.pool(visit), rng.random()
            for index, learner in enumerate(learners):
                arm = learner.select(context, pool)
                click = float(chance < stand_in.click_rate(visit.user, of.arms[arm]))
                learner.update(context, arm, click)
                clicks[index] += click
        rates.append(clicks / max(played, 1))
        told(number + 1)
    return tuple(tuple(float(rate) for rate in of_one) for of_one in np.transpose(rates))
