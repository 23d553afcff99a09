"""Tell: runs and studies as tables, figures and files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gnomon.base.late import late

if TYPE_CHECKING:
    from gnomon.report._area_text import print_area
    from gnomon.report._budget_text import print_budget
    from gnomon.report._diff_text import print_diff
    from gnomon.report._energy_text import print_energy, print_quotes
    from gnomon.report._explain_text import print_chains
    from gnomon.report._fit_text import print_fit
    from gnomon.report._kernel_text import print_kernel_runs
    from gnomon.report._learner_text import print_learner_runs
    from gnomon.report._platform_text import print_platform, print_platform_runs
    from gnomon.report._profile_text import print_profile
    from gnomon.report._run_text import print_run
    from gnomon.report._sweep_text import print_sweep
    from gnomon.report._why_text import print_why
else:  # each brings what it prints, the last ones matplotlib
    __getattr__ = late(
        __name__,
        {
            "print_area": "_area_text",
            "print_budget": "_budget_text",
            "print_diff": "_diff_text",
            "print_energy": "_energy_text",
            "print_quotes": "_energy_text",
            "print_chains": "_explain_text",
            "print_fit": "_fit_text",
            "print_kernel_runs": "_kernel_text",
            "print_learner_runs": "_learner_text",
            "print_platform": "_platform_text",
            "print_platform_runs": "_platform_text",
            "print_profile": "_profile_text",
            "print_run": "_run_text",
            "print_sweep": "_sweep_text",
            "print_why": "_why_text",
        },
    )

__all__ = [
    "print_area",
    "print_budget",
    "print_chains",
    "print_diff",
    "print_energy",
    "print_fit",
    "print_kernel_runs",
    "print_learner_runs",
    "print_platform",
    "print_platform_runs",
    "print_profile",
    "print_quotes",
    "print_run",
    "print_sweep",
    "print_why",
]
