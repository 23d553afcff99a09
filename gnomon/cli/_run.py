"""``gnomon run``: run a program on a machine."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import replace
from typing import Annotated

import typer

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.options import Json, Machine, Operands, Overrides, option
from gnomon.base.progress import cycles_progress
from gnomon.cli._sources import (
    CompilerName,
    Defines,
    Files,
    Harts,
    Include,
    Optimization,
    build_options,
    load_program,
)

DEFAULT_MAX_CYCLES = 2_000_000_000
DEFAULT_TRACED_SLOTS = 20_000_000  # every one is kept: up to 50 bytes, so 1 GB
MaxCycles = Annotated[
    int | None, option("--max-cycles N", "Stop after this many cycles.", str(DEFAULT_MAX_CYCLES))
]
Profile = Annotated[
    bool, option("--profile", "Print the hottest code, stalls and peak stack as well.")
]
ProfileTo = Annotated[
    list[str] | None,
    option(
        "--profile-to FORMAT=FILE",
        "Write the profile: folded=, folded-pj= (flame graphs), callgrind=, annotated=, lcov=,"
        " csv=; several with commas. A name that ends in .gz is compressed.",
    ),
]
Energy = Annotated[
    bool, option("--energy", "Print its energy by unit, event and function as well.")
]
Trace = Annotated[
    list[str] | None,
    option(
        "--trace FORMAT=FILE",
        "Write a trace as well: kanata=, perfetto=, vcd=, saif=, log=; several with commas."
        " A name that ends in .gz is compressed.",
    ),
]
TraceWindowText = Annotated[
    str | None,
    option(
        "--trace-window WINDOW",
        "Trace a part: FIRST:END in cycles, FUNCTION, or 0xADDRESS:0xADDRESS; the last two"
        " the first time, with @N the Nth time, with @all every time.",
    ),
]
TraceLimit = Annotated[int, option("--trace-limit N", "Stop tracing after this many issue slots.")]
Gdb = Annotated[
    int | None,
    option("--gdb PORT", "Wait for gdb on 127.0.0.1:PORT, 0: any free port; cycles stay the same."),
]


def run(
    elf: Files,
    arch: Machine,
    *,
    overrides: Overrides = None,
    optimization: Optimization = None,
    defines: Defines = None,
    include: Include = None,
    harts: Harts = None,
    compiler: CompilerName = None,
    as_json: Json = False,
    max_cycles: MaxCycles = None,
    profile: Profile = False,
    profile_to: ProfileTo = None,
    energy: Energy = False,
    operands: Operands = None,
    trace: Trace = None,
    trace_window: TraceWindowText = None,
    trace_limit: TraceLimit = DEFAULT_TRACED_SLOTS,
    gdb: Gdb = None,
) -> None:
    """Run a program to its exit; the exit code is 0 whatever the program returns.

    A program that ends in a trap is told with cause, hart, function and line, and the exit code
    is 1. A run that ends otherwise (fault, hang, cycle limit) is printed too, and the exit code
    is 2.
    """
    if profile and as_json:
        raise GnomonError("--profile prints tables; leave out --json, which prints the run alone")

    if gdb is not None and (profile or profile_to or trace):
        raise GnomonError("--gdb needs a run of its own; leave out --profile and --trace")
    if profile_to:
        from gnomon.observe.profile import ProfileFiles

        profile_files = ProfileFiles.parse(profile_to)
    if trace_window is not None and not trace:
        raise GnomonError("--trace-window needs --trace FORMAT=FILE, what to write and where")
    if trace_limit < 1:
        raise GnomonError(f"--trace-limit must be at least 1 issue slot, not {trace_limit}")
    if trace:
        from gnomon.observe.trace import TraceFiles

        trace_files = TraceFiles.parse(trace)
    if max_cycles is None:
        max_cycles = DEFAULT_MAX_CYCLES

    from gnomon.arch import load_architecture

    architecture = load_architecture(arch, overrides or ())
    if operands is not None:
        from gnomon.cost.energy import Quote

        Quote.check_operands(architecture, operands)
    profiled = profile or bool(profile_to)
    options = build_options(optimization, defines, include, harts, compiler)
    program = load_program(elf, architecture, options, debug=profiled or gdb is not None)

    from gnomon.sim import TraceWindow, simulate

    window = None
    if trace:
        from gnomon.observe.trace import parse_window

        window = TraceWindow(max_slots=trace_limit)
        if trace_window is not None:
            window = parse_window(trace_window, program, max_slots=trace_limit)
    debug = None
    if gdb is not None:
        from gnomon.observe.gdb import gdb_server

        debug = gdb_server(gdb)
    with nullcontext() if debug else cycles_progress(program.name) as progress:
        result = simulate(
            program,
            architecture,
            max_cycles=max_cycles,
            trace=bool(trace),
            window=window,
            calls=profiled,
            progress=progress,
            debug=debug,
        )
    from gnomon.observe.stack import overruns

    overrun = overruns(result, program, architecture)
    result = replace(result, warnings=(*result.warnings, *overrun))
    if trace:
        for note in trace_files.write(result, architecture, program):
            typer.echo(f"gnomon: {note}", err=True)
    if profiled:
        from gnomon.observe.profile import profile_run

        costs = profile_run(result, program, architecture, data=operands)
        if profile_to:
            profile_files.write(costs)
    priced, unpriced = None, ""
    if energy:
        from gnomon.cost.energy import Energy, Quote

        unpriced = Quote.of(result.work, architecture, data=operands).reason
        if not unpriced:
            priced = Energy.of(result.work, architecture, data=operands)
            functions = Energy.by_function(result, program, architecture, data=operands)
    if as_json:
        answer = result.to_json()
        if priced is not None:
            by_function = {name: each.to_json() for name, each in functions.items()}
            answer["energy"] = priced.to_json() | {"functions": by_function}
        elif unpriced:
            answer |= {"energy": None, "energy_reason": unpriced}
        print(json.dumps(answer))
    else:
        from gnomon.report.run_text import print_profile, print_run

        print_run(result, architecture, operands=operands)
        if priced is not None:
            from gnomon.report.cost_text import print_energy

            print_energy(priced, functions)
        if profile:
            print_profile(costs)
    if result.halted != "exit":
        raise GnomonError(f"{elf[0]}: {result.halted}: {result.reason}")
    if not result.trapped:
        if unpriced:
            raise CheckFailed(f"{elf[0]}: energy is not known: {unpriced}")
        return
    from gnomon.observe.profile.crash import crash_of

    crash = crash_of(result, program)
    if crash is not None and program.build is not None and not profiled:
        # Lines cost nothing until they are asked for: the instructions are the same with them.
        crash = crash_of(result, load_program(elf, architecture, options, debug=True, quiet=True))
    if crash is not None:
        raise CheckFailed(f"{elf[0]}: {crash}")
