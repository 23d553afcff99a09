"""Learners on click logs in their own formats: Yahoo! Front Page (R6A, R6B) and Open Bandit."""

from gnomon.learn.logged._evaluate import Evaluation
from gnomon.learn.logged._formats import open_log
from gnomon.learn.logged._log import Visit
from gnomon.learn.logged._survey import Survey

__all__ = ["Evaluation", "Survey", "Visit", "open_log"]
