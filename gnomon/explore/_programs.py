"""A user's program at a point: built for its machine if it consists of sources, run or re-timed."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from gnomon.arch import Architecture
from gnomon.base.errors import GnomonError
from gnomon.explore._task import Task
from gnomon.explore.settings import parse_macros
from gnomon.program import Program, build, load_elf
from gnomon.sim import NotPriceable, Region, RegionRun, TimedPath, Work, record_path, simulate
from gnomon.sim.crash import bad_end

_MAIN = "main"


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """Results of a run that a sweep needs."""

    exit_code: int  # of the program
    wall_cycles: int  # of the whole run, or of the measured region
    hart_cycles: int  # of hart 0
    work: Work  # of the whole run, or of all harts during the region
    unobserved: tuple[str, ...]  # keys that the run cannot have depended on
    # work of hart 0 in `main`, entered once, or in the region; None if the rest of the run matters
    main: RegionRun | None


def build_program(task: Task) -> Program:
    """Return the program of a task for its machine; build it if it consists of sources."""
    if not task.setting("sources"):
        return load_elf(task.image, task.setting("program"))
    return build(
        task.setting("sources"),
        task.architecture,
        defines=parse_macros(task.setting("defines")),
        include=task.setting("include"),
        optimization=task.setting("optimization"),
        compiler=task.setting("compiler"),
        active_harts=task.setting("harts"),
    )


def run_program(
    program: Program, architecture: Architecture, max_cycles: int, region: str | None = None
) -> ProgramRun:
    """Run a program; with ``region``, cycles and work are those of this function.

    Several harts count from the first entry to the last exit (``Run.region_totals``).

    Raises:
        GnomonError: if it does not end, no hart enters and leaves the region, or a hart never
            leaves a region that others have left.
    """
    regions = _regions(program, region)
    run = simulate(program, architecture, max_cycles=max_cycles, regions=regions)
    ended = bad_end(run, program)
    if ended is not None:
        raise GnomonError(f"{run.program}: {ended}")
    passes = run.regions.get(region or _MAIN, ())
    own = [each for each in passes if each.hart == 0]
    single = own[0] if len(passes) == len(own) == 1 else None
    exit_code = int(run.exit_code or 0)
    if region is None:
        main = single if single is not None and single.entries == 1 else None
        return ProgramRun(
            exit_code, run.exit_cycle + 1, run.harts[0].hart_cycles, run.work, run.unobserved, main
        )
    total = run.region_totals.get(region)
    if total is None:
        raise GnomonError(f"{run.program}: no hart enters and leaves {region}")
    total.check_finished()
    return ProgramRun(
        exit_code, total.wall_cycles, total.hart_cycles[0], total.work, run.unobserved, single
    )


def record_program(
    run: ProgramRun,
    program: Program,
    architecture: Architecture,
    max_cycles: int,
    region: str | None = None,
) -> TimedPath:
    """Return the path of a run whose timing is all in ``main``, or of a measured region.

    The rest of the run, start-up and exit, must hold no event whose timing depends on the machine.
    On the machine of the recording, the path must have the timing of the run.

    Raises:
        NotPriceable: if it cannot be priced on other machines, or the recorder rejects it, such as
            several active harts, counters or interrupts.
    """
    if run.main is None:
        raise NotPriceable("hart 0 does not enter main once, or another hart does")
    regions = _regions(program, region)
    path = record_path(program, architecture, regions, max_cycles=max_cycles)
    if path.exit_code != run.exit_code or not (path.enclosed or region):
        raise NotPriceable("an event outside main has a timing that depends on the machine")
    if path.retime(architecture)[region or _MAIN] != (run.main,):
        raise NotPriceable("the path is not that of the run")
    return path


def retime_program(run: ProgramRun, regions: Mapping[str, tuple[RegionRun, ...]]) -> ProgramRun:
    """Return the run on another machine, with the ``main`` of the path there."""
    ((_, (main,)),) = regions.items()
    before = run.main
    assert before is not None
    if main.name != _MAIN or run.wall_cycles == before.wall_cycles:  # a region is measured
        return replace(
            run, wall_cycles=main.wall_cycles, hart_cycles=main.hart_cycles, work=main.work,
            main=main,
        )  # fmt: skip
    works = (run.work, main.work, before.work)
    parked = zip(*(each.parked_slots for each in works), strict=True)
    longer = main.wall_cycles - before.wall_cycles
    work = replace(
        run.work,
        wall_cycles=run.work.wall_cycles + longer,
        parked_slots=tuple(whole + now - then for whole, now, then in parked),
        **{
            name: getattr(run.work, name) + getattr(main.work, name) - getattr(before.work, name)
            for name in ("retries", "waiting_cycles")
        },
    )
    return replace(
        run,
        wall_cycles=run.wall_cycles + longer,
        hart_cycles=run.hart_cycles + main.hart_cycles - before.hart_cycles,
        work=work,
        main=main,
    )


def _regions(program: Program, region: str | None) -> list[Region]:
    """Return the region of the measured function; else of ``main``, if it exists."""
    try:
        return [Region(region or _MAIN, program.symbol(region or _MAIN).address)]
    except GnomonError:
        if region is None:
            return []
        raise
