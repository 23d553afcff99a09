"""``gnomon run``: run a program on a machine."""

from contextlib import nullcontext
from dataclasses import replace

import typer

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.progress import cycles_progress
from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import Json, Operands, option, output_file
from gnomon.cli._program import MOST_CYCLES, Target
from gnomon.cli._view import Html, view_of_target, write_page

MOST_TRACED_SLOTS = 20_000_000  # each takes up to 50 bytes of memory, 1 GB in total


@with_json_output()
def run(
    target: Target,
    *,
    max_cycles: int | None = option("--max-cycles N", "Cycle limit.", None, shown=str(MOST_CYCLES)),
    profile: bool = option("--profile", "Also print hottest code, stalls and peak stack.", False),
    profile_to: list[str] | None = output_file(
        "--profile-to FORMAT=FILE",
        "Profile files: folded=, folded-pj= (flame graphs), callgrind=, annotated=, lcov=, csv=;"
        " separated by commas. A name that ends in .gz is compressed.",
        None,
    ),
    energy: bool = option(
        "--energy", "Also print energy by functional unit, event and function.", False
    ),
    operands: Operands = None,
    trace: list[str] | None = output_file(
        "--trace FORMAT=FILE",
        "Trace files: kanata=, perfetto=, vcd=, saif=, log=; separated by commas."
        " A name that ends in .gz is compressed.",
        None,
    ),
    trace_window: str | None = option(
        "--trace-window WINDOW",
        "Part to trace: FIRST:END in cycles, FUNCTION, or 0xADDRESS:0xADDRESS. The last two select"
        " the first execution, with @N the Nth, with @all every one.",
        None,
    ),
    trace_limit: int = option(
        "--trace-limit N", "Largest number of traced issue slots.", MOST_TRACED_SLOTS
    ),
    gdb: int | None = option(
        "--gdb PORT",
        "Port of 127.0.0.1 on which the run waits for gdb, 0: any free port; cycles stay the same.",
        None,
    ),
    html: Html = None,
    as_json: Json = False,
) -> CommandOutput:
    """Run a program on a machine and report its cycles.

    Exit code 0 if the program exits, whatever it returns. Exit code 1 if the program traps; the
    message names cause, hart, function and line. Exit code 2 on fault, hang, cycle limit, or
    unavailable energy with --energy.
    """
    if profile and as_json:
        raise GnomonError("--profile prints tables; leave out --json, which prints the run alone")
    if gdb is not None and (profile or profile_to or trace):
        raise GnomonError("--gdb excludes --profile and --trace; leave them out")
    if profile_to:
        from gnomon.observe.profile import ProfileFiles

        profile_files = ProfileFiles.parse(profile_to)
    if trace_window is not None and not trace:
        raise GnomonError("--trace-window needs --trace FORMAT=FILE")
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
    if result.halted == "exit" and not result.trapped:
        if unpriced:
            raise GnomonError(f"{target.elf[0]}: energy is unavailable: {unpriced}")
        return
    from gnomon.sim.crash import crash_of, entry_elsewhere

    if result.halted != "exit":
        raise GnomonError(
            f"{target.elf[0]}: {result.halted}: {result.reason}{entry_elsewhere(result, program)}"
        )
    crash = crash_of(result, program)
    if crash is not None and program.build is not None and not profiled:
        # Line numbers are added only now; they do not change the instructions.
        crash = crash_of(result, target.load(architecture, debug=True, quiet=True))
    if crash is not None:
        raise CheckFailed(f"{target.elf[0]}: {crash}{entry_elsewhere(result, program)}")
