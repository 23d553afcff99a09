"""``gnomon diff``: the first instruction in which two runs differ, and what changed."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Annotated

import typer

from gnomon.cli._options import Json, Overrides  # noqa: TC001 - typer reads them
from gnomon.cli._run import DEFAULT_MAX_CYCLES, SOURCES
from gnomon.errors import GnomonError

First = Annotated[
    Path, typer.Argument(metavar="A", help="An ELF, .c or .S file, or an issue log (.csv, .gz).")
]
Second = Annotated[
    Path | None, typer.Argument(metavar="B", help="The other one; left out with --arch-b.")
]
ArchA = Annotated[
    str | None, typer.Option("--arch", help="A shipped machine, or the path of a YAML file.")
]
ArchB = Annotated[str | None, typer.Option("--arch-b", help="The machine of B, if another.")]
OverridesB = Annotated[
    list[str] | None,
    typer.Option("--set-b", metavar="KEY=VALUE", help="Change one key of the machine of B alone."),
]
MaxCycles = Annotated[
    int, typer.Option("--max-cycles", metavar="N", help="Stop after this many cycles.")
]
_LOGS = (".csv", ".gz")


def diff(
    a: First,
    b: Second = None,
    *,
    arch: ArchA = None,
    arch_b: ArchB = None,
    overrides: Overrides = None,
    overrides_b: OverridesB = None,
    max_cycles: MaxCycles = DEFAULT_MAX_CYCLES,
    as_json: Json = False,
) -> None:
    """Compare two programs, one program on two machines, or two issue logs.

    The exit code is 0 if nothing differs and 1 if something does.
    """
    from gnomon.diff import Side, diff_logs, diff_runs

    logs = a.suffix in _LOGS and (b is None or b.suffix in _LOGS)
    if logs:
        if b is None:
            raise GnomonError(f"{a}: a log needs another log to be compared with")
        if arch or arch_b or overrides or overrides_b:
            raise GnomonError("logs run on no machine: leave out --arch, --arch-b, --set, --set-b")
        found = diff_logs(a, b)
    else:
        if arch is None:
            raise GnomonError("--arch is needed: the machine that A and B run on")
        if b is None and arch_b is None and not overrides_b:
            raise GnomonError(
                f"{a} alone differs from nothing: give B, or another machine with --arch-b, --set-b"
            )
        from gnomon.arch import load_architecture
        from gnomon.program import build, load_elf

        machines = (
            load_architecture(arch, overrides or ()),
            load_architecture(arch_b or arch, [*(overrides or ()), *(overrides_b or ())]),
        )
        # One program on two machines is one program: it is built for the first.
        files = (a, a if b is None else b)
        target = machines if b is not None else (machines[0], machines[0])
        sides = [
            Side(
                f"{file} on {machine.name}",
                build([file], for_machine) if file.suffix in SOURCES else load_elf(file),
                machine,
            )
            for file, machine, for_machine in zip(files, machines, target, strict=True)
        ]
        found = diff_runs(*sides, max_cycles=max_cycles)
    if as_json:
        print(json.dumps(dataclasses.asdict(found)))
    else:
        from gnomon.report import print_diff

        print_diff(found)
    if found.kind is not None:
        raise typer.Exit(1)
