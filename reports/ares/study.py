"""``gnomon experiment ares``: Figures 3 to 5 of the paper, and acceptance criteria."""

from __future__ import annotations

from gnomon.report.study import study_command

from .experiment import EXTENTS, run_ares
from .page import ares_report

main = study_command(
    "ares",
    EXTENTS,
    lambda extent, progress, keeps: ares_report(run_ares(extent, progress, keeps.learning)),
)
