"""Learners on click logs in their own formats: Yahoo! Front Page (R6A, R6B) and Open Bandit."""

from gnomon.learn.logged._choices import Choice
from gnomon.learn.logged._evaluate import Evaluation, Outcome
from gnomon.learn.logged._formats import FORMATS, open_log
from gnomon.learn.logged._log import Features, Visit
from gnomon.learn.logged._open_bandit_log import ITEMS, POSITIONS
from gnomon.learn.logged._survey import Survey

__all__ = [
    "FORMATS", "ITEMS", "POSITIONS", "Choice", "Evaluation", "Features", "Outcome", "Survey",
    "Visit", "open_log",
]  # fmt: skip
