"""``gnomon platform``: cost-model cores."""

from functools import partial

import typer

from gnomon.cli._answer import Answer, answers
from gnomon.cli._options import Overrides, argument

platform_app = typer.Typer(
    name="platform",
    help="Cores that are priced by a table of costs.",
    no_args_is_help=True,
)


@platform_app.command("list")
@answers()
def list_() -> Answer:
    """The cost-model cores that ship; `gnomon learner --arch` takes them."""
    from gnomon.cost.platforms import list_platforms, load_platform

    titles = {name: load_platform(name).title for name in list_platforms()}
    told = [{"name": name, "title": title} for name, title in titles.items()]
    yield told, (f"{name}  {title}" for name, title in titles.items())


@platform_app.command()
@answers(2)
def show(
    name: str = argument("NAME", "A shipped platform, or the path of a YAML file."),
    *,
    overrides: Overrides = None,
) -> Answer:
    """Clock, power, memory and every cost of a core, with interval and source."""
    from gnomon.cost.platforms import load_platform
    from gnomon.report.cost_text import print_platform

    platform = load_platform(name, overrides or ())
    yield platform.to_json, partial(print_platform, platform)
