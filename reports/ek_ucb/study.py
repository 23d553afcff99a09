"""``gnomon experiment ek-ucb``: regret and time, exactness, number formats, steps on machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.report.study import study_command

from .experiment import SIZES, run_kernel
from .formats import run_formats, run_machines
from .page import NAME, kernel_report

if TYPE_CHECKING:
    from gnomon.report.study import Keeps, Steps, StudyReport


def _run(size: str, progress: Steps, keeps: Keeps) -> StudyReport:
    result = run_kernel(size, progress, keeps.learning)
    formats = run_formats(full=size == "full", keep=keeps.measuring)
    progress("number formats")
    machines = run_machines(full=size == "full", keep=keeps.measuring)
    progress("machines")
    return kernel_report(result, formats, machines)


main = study_command(NAME, {name: name for name in SIZES}, _run)
