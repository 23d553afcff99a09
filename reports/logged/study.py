"""``gnomon experiment logged``: learners on click logs, by replay and by inverse propensities."""

from __future__ import annotations

from functools import wraps
from typing import Any

from gnomon.base.progress import rounds_progress
from gnomon.report.study import StudyReport, study_command

from .experiment import STAND_IN_ROUNDS, run_logged
from .page import logged_report


@wraps(run_logged)
def _run(**options: Any) -> StudyReport:
    return logged_report(run_logged(**options))


main = study_command(_run, {name: name for name in STAND_IN_ROUNDS}, watched=rounds_progress)
