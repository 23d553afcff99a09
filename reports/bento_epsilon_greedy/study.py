"""``gnomon experiment bento-epsilon-greedy``: regret, number formats, steps on machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.report.study import study_command

from .experiment import SIZES, run_bento
from .formats import run_formats, run_machines
from .page import NAME, bento_report

if TYPE_CHECKING:
    from gnomon.report.study import Keeps, Steps, StudyReport

    from .experiment import Size


def _run(size: Size, progress: Steps, keeps: Keeps) -> StudyReport:
    result = run_bento(size, progress, keeps.learning)
    formats = run_formats(full=size.full, keep=keeps.measuring)
    progress("number formats")
    machines = run_machines(full=size.full, keep=keeps.measuring)
    progress("machines")
    return bento_report(result, formats, machines)


main = study_command(NAME, SIZES, _run)
