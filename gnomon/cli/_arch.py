"""``gnomon arch``: list the machines, show every key of one, check a file."""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import TYPE_CHECKING

import typer

from gnomon.base.yaml import Problem
from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._ending import clean
from gnomon.cli._options import MachineArgument, Overrides, argument

if TYPE_CHECKING:
    from gnomon.arch import Architecture

arch_app = typer.Typer(
    name="arch",
    help="Machines: list them, show one, check a file.",
    no_args_is_help=True,
)


@arch_app.command("list")
@with_json_output(2)
def list_machines() -> CommandOutput:
    """List the shipped machines; without --json, the cost-model cores follow."""
    from gnomon.arch import list_architectures, load_architecture

    machines = {name: load_architecture(name).title for name in list_architectures()}

    def show() -> None:
        from gnomon.cost.platforms import list_platforms

        width = max(map(len, machines))
        for name, title in machines.items():
            print(f"{name:{width}}  {title}")
        print(f"cost models, for `gnomon learner` only: {', '.join(list_platforms())}")

    yield [{"name": name, "title": title} for name, title in machines.items()], show


@arch_app.command()
@with_json_output(2)
def show(machine: MachineArgument, *, overrides: Overrides = None) -> CommandOutput:
    """Show every key of a machine: value, default, unit, meaning and source of the value."""
    from gnomon.arch import Described, load_architecture

    architecture = load_architecture(machine, overrides or ())
    rows = Described.list_keys(machine, overrides or ())
    answer = {
        "name": architecture.name,
        "title": architecture.title,
        "fingerprint": architecture.fingerprint,
        "values": architecture.to_dict(),
        "keys": [row._asdict() for row in rows],
    }
    width = min(shutil.get_terminal_size().columns, 100)
    lines = []
    for row in rows:
        lines.append(f"{row.path}: {row.value}  [{row.origin}]")
        default = "required" if row.default is None else f"default {row.default}"
        facts = "; ".join(part for part in (row.unit, f"allowed: {row.allowed}", default) if part)
        text = textwrap.fill(f"{row.meaning} ({facts})", width - 4)
        lines.append(textwrap.indent(text, "    "))
    yield answer, lines


@arch_app.command()
@with_json_output(2)
def check(
    file: str = argument("FILE", "A machine by its name, or the path of a YAML file."),
    *,
    overrides: Overrides = None,
) -> CommandOutput:
    """Check a machine file; exit code 2 with one message per error.

    A machine whose energy or area is unavailable passes; the command prints the reason.
    """
    from gnomon.arch import load_architecture
    from gnomon.base.yaml import FileError

    problems: tuple[Problem, ...] = ()
    unknown: dict[str, str] = {}
    try:
        unknown = _unknown(load_architecture(file, overrides or ()))
    except FileError as error:
        problems = error.problems
    errors = [
        {**each.origin._asdict(), "path": each.path, "message": each.message} for each in problems
    ]
    answer = {"file": file, "ok": not problems, "errors": errors, "unknown": unknown}
    notes = [f"  no {what}: {why}" for what, why in unknown.items()]

    def show() -> None:
        if problems:
            print(clean("\n".join(map(str, problems))), file=sys.stderr)
        else:
            print(f"{file}: ok", *notes, sep="\n")

    yield answer, show
    if problems:
        raise typer.Exit(2)


def _unknown(architecture: Architecture) -> dict[str, str]:
    """Return the costs that no run on the machine has, with the reasons.

    Energy is checked with a run in which all harts sleep.
    """
    from gnomon.explore.metrics import cost_columns
    from gnomon.sim import Work

    harts = architecture.core.harts
    asleep = Work(1000 * harts, {}, {}, 0, (1000,) * harts, 0)
    return cost_columns(asleep.wall_cycles, 0, asleep, architecture, None)[1]
