"""``gnomon why``: where the cycles of a program go, what bounds it, what other machines gain."""

from functools import partial

from gnomon.base.errors import GnomonError
from gnomon.cli._answer import Answer, answers
from gnomon.cli._options import option
from gnomon.cli._program import MOST_CYCLES, Target
from gnomon.cli._view import Html, view_of_target, write_page


@answers()
def why(
    target: Target,
    *,
    region: str = option(
        "--region FUNCTION",
        "What other machines are compared on; all else is of the whole run.",
        "main",
    ),
    with_gains: bool = option("--what-if/--no-what-if", "Price other machines as well.", True),
    max_cycles: int = option("--max-cycles N", "Stop after this many cycles.", MOST_CYCLES),
    html: Html = None,
) -> Answer:
    """Say where the cycles of a program go, what bounds it, and what other machines would gain."""
    from gnomon.observe.why import StallAnalysis, compute_what_if, run_to_end
    from gnomon.sim import Region
    from gnomon.sim.crash import check_end

    architecture = target.machine()
    program = target.load(architecture)
    measured = None
    if with_gains:
        try:
            measured = Region(region, program.symbol(region).address)
        except GnomonError as error:
            advice = (
                "--region names what other machines are compared on, --no-what-if leaves them out"
            )
            raise GnomonError(f"{error} ({advice})") from None
    run, ends = run_to_end(program, architecture, max_cycles=max_cycles)
    if not ends:
        check_end(run, program)
    gains = None
    if measured is not None:
        machine = (target.arch, target.overrides or ())
        gains = compute_what_if(program, *machine, measured, max_cycles=max_cycles, exits=not ends)
    from gnomon.report.run_text import print_why

    explained = StallAnalysis(run, architecture, gains, ends)
    yield explained.to_json, partial(print_why, explained)
    if html is not None:
        view = view_of_target(target, max_cycles=max_cycles)
        write_page(html, view | {"what_if": explained.to_json()["what_if"]})
