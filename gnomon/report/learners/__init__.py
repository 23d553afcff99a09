"""The reports of the learners' experiments: criteria, tables, figures."""

from __future__ import annotations

from gnomon.report.learners._bento import bento_report
from gnomon.report.learners._formats import bento_formats, kernel_formats
from gnomon.report.learners._kernel import kernel_report
from gnomon.report.learners._logged import logged_report
from gnomon.report.learners._machines import machines_table
from gnomon.report.learners._report import LearnerReport, Table
from gnomon.report.learners._write import write_learner_report

__all__ = [
    "LearnerReport",
    "Table",
    "bento_formats",
    "bento_report",
    "kernel_formats",
    "kernel_report",
    "logged_report",
    "machines_table",
    "write_learner_report",
]
