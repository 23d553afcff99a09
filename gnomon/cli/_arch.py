"""``gnomon arch``: list the machines, show every key of one, check a file."""

from __future__ import annotations

import json
import shutil
import textwrap
from dataclasses import asdict
from typing import Annotated

import typer

arch_app = typer.Typer(
    name="arch", help="Machines: list them, show one, check a file.", no_args_is_help=True
)

Machine = Annotated[str, typer.Argument(help="A shipped machine, or the path of a YAML file.")]
Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change one key, such as vcu.simd=8."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]


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
def show(machine: Machine, *, overrides: Overrides = None, as_json: Json = False) -> None:
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
        print(
            textwrap.fill(
                f"{row.meaning} ({facts})", width, initial_indent="    ", subsequent_indent="    "
            )
        )


@arch_app.command()
def check(file: Machine, *, overrides: Overrides = None, as_json: Json = False) -> None:
    """Check a machine file: ok, or every error in it at its line (exit code 2)."""
    from gnomon.arch import load_architecture
    from gnomon.base.yaml import FileError

    problems: list[dict[str, str | int | None]] = []
    lines: list[str] = []
    try:
        load_architecture(file, overrides or ())
    except FileError as error:
        for problem in error.problems:
            lines.append(str(problem))
            problems.append(
                {
                    "where": problem.origin.where,
                    "line": problem.origin.line,
                    "path": problem.path,
                    "message": problem.message,
                }
            )
    if as_json:
        print(json.dumps({"file": file, "ok": not problems, "errors": problems}, indent=2))
    else:
        print("\n".join(lines) if lines else f"{file}: ok")
    if problems:
        raise typer.Exit(2)
