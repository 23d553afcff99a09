"""``gnomon advise``: changes, ranked by the cycles that each saves."""

from typing import Any

from gnomon.cli._answer import CommandOutput, with_json_output
from gnomon.cli._options import option
from gnomon.cli._program import MOST_CYCLES, Target, are_sources, load_program


@with_json_output()
def advise(
    target: Target,
    *,
    max_cycles: int = option("--max-cycles N", "Cycle limit of each run.", MOST_CYCLES),
) -> CommandOutput:
    """Suggest changes, ranked by cycles saved.

    Changes of the machine, of the optimization level and of the number of harts are run. Such a
    change is listed (`saves`) only if the program returns and prints the same. Changes that need
    new code get an upper bound (`saves at most`) or the cycles of removable work (`frees`). The
    latter excludes calls and the code that replaces the work. A scalar loop that a vector
    instruction can replace is listed with the C code and its saving.
    """
    from gnomon.observe.why import StallAnalysis, find_advice
    from gnomon.sim import simulate
    from gnomon.sim.crash import check_end

    architecture = target.machine()
    program = target.load(architecture)
    run = simulate(program, architecture, max_cycles=max_cycles)
    check_end(run, program)

    def rebuild(*, architecture: Any = architecture, **changed: Any) -> Any:
        options = target.build.given() | changed
        return load_program(target.elf, architecture, options, quiet=True)

    rebuilt = rebuild if are_sources(target.elf) else None
    found = find_advice(
        StallAnalysis(run, architecture), program, target.arch, target.overrides or (), rebuilt
    )
    head = {"program": run.program, "arch": run.arch, "wall_cycles": run.wall_cycles}
    lines = [f"{run.program} on {run.arch}: {run.wall_cycles:,} wall cycles"]
    for number, each in enumerate(found, 1):
        share = each.saves_cycles / run.wall_cycles
        how = {"run": "saves", "at most": "saves at most", "spent": "frees",
               "about": "saves about"}[each.how]  # fmt: skip
        lines.append(f"{number}. {each.change}: {how} {share:.1%}, {each.saves_cycles:,} cycles")
        lines.append(f"   {each.because}")
        lines += [f"       {line}" for line in each.code.splitlines()]
    if not found:
        lines.append("nothing that is tried or bounded saves a hundredth of it")
    yield head | {"advice": [each.to_json() for each in found]}, lines
