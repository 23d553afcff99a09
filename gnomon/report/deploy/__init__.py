"""A deployment: for a terminal, as a page, the same as Markdown, a table of all runs, figures."""

from typing import TYPE_CHECKING

from gnomon.base.late import late
from gnomon.report.deploy._tables import print_deployment

if TYPE_CHECKING:
    from gnomon.report.deploy._write import write_deployment_report
else:  # it brings matplotlib
    __getattr__ = late(__name__, {"write_deployment_report": "_write"})

__all__ = ["print_deployment", "write_deployment_report"]
