"""``gnomon run``: run a program on a machine."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from gnomon.cli._options import (  # noqa: TC001 - typer reads them
    Json,
    Machine,
    Operands,
    Overrides,
)
from gnomon.cli._progress import cycles_progress
from gnomon.errors import GnomonError

DEFAULT_MAX_CYCLES = 2_000_000_000
DEFAULT_MAX_TRACED_CYCLES = 20_000_000  # every issue is kept: up to 50 bytes per cycle, so 1 GB
_SOURCES = (".c", ".S", ".s")

Elf = Annotated[
    Path,
    typer.Argument(
        metavar="ELF", help="An RV32 executable; or one .c or .S file, built first by zig at -O2."
    ),
]
MaxCycles = Annotated[
    int | None,
    typer.Option(
        "--max-cycles",
        metavar="N",
        help="Stop after this many cycles.",
        show_default=f"{DEFAULT_MAX_CYCLES}; {DEFAULT_MAX_TRACED_CYCLES} with --trace",
    ),
]
Profile = Annotated[bool, typer.Option("--profile", help="Print the hottest code as well.")]
Energy = Annotated[
    bool, typer.Option("--energy", help="Print its energy by unit, event and function as well.")
]
Trace = Annotated[
    list[str] | None,
    typer.Option("--trace", metavar="FORMAT=FILE", help="Write a trace as well: saif=run.saif."),
]


def run(
    elf: Elf,
    arch: Machine,
    *,
    overrides: Overrides = None,
    as_json: Json = False,
    max_cycles: MaxCycles = None,
    profile: Profile = False,
    energy: Energy = False,
    operands: Operands = None,
    trace: Trace = None,
) -> None:
    """Run a program to its exit; the exit code is 0 whatever the program returns.

    A run that ends otherwise (fault, hang, cycle limit) is printed too, and the exit code is 2.
    """
    if profile and as_json:
        raise GnomonError("--profile prints tables; leave out --json, which prints the run alone")

    if trace:
        from gnomon.trace import parse_trace_requests

        requests = parse_trace_requests(trace)
    if max_cycles is None:
        max_cycles = DEFAULT_MAX_TRACED_CYCLES if trace else DEFAULT_MAX_CYCLES

    from gnomon.arch import load_architecture
    from gnomon.program import build, load_elf

    architecture = load_architecture(arch, overrides or ())
    if operands is not None:
        from gnomon.energy import check_operands

        check_operands(architecture, operands)
    program = build([elf], architecture) if elf.suffix in _SOURCES else load_elf(elf)

    if program.build is not None:
        print(program.build.warnings, end="", file=sys.stderr)

    from gnomon.sim import simulate

    with cycles_progress(program.name) as progress:
        result = simulate(
            program, architecture, max_cycles=max_cycles, trace=bool(trace), progress=progress
        )
    if trace:
        from gnomon.trace import write_traces

        write_traces(result, architecture, requests)
    priced = None
    if energy:
        from gnomon.energy import function_energies, price_work

        priced = price_work(result.work, architecture, data=operands)
        functions = function_energies(result, program, architecture, data=operands)
    if as_json:
        answer = result.to_json()
        if priced is not None:
            by_function = {each.function: each.energy.to_json() for each in functions}
            answer["energy"] = priced.to_json() | {"functions": by_function}
        print(json.dumps(answer))
    else:
        from gnomon.report import print_energy, print_profile, print_run

        print_run(result, architecture, operands=operands)
        if priced is not None:
            print_energy(priced, functions)
        if profile:
            print_profile(result, program)
    if result.halted != "exit":
        raise GnomonError(f"{elf}: {result.halted}: {result.reason}")
