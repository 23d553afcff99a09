"""``gnomon diff``: compare two runs, down to the first differing instruction."""

from functools import partial
from pathlib import Path

import typer

from gnomon.base.errors import GnomonError
from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import AnyMachine, Overrides, argument, option
from gnomon.cli._program import MOST_CYCLES, Build, are_sources, load_program
from gnomon.cli._view import Html


@with_json_output()
def diff(
    a: Path = argument("A", "Program (ELF, .c, .S) or issue log of a run."),
    b: Path | None = argument(
        "B", "Second program or issue log.", None, shown="A, on another machine"
    ),
    *,
    arch: AnyMachine = None,
    arch_b: str | None = option("--arch-b", "Machine of B.", None, shown="as A"),
    overrides: Overrides = None,
    overrides_b: list[str] | None = option(
        "--set-b KEY=VALUE", "Machine key to change for B only.", None
    ),
    build: Build,
    context: int = option(
        "--context N", "Instructions shown before and after the first difference.", 5
    ),
    max_cycles: int = option("--max-cycles N", "Cycle limit of each run.", MOST_CYCLES),
    html: Html = None,
) -> CommandOutput:
    """Compare two runs: the first differing instruction, and the functions whose cycles changed.

    Exit code 0 if the runs are equal; 1 if they differ or a program does not terminate.
    """
    if context < 0:
        raise GnomonError(f"--context must be at least 0, not {context}")
    if b is None and arch_b is None and not overrides_b:
        raise GnomonError("one program needs two machines: give --arch-b, --set-b or B")
    from gnomon.observe.diff import compare_logs, compare_programs, is_log
    from gnomon.report.diff_text import print_diff

    options = build.given()
    logs = [each is not None and is_log(each) for each in (a, b)]
    if any(logs):
        if b is None or not all(logs):
            raise GnomonError("an issue log can only be compared with another issue log")
        if arch or arch_b or overrides or overrides_b or options:
            raise GnomonError("issue logs fix machine and build; remove these options")
        result = compare_logs(a, b, context=context)
    else:
        if arch is None:
            raise GnomonError("--arch is missing: the machine that programs run on")
        from gnomon.arch import load_architecture

        changes = (overrides or [], [*(overrides or []), *(overrides_b or [])])
        machine_a, machine_b = map(load_architecture, (arch, arch_b or arch), changes)
        sources = [each for each in (a, b) if each is not None and are_sources([each])]
        if options and not sources:
            load_program([a], machine_a, options)  # raises: it is built already
        given = dict.fromkeys(sources, options)
        program_a = load_program([a], machine_a, given.get(a))
        # One program on two machines is built once, for the first machine.
        program_b = program_a if b is None else load_program([b], machine_b, given.get(b))
        suffix_a, suffix_b = ("".join(f", {key}" for key in each) for each in changes)
        result = compare_programs(
            (program_a, machine_a),
            (program_b, machine_b),
            max_cycles=max_cycles,
            context=context,
            suffixes=(suffix_a, suffix_b),
        )
    yield result.to_json, partial(print_diff, result)
    if html is not None:
        from gnomon.base.files import write_file
        from gnomon.report.diff_page import diff_page

        write_file(html, diff_page(result))
    if not result.same:
        raise typer.Exit(1)
