"""The report of a deployment: a page, the same as Markdown, a table of what was tried, figures."""

from __future__ import annotations

from gnomon.report.deploy._write import write_deployment_report

__all__ = ["write_deployment_report"]
