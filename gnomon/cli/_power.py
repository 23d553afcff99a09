"""``gnomon power``: switching activity and power tables. One file per command."""

import typer

from gnomon.cli._power_activity import activity
from gnomon.cli._power_fit import fit

power_app = typer.Typer(
    name="power",
    help="Count switching activity and fit power tables to it.",
    no_args_is_help=True,
)
power_app.command("activity")(activity)
power_app.command("fit")(fit)
