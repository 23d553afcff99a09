"""The report of learners on click logs: criteria, tables, figures."""

from __future__ import annotations

from gnomon.report.learners._logged import logged_report
from gnomon.report.learners._report import LearnerReport, Table
from gnomon.report.learners._write import write_learner_report

__all__ = ["LearnerReport", "Table", "logged_report", "write_learner_report"]
