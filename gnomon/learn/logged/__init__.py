"""Learners on click logs in their own formats: Yahoo! Front Page (R6A, R6B) and Open Bandit."""

from __future__ import annotations

from gnomon.learn.logged._evaluate import Evaluation, Outcome, Share, evaluate
from gnomon.learn.logged._experiment import (
    STAND_IN_ROUNDS,
    LoggedExperiment,
    LoggedRun,
    run_logged,
)
from gnomon.learn.logged._formats import FORMATS, open_log
from gnomon.learn.logged._open_bandit_log import OpenBanditLog
from gnomon.learn.logged._policies import Choice, build, choose_learners, default_learners
from gnomon.learn.logged._stand_in import (
    STAND_INS,
    OpenBanditStandIn,
    StandIn,
    YahooR6aStandIn,
    YahooR6bStandIn,
)
from gnomon.learn.logged._stand_in_files import write_stand_in
from gnomon.learn.logged._survey import Survey, survey
from gnomon.learn.logged._visit import ClickLog, Malformed, Skipped, Visit
from gnomon.learn.logged._yahoo import YahooLog, parse_visit

__all__ = [
    "FORMATS",
    "STAND_INS",
    "STAND_IN_ROUNDS",
    "Choice",
    "ClickLog",
    "Evaluation",
    "LoggedExperiment",
    "LoggedRun",
    "Malformed",
    "OpenBanditLog",
    "OpenBanditStandIn",
    "Outcome",
    "Share",
    "Skipped",
    "StandIn",
    "Survey",
    "Visit",
    "YahooLog",
    "YahooR6aStandIn",
    "YahooR6bStandIn",
    "build",
    "choose_learners",
    "default_learners",
    "evaluate",
    "open_log",
    "parse_visit",
    "run_logged",
    "survey",
    "write_stand_in",
]
