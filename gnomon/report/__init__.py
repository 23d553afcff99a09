"""Tell: runs and studies as tables, figures and files."""

from __future__ import annotations

from gnomon.report._kernel_text import print_kernel_runs
from gnomon.report._profile_text import print_profile
from gnomon.report._run_text import print_run

__all__ = ["print_kernel_runs", "print_profile", "print_run"]
