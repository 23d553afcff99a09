"""``gnomon experiment``: studies with learners, each a folder that is found."""

from __future__ import annotations

import typer

from gnomon.cli._studies import Studies

experiment_app = typer.Typer(
    name="experiment",
    cls=Studies,
    help="Experiments with learners: page, tables and figures. One that was stopped goes on.",
    no_args_is_help=True,
)


@experiment_app.callback()
def experiment() -> None:
    """Experiments with learners: page, tables and figures. One that was stopped goes on."""
