"""Data of run pages, for ``gnomon live`` and ``--html``."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from gnomon.base.errors import GnomonError
from gnomon.cli._options import output_file
from gnomon.cli._program import Target, are_sources

MOST_SHOWN_CYCLES = 200_000_000

Html = Annotated[
    Path | None, output_file("--html FILE", "HTML page to write: one file that works offline.")
]


def view_of_target(
    target: Target,
    settings: Sequence[str] = (),
    *,
    max_cycles: int = MOST_SHOWN_CYCLES,
    operands: str | None = None,
) -> dict[str, Any]:
    """Build and run a program with further settings and return the data of its page.

    Raises:
        GnomonError: if the program cannot be built, does not terminate, or embeds a file from
            outside of the project.
    """
    from gnomon.observe.why import StallAnalysis
    from gnomon.program import embedded_from_outside
    from gnomon.report.run_page import MOST_TRACED_CYCLES, view_of
    from gnomon.sim import simulate

    sources = target.elf if are_sources(target.elf) else ()
    if sources:
        outside = embedded_from_outside(sources, target.build.given().get("include", ()))
        if outside:
            raise GnomonError(
                f"{sources[0]}: the program embeds {outside[0]}, which is outside of the project; a"
                " page shows the output of the program, so gnomon writes none"
            )
    machine = target.machine(settings)
    program = target.load(machine, debug=True, quiet=True)
    run = simulate(program, machine, max_cycles=max_cycles)
    if run.halted != "exit":
        raise GnomonError(f"{target.elf[0]}: {run.halted}: {run.reason}")
    if run.wall_cycles <= MOST_TRACED_CYCLES:
        run = simulate(program, machine, max_cycles=max_cycles, trace=True)
    return view_of(StallAnalysis(run, machine), program, sources, operands)


def write_page(file: Path, view: dict[str, Any]) -> Path:
    from gnomon.base.files import write_file
    from gnomon.report.run_page import run_page

    return write_file(file, run_page(view))
