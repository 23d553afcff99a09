"""``gnomon platform``: cost-model cores."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from gnomon.base.options import Json, Overrides, argument

platform_app = typer.Typer(
    name="platform", help="Cores that are priced by a table of costs.", no_args_is_help=True
)

PlatformName = Annotated[str, argument("NAME", "A shipped platform, or the path of a YAML file.")]


@platform_app.command("list")
def list_(*, as_json: Json = False) -> None:
    """The cost-model cores that ship; `gnomon learner --arch` takes them."""
    from gnomon.cost.platforms import Platform

    known = [Platform.load(name) for name in Platform.shipped()]
    if as_json:
        print(json.dumps([{"name": each.name, "title": each.title} for each in known]))
        return
    for each in known:
        print(f"{each.name}  {each.title}")


@platform_app.command()
def show(name: PlatformName, *, overrides: Overrides = None, as_json: Json = False) -> None:
    """Clock, power, memory and every cost of a core, with interval and source."""
    from gnomon.cost.platforms import Platform

    platform = Platform.load(name, overrides or ())
    if as_json:
        print(json.dumps(platform.to_json(), indent=2))
        return
    from gnomon.report.cost_text import print_platform

    print_platform(platform)
