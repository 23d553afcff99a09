"""Learners on click logs in their own formats: Yahoo! Front Page (R6A, R6B) and Open Bandit."""

from __future__ import annotations

from gnomon.learn.logged._choices import Choice, build, choose_learners
from gnomon.learn.logged._evaluate import Evaluation, Outcome, Share, evaluate
from gnomon.learn.logged._formats import FORMATS, open_log
from gnomon.learn.logged._log import ClickLog, Features, Malformed, Skipped, Visit
from gnomon.learn.logged._open_bandit_log import ITEMS, POSITIONS, OpenBanditLog
from gnomon.learn.logged._survey import Survey, survey
from gnomon.learn.logged._yahoo import YahooLog, parse_visit

__all__ = [
    "FORMATS",
    "ITEMS",
    "POSITIONS",
    "Choice",
    "ClickLog",
    "Evaluation",
    "Features",
    "Malformed",
    "OpenBanditLog",
    "Outcome",
    "Share",
    "Skipped",
    "Survey",
    "Visit",
    "YahooLog",
    "build",
    "choose_learners",
    "evaluate",
    "open_log",
    "parse_visit",
    "survey",
]
