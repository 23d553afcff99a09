"""``gnomon advise``: what to change first, with what each change saves."""

from typing import Any

from gnomon.cli._answer import Answer, answers
from gnomon.cli._options import option
from gnomon.cli._program import MOST_CYCLES, Target, are_sources, load_program


@answers()
def advise(
    target: Target,
    *,
    max_cycles: int = option("--max-cycles N", "Stop after this many cycles.", MOST_CYCLES),
) -> Answer:
    """Say what to change first, and what it saves: by a run of the change, or at most.

    Changes of the machine, of the compiler's level and of the number of harts are run; they are
    advised where the program returns and prints the same. What needs other code is a bound, saves
    at most, or what is spent in what could go: frees, without calls and what replaces it. A scalar
    loop that is a vector instruction comes with its C, and with what that saves.
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
    told = {"program": run.program, "arch": run.arch, "wall_cycles": run.wall_cycles}
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
    yield told | {"advice": [each.to_json() for each in found]}, lines
