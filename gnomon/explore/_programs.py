"""A user's program at a point: built for its machine if it is given as sources, run or re-timed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.explore._task import Task
from gnomon.explore.settings import macros
from gnomon.program import Program, build, load_elf
from gnomon.sim import NotPriceable, Region, RegionRun, TimedPath, Work, simulate

_MAIN = "main"


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """What a sweep keeps of a run."""

    exit_code: int  # of the program
    wall_cycles: int  # of the whole run, or of the region that is measured
    hart_cycles: int  # of hart 0
    work: Work  # of the whole run, or while hart 0 was in the region
    unobserved: tuple[str, ...]  # keys that the run cannot have depended on
    # what hart 0 did in `main`, once, or in the region; None where that is not all
    main: RegionRun | None


def built_program(task: Task) -> Program:
    """The program of a task for its machine."""
    if not task.setting("sources"):
        return load_elf(task.image, task.setting("program"))
    return build(
        task.setting("sources"),
        task.architecture,
        defines=macros(task.setting("defines")),
        include=task.setting("include"),
        optimization=task.setting("optimization"),
        compiler=task.setting("compiler"),
        active_harts=task.setting("harts"),
    )


def run_program(
    program: Program,
    architecture: Architecture,
    max_cycles: int,
    region: str | None = None,
) -> ProgramRun:
    """Run it; with ``region`` the cycles and the work are those of that function on hart 0.

    Raises:
        GnomonError: it does not end, or hart 0 never enters and leaves the region.
    """
    regions = _regions(program) if region is None else [_region(program, region)]
    run = simulate(program, architecture, max_cycles=max_cycles, regions=regions)
    if run.halted != "exit":
        raise GnomonError(f"{run.program}: did not finish ({run.halted}): {run.reason}")
    if region is not None:
        own = [each for each in run.regions[region] if each.hart == 0]
        if not own:
            raise GnomonError(f"{run.program}: hart 0 never enters and leaves {region}")
        (part,) = own
        return ProgramRun(
            int(run.exit_code or 0), part.wall_cycles, part.hart_cycles, part.work, run.unobserved,
            part if len(run.regions[region]) == 1 else None,
        )  # fmt: skip
    passes = run.regions.get(_MAIN, ()) if regions else ()
    single = len(passes) == 1 and passes[0].hart == 0 and passes[0].entries == 1
    return ProgramRun(
        exit_code=int(run.exit_code or 0),
        wall_cycles=run.exit_cycle + 1,
        hart_cycles=run.harts[0].hart_cycles,
        work=run.work,
        unobserved=run.unobserved,
        main=passes[0] if single else None,
    )


def record_program(
    program: Program,
    architecture: Architecture,
    run: ProgramRun,
    max_cycles: int,
    region: str | None = None,
) -> TimedPath:
    """The path of a run whose timing is all in ``main``, or of a region that is measured.

    The rest of the run, start-up and exit, must hold no event whose timing depends on the machine;
    and priced for the machine that it was recorded on, the path must be the run.

    Raises:
        NotPriceable: it cannot be priced on others; what the recorder refuses, such as several
            harts at work, counters or interrupts, too.
    """
    if run.main is None:
        raise NotPriceable("hart 0 does not enter main once, or another hart does")
    regions = _regions(program) if region is None else [_region(program, region)]
    path = TimedPath.record(program, architecture, regions, max_cycles=max_cycles)
    if path.exit_code != run.exit_code or not (path.enclosed or region):
        raise NotPriceable("what its timing depends on is not all in main")
    if path.retime(architecture)[region or _MAIN] != (run.main,):
        raise NotPriceable("the path is not that of the run")
    return path


def retimed_program(run: ProgramRun, regions: Mapping[str, tuple[RegionRun, ...]]) -> ProgramRun:
    """The run on another machine, whose ``main`` is that of the path there."""
    ((_, (main,)),) = regions.items()
    before = run.main
    assert before is not None
    if main.name != _MAIN or run.wall_cycles == before.wall_cycles:  # a region is measured
        return replace(
            run, wall_cycles=main.wall_cycles, hart_cycles=main.hart_cycles, work=main.work,
            main=main,
        )  # fmt: skip
    longer = main.wall_cycles - before.wall_cycles
    parked = zip(run.work.parked_slots, main.work.parked_slots, before.work.parked_slots,
                 strict=True)  # fmt: skip
    work = replace(
        run.work,
        wall_cycles=run.work.wall_cycles + longer,
        retries=run.work.retries + main.work.retries - before.work.retries,
        parked_slots=tuple(whole + now - then for whole, now, then in parked),
        waiting_cycles=run.work.waiting_cycles
        + main.work.waiting_cycles
        - before.work.waiting_cycles,
    )
    return replace(
        run,
        wall_cycles=run.wall_cycles + longer,
        hart_cycles=run.hart_cycles + main.hart_cycles - before.hart_cycles,
        work=work,
        main=main,
    )


def _region(program: Program, name: str) -> Region:
    return Region(name, program.symbol(name).address)


def _regions(program: Program) -> list[Any]:
    try:
        return [_region(program, _MAIN)]
    except GnomonError:
        return []
