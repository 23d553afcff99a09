"""``gnomon run``: run a program on a machine."""

from contextlib import nullcontext
from dataclasses import replace

import typer

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.progress import cycles_progress
from gnomon.cli._answer import Answer, answers
from gnomon.cli._options import Json, Operands, option, output_file
from gnomon.cli._program import MOST_CYCLES, Target
from gnomon.cli._view import Html, view_of_target, write_page

MOST_TRACED_SLOTS = 20_000_000  # every one is kept: up to 50 bytes, so 1 GB


@answers()
def run(
    target: Target,
    *,
    max_cycles: int | None = option(
        "--max-cycles N", "Stop after this many cycles.", None, shown=str(MOST_CYCLES)
    ),
    profile: bool = option(
        "--profile", "Print the hottest code, stalls and peak stack as well.", False
    ),
    profile_to: list[str] | None = output_file(
        "--profile-to FORMAT=FILE",
        "Write the profile: folded=, folded-pj= (flame graphs), callgrind=, annotated=, lcov=,"
        " csv=; several with commas. A name that ends in .gz is compressed.",
        None,
    ),
    energy: bool = option(
        "--energy", "Print its energy by unit, event and function as well.", False
    ),
    operands: Operands = None,
    trace: list[str] | None = output_file(
        "--trace FORMAT=FILE",
        "Write a trace as well: kanata=, perfetto=, vcd=, saif=, log=; several with commas."
        " A name that ends in .gz is compressed.",
        None,
    ),
    trace_window: str | None = option(
        "--trace-window WINDOW",
        "Trace a part: FIRST:END in cycles, FUNCTION, or 0xADDRESS:0xADDRESS; the last two"
        " the first time, with @N the Nth time, with @all every time.",
        None,
    ),
    trace_limit: int = option(
        "--trace-limit N", "Stop tracing after this many issue slots.", MOST_TRACED_SLOTS
    ),
    gdb: int | None = option(
        "--gdb PORT",
        "Wait for gdb on 127.0.0.1:PORT, 0: any free port; cycles stay the same.",
        None,
    ),
    html: Html = None,
    as_json: Json = False,
) -> Answer:
    """Run a program to its exit; the exit code is 0 whatever the program returns.

    A program that ends in a trap is told with cause, hart, function and line, and the exit code
    is 1. A run that ends otherwise (fault, hang, cycle limit) is printed too, and the exit code
    is 2, as where --energy asks for an energy that is not known.
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

    architecture = target.machine()
    if operands is not None:
        from gnomon.cost.energy import check_operands

        check_operands(architecture, operands)
    profiled = profile or bool(profile_to)
    program = target.load(architecture, debug=profiled or gdb is not None)

    from gnomon.sim import TraceWindow, simulate

    window = None
    if trace:
        window = TraceWindow(max_slots=trace_limit)
        if trace_window is not None:
            from gnomon.observe.trace import parse_window

            window = parse_window(trace_window, program, max_slots=trace_limit)
    debug = None
    if gdb is not None:
        from gnomon.observe.gdb import listen_for_gdb

        debug = listen_for_gdb(gdb)
    with nullcontext() if debug else cycles_progress(program.name) as progress:
        result = simulate(
            program,
            architecture,
            max_cycles=MOST_CYCLES if max_cycles is None else max_cycles,
            trace=bool(trace),
            window=window,
            calls=profiled,
            progress=progress,
            debug=debug,
        )
    from gnomon.observe.stack import describe_overruns

    overrun = describe_overruns(result, program, architecture)
    result = replace(result, warnings=(*result.warnings, *overrun))
    if trace:
        for note in trace_files.write(result, architecture, program):
            typer.echo(f"gnomon: {note}", err=True)
    if profiled:
        from gnomon.observe.profile import RunProfile

        costs = RunProfile.from_run(result, program, architecture, data=operands)
        if profile_to:
            profile_files.write(costs)
    answer = result.to_json()
    priced, unpriced = None, ""
    if energy:
        from gnomon.cost.energy import Energy, OptionalEnergy, price_functions

        unpriced = OptionalEnergy.from_work(result.work, architecture, data=operands).reason
        if unpriced:
            answer |= {"energy": None, "energy_reason": unpriced}
        else:
            priced = Energy.from_work(result.work, architecture, data=operands)
            functions = price_functions(result, program, architecture, data=operands)
            by_function = {name: each.to_json() for name, each in functions.items()}
            answer["energy"] = priced.to_json() | {"functions": by_function}

    def show() -> None:
        from gnomon.report.run_text import print_profile, print_run

        print_run(result, architecture, operands=operands)
        if priced is not None:
            from gnomon.report.cost_text import print_energy

            print_energy(priced, functions)
        if profile:
            print_profile(costs)

    yield answer, show
    if html is not None and result.halted == "exit":
        write_page(
            html, view_of_target(target, max_cycles=result.exit_cycle + 1, operands=operands)
        )
    from gnomon.sim.crash import crash_of, entry_elsewhere

    if result.halted != "exit":
        raise GnomonError(
            f"{target.elf[0]}: {result.halted}: {result.reason}{entry_elsewhere(result, program)}"
        )
    if not result.trapped:
        if unpriced:
            raise GnomonError(f"{target.elf[0]}: energy is not known: {unpriced}")
        return
    crash = crash_of(result, program)
    if crash is not None and program.build is not None and not profiled:
        # Lines cost nothing until they are asked for: the instructions are the same with them.
        crash = crash_of(result, target.load(architecture, debug=True, quiet=True))
    if crash is not None:
        raise CheckFailed(f"{target.elf[0]}: {crash}{entry_elsewhere(result, program)}")
