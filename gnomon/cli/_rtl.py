"""``gnomon rtl``: our RTL and the real core, beside the simulator."""

from __future__ import annotations

import json

import typer

from gnomon.cli._options import Json  # noqa: TC001 - typer reads it at run time

rtl_app = typer.Typer(
    name="rtl", help="Our RTL and the real core, beside the simulator.", no_args_is_help=True
)


@rtl_app.callback()
def rtl() -> None:
    """Our RTL and the real core, beside the simulator."""


@rtl_app.command()
def tools(*, as_json: Json = False) -> None:
    """Which simulators and synthesis tools are here, and how to install the others."""
    from gnomon.rtl import tools as all_tools

    found = all_tools()
    if as_json:
        print(json.dumps({"tools": [tool.to_json() for tool in found]}, indent=2))
        return
    for tool in found:
        state = tool.problem or (f"{tool.version}, {tool.path}" if tool.path else "not found")
        print(f"{tool.name}: {state} ({tool.needed_for})")
        if not tool.usable:
            print(f"  install: {tool.install}")
