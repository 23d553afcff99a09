"""``gnomon report``: pages and tables, made again from runs."""

from __future__ import annotations

import typer

from gnomon.cli._report_sweep import sweep
from gnomon.cli._studies import Studies

report_app = typer.Typer(
    name="report", cls=Studies, help="Pages and tables, made again from runs.", no_args_is_help=True
)


@report_app.callback()
def report() -> None:
    """Pages and tables, made again from runs."""


report_app.command()(sweep)
