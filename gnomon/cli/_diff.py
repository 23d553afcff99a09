"""``gnomon diff``: why two runs differ, down to the first instruction."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from gnomon.base.errors import GnomonError
from gnomon.base.options import AnyMachine, Json, Overrides, argument, option
from gnomon.cli._run import DEFAULT_MAX_CYCLES
from gnomon.cli._sources import (
    CompilerName,
    Defines,
    Harts,
    Include,
    Optimization,
    are_sources,
    build_options,
    load_program,
)

First = Annotated[Path, argument("A", "A program (ELF, .c, .S), or an issue log of a run.")]
Second = Annotated[Path | None, argument("B", "The other one.", "A, on another machine")]
MachineB = Annotated[str | None, option("--arch-b", "The machine of B.", "as A")]
OverridesB = Annotated[
    list[str] | None, option("--set-b KEY=VALUE", "Change one more key for B alone.")
]
Context = Annotated[int, option("--context N", "Instructions shown before and after.")]
MaxCycles = Annotated[int, option("--max-cycles N", "Stop both after this many cycles.")]


def diff(
    a: First,
    b: Second = None,
    *,
    arch: AnyMachine = None,
    arch_b: MachineB = None,
    overrides: Overrides = None,
    overrides_b: OverridesB = None,
    optimization: Optimization = None,
    defines: Defines = None,
    include: Include = None,
    harts: Harts = None,
    compiler: CompilerName = None,
    context: Context = 5,
    max_cycles: MaxCycles = DEFAULT_MAX_CYCLES,
    as_json: Json = False,
) -> None:
    """Compare two runs: the first instruction that differs, and whose cycles changed.

    The exit code is 0 if nothing differs and 1 if something does.
    """
    if context < 0:
        raise GnomonError(f"--context must be at least 0, not {context}")
    if max_cycles < 1:
        raise GnomonError(f"--max-cycles must be at least 1, not {max_cycles}")
    if b is None and arch_b is None and not overrides_b:
        raise GnomonError("one program needs two machines: say --arch-b or --set-b, or name B")
    from gnomon.observe.diff import Result, is_log

    options = build_options(optimization, defines, include, harts, compiler)
    logs = [each is not None and is_log(each) for each in (a, b)]
    if any(logs):
        if b is None or not all(logs):
            raise GnomonError("an issue log can be compared with another issue log only")
        if arch or arch_b or overrides or overrides_b or options:
            raise GnomonError(
                "issue logs have machine and build behind them; leave out machines and options of"
                " builds"
            )
        result = Result.of_logs(a, b, context=context)
    else:
        if arch is None:
            raise GnomonError("--arch is missing: the machine that programs run on")
        from gnomon.arch import load_architecture

        changes = (overrides or [], [*(overrides or []), *(overrides_b or [])])
        machine_a, machine_b = map(load_architecture, (arch, arch_b or arch), changes)
        sources = [each for each in (a, b) if each is not None and are_sources([each])]
        if options and not sources:
            load_program([a], machine_a, options)  # says that it is built already
        given = dict.fromkeys(sources, options)
        program_a = load_program([a], machine_a, given.get(a))
        # One program on two machines is one program: it is built for the first.
        program_b = program_a if b is None else load_program([b], machine_b, given.get(b))
        suffix_a, suffix_b = ("".join(f", {key}" for key in each) for each in changes)
        result = Result.of_programs(
            (program_a, machine_a),
            (program_b, machine_b),
            max_cycles=max_cycles,
            context=context,
            suffixes=(suffix_a, suffix_b),
        )
    if as_json:
        print(json.dumps(result.to_json()))
    else:
        from gnomon.report.diff_text import print_diff

        print_diff(result)
    if result.differs != "nothing":
        raise typer.Exit(1)
