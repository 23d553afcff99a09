"""``gnomon why``: where the cycles of a program go, what bounds it, what other machines gain."""

from __future__ import annotations

import json
from typing import Annotated

from gnomon.base.errors import GnomonError
from gnomon.base.options import Json, Machine, Overrides, option
from gnomon.cli._run import DEFAULT_MAX_CYCLES
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

RegionName = Annotated[str, option("--region FUNCTION", "What other machines are compared on.")]
WhatIfOption = Annotated[bool, option("--what-if/--no-what-if", "Price other machines as well.")]
MaxCycles = Annotated[int, option("--max-cycles N", "Stop after this many cycles.")]


def why(
    elf: Files,
    arch: Machine,
    *,
    overrides: Overrides = None,
    optimization: Optimization = None,
    defines: Defines = None,
    include: Include = None,
    harts: Harts = None,
    compiler: CompilerName = None,
    region: RegionName = "main",
    with_gains: WhatIfOption = True,
    max_cycles: MaxCycles = DEFAULT_MAX_CYCLES,
    as_json: Json = False,
) -> None:
    """Say where the cycles of a program go, what bounds it, and what other machines would gain."""
    from gnomon.arch import load_architecture
    from gnomon.observe.why import Why, what_if
    from gnomon.sim import Region, simulate

    architecture = load_architecture(arch, overrides or ())
    options = build_options(optimization, defines, include, harts, compiler)
    program = load_program(elf, architecture, options)
    measured = None
    if with_gains:
        try:
            measured = Region(region, program.symbol(region).address)
        except GnomonError as error:
            advice = (
                "--region names what other machines are compared on, --no-what-if leaves them out"
            )
            raise GnomonError(f"{error} ({advice})") from None
    run = simulate(program, architecture, max_cycles=max_cycles)
    if run.halted != "exit":
        raise GnomonError(f"{elf[0]}: {run.halted}: {run.reason}")
    gains = None
    if measured is not None:
        gains = what_if(program, arch, overrides or (), measured, max_cycles=max_cycles)
    explained = Why(run, architecture, gains)
    if as_json:
        print(json.dumps(explained.to_json()))
        return
    from gnomon.report.run_text import print_why

    print_why(explained)
