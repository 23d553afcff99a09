"""``gnomon arch``: list the machines, show every key of one, check a file."""

from __future__ import annotations

import json
import shutil
import textwrap
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from gnomon.base.options import Json, MachineArgument, Overrides, argument

if TYPE_CHECKING:
    from gnomon.base.yaml import Problem

arch_app = typer.Typer(
    name="arch", help="Machines: list them, show one, check a file.", no_args_is_help=True
)

File = Annotated[str, argument("FILE", "A machine by its name, or the path of a YAML file.")]


@arch_app.command("list")
def list_machines(*, as_json: Json = False) -> None:
    """List the shipped machines, and for people the cost-model cores behind them."""
    from gnomon.arch import list_architectures, load_architecture
    from gnomon.cost.platforms import Platform

    machines = [(name, load_architecture(name).title) for name in list_architectures()]
    if as_json:
        print(json.dumps([{"name": name, "title": title} for name, title in machines], indent=2))
        return
    width = max(len(name) for name, _ in machines)
    for name, title in machines:
        print(f"{name:{width}}  {title}")
    print(f"cost models, for `gnomon learner` only: {', '.join(Platform.shipped())}")


@arch_app.command()
def show(machine: MachineArgument, *, overrides: Overrides = None, as_json: Json = False) -> None:
    """Show every key of a machine: value, default, unit, meaning, and where the value is from."""
    from gnomon.arch import describe_architecture, load_architecture

    architecture = load_architecture(machine, overrides or ())
    rows = describe_architecture(machine, overrides or ())
    if as_json:
        answer = {
            "name": architecture.name,
            "title": architecture.title,
            "fingerprint": architecture.fingerprint,
            "values": architecture.to_dict(),
            "keys": [asdict(row) for row in rows],
        }
        print(json.dumps(answer, indent=2))
        return
    width = min(shutil.get_terminal_size().columns, 100)
    for row in rows:
        print(f"{row.path}: {row.value}  [{row.origin}]")
        default = "required" if row.default is None else f"default {row.default}"
        facts = "; ".join(part for part in (row.unit, f"allowed: {row.allowed}", default) if part)
        print(textwrap.indent(textwrap.fill(f"{row.meaning} ({facts})", width - 4), "    "))


@arch_app.command()
def check(file: File, *, overrides: Overrides = None, as_json: Json = False) -> None:
    """Check a machine file: ok, or every error in it at its line (exit code 2)."""
    from gnomon.arch import load_architecture
    from gnomon.base.yaml import FileError

    problems: tuple[Problem, ...] = ()
    try:
        load_architecture(file, overrides or ())
    except FileError as error:
        problems = error.problems
    if as_json:
        errors = [
            {**asdict(each.origin), "path": each.path, "message": each.message} for each in problems
        ]
        print(json.dumps({"file": file, "ok": not problems, "errors": errors}, indent=2))
    else:
        print("\n".join(map(str, problems)) or f"{file}: ok")
    if problems:
        raise typer.Exit(2)
