"""``gnomon advise``: what to change first, with what each change saves."""

from __future__ import annotations

import json
from typing import Any

from gnomon.base.errors import GnomonError
from gnomon.base.options import Json, Machine, Overrides
from gnomon.cli._run import DEFAULT_MAX_CYCLES
from gnomon.cli._sources import (
    CompilerName,
    Defines,
    Files,
    Harts,
    Include,
    Optimization,
    are_sources,
    build_options,
    load_program,
)
from gnomon.cli._why import MaxCycles


def advise(
    elf: Files,
    arch: Machine,
    *,
    overrides: Overrides = None,
    optimization: Optimization = None,
    defines: Defines = None,
    include: Include = None,
    harts: Harts = None,
    compiler: CompilerName = None,
    max_cycles: MaxCycles = DEFAULT_MAX_CYCLES,
    as_json: Json = False,
) -> None:
    """Say what to change first, and what it saves: by a run of the change, or at most.

    Changes of the machine, of the compiler's level and of the number of harts are run; they are
    advised where the program returns and prints the same. What needs other code is a bound.
    """
    from gnomon.arch import load_architecture
    from gnomon.observe.why import Why
    from gnomon.sim import simulate

    architecture = load_architecture(arch, overrides or ())
    options = build_options(optimization, defines, include, harts, compiler)
    program = load_program(elf, architecture, options)
    run = simulate(program, architecture, max_cycles=max_cycles)
    if run.halted != "exit" or run.trapped:
        raise GnomonError(f"{elf[0]}: {run.reason or 'it ends in a trap'}; gnomon run says where")

    def rebuild(**changed: Any) -> Any:
        return load_program(elf, architecture, options | changed, quiet=True)

    rebuilt = rebuild if are_sources(elf) else None
    found = Why(run, architecture).advice(program, arch, overrides or (), rebuilt)
    if as_json:
        told = {"program": run.program, "arch": run.arch, "wall_cycles": run.wall_cycles}
        print(json.dumps(told | {"advice": [each.to_json() for each in found]}))
        return
    print(f"{run.program} on {run.arch}: {run.wall_cycles:,} wall cycles")
    for number, each in enumerate(found, 1):
        share = each.saves_cycles / run.wall_cycles
        how = "saves at most" if each.how == "at most" else "saves"
        print(f"{number}. {each.change}: {how} {share:.1%}, {each.saves_cycles:,} cycles")
        print(f"   {each.because}")
    if not found:
        print("nothing that is tried or bounded saves a hundredth of it")
