"""``gnomon platform``: cost-model cores."""

from functools import partial

import typer

from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import Overrides, argument

platform_app = typer.Typer(
    name="platform",
    help="List cost-model cores and show their costs.",
    no_args_is_help=True,
)


@platform_app.command("list")
@with_json_output()
def list_() -> CommandOutput:
    """List the shipped cost-model cores, which `gnomon learner --arch` accepts."""
    from gnomon.cost.platforms import list_platforms, load_platform

    titles = {name: load_platform(name).title for name in list_platforms()}
    rows = [{"name": name, "title": title} for name, title in titles.items()]
    yield rows, (f"{name}  {title}" for name, title in titles.items())


@platform_app.command()
@with_json_output(2)
def show(
    name: str = argument("NAME", "Shipped platform, or the path of a YAML file."),
    *,
    overrides: Overrides = None,
) -> CommandOutput:
    """Show clock, power, memory and every cost of a core, with interval and source."""
    from gnomon.cost.platforms import load_platform
    from gnomon.report.cost_text import print_platform

    platform = load_platform(name, overrides or ())
    yield platform.to_json, partial(print_platform, platform)
