"""Evaluation of tasks in a worker process.

A worker caches its runs and reuses them if possible (``_runs.py``). Energy, time and area are then
computed for each machine's own clock and tables.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from gnomon.arch import Architecture
from gnomon.base.errors import CheckFailed, GnomonError, visible
from gnomon.base.loading import user_content_error
from gnomon.base.units import microseconds
from gnomon.cost.energy import OptionalEnergy
from gnomon.explore._outcomes import PointOutcome
from gnomon.explore._programs import (
    build_program,
    record_program,
    retime_program,
    run_program,
)
from gnomon.explore._runs import Runs
from gnomon.explore._task import Task, build_task, make_kernel_bench, make_learner_bench
from gnomon.explore.metrics import area_columns, cost_columns
from gnomon.explore.settings import Value, Workload
from gnomon.measure.kernels import KernelRun
from gnomon.measure.learners import LearnerRun, find_embedded_learner
from gnomon.measure.regret import RegretCase, RegretCell, play_regret
from gnomon.program import Program, unchanging_files
from gnomon.sim import Work, load_engine

_DATA_OF_KERNELS = "dense"
_MOST_PROGRAMS = 256
_MOST_PRICES = 64
_Quote = Callable[[Architecture], OptionalEnergy]
_NOT_IN_AREAS = ("clock", "power", "source", "title")

NOT_IN_PROGRAMS = (
    "area", "name", "power", "schema", "source", "title",
    "core.divider", "core.divider_table", "core.latency", "vcu.divider", "vcu.divider_table",
)  # fmt: skip
"""Keys that a build does not depend on: ``machine.h`` and the linker script exclude them."""

_NOT_BUILT = frozenset(
    {"case", "contexts", "correcting", "environments", "max-cycles", "operands", "region", "rounds",
     "seed"}
)  # fmt: skip
"""Settings that a build does not depend on: inputs, and what is measured."""


class EnvironmentFailed(GnomonError):  # noqa: N818 - names the failed part
    """Failure of the computer, not of the point: a full disk, no memory. The sweep stops."""


class EngineFailed(EnvironmentFailed):
    """Failure to compile the engine, so that no point can be computed. Exit code 1."""

    exit_code = 1


def check_engine() -> None:
    """Load the engine, which is compiled at its first use: once, and not at every point.

    Raises:
        EngineFailed: if it cannot be compiled.
    """
    try:
        load_engine()
    except GnomonError as error:
        raise EngineFailed(f"no point can be computed: {error}") from None


@dataclass(slots=True)
class WorkerCache:
    """Programs and runs of this process, for reuse while sources do not change."""

    files: dict[tuple[object, ...], Any] = field(default_factory=dict)
    programs: dict[tuple[object, ...], Program] = field(default_factory=dict)
    unread: dict[tuple[object, ...], tuple[str, ...]] = field(default_factory=dict)
    first_clocks: dict[tuple[object, ...], tuple[int, str]] = field(default_factory=dict)
    steps: dict[tuple[object, ...], Any] = field(default_factory=dict)
    runs: Runs = field(default_factory=Runs)
    regrets: dict[tuple[object, ...], tuple[dict[str, float], str]] = field(default_factory=dict)
    areas: dict[str, dict[str, float] | str] = field(default_factory=dict)
    prices: dict[tuple[object, ...], tuple[_Quote, Any]] = field(default_factory=dict)


def evaluate_tasks(tasks: Sequence[Task], cache: WorkerCache | None = None) -> list[PointOutcome]:
    """Evaluate tasks one after another; order tasks so that similar machines are adjacent.

    Raises:
        EnvironmentFailed: if the computer fails.
    """
    cache = cache or WorkerCache()
    with unchanging_files(cache.files):
        return [_outcome(task, cache) for task in tasks]


def _outcome(task: Task, cache: WorkerCache) -> PointOutcome:
    try:
        return _priced(task, cache, _MEASURE[task.workload](task, cache))
    except GnomonError as error:
        cause = error.__context__
        if isinstance(cause, OSError | MemoryError):
            raise EnvironmentFailed(str(error)) from None
        kind = "check failed: " if isinstance(error, CheckFailed) else ""
        return PointOutcome(reason=f"{kind}{visible(str(error))}")
    except (OSError, MemoryError) as error:
        raise EnvironmentFailed(f"{type(error).__name__}: {error}") from None
    except (Exception, SystemExit) as error:
        user_error = user_content_error(error)
        if user_error is None:
            raise
        return PointOutcome(reason=visible(str(user_error)))


@dataclass(frozen=True, slots=True)
class _Measured:
    """Result of a workload at a point; time, energy and area follow from it."""

    run: Any  # has ``wall_cycles`` and ``hart_cycles``
    work: Work
    operands: str | None  # operand kind for tables of switching activity, unless the task sets it
    facts: dict[str, str | int]
    metrics: dict[str, int | float] = field(default_factory=dict)  # metrics of this workload only
    notes: dict[str, str] = field(default_factory=dict)


def _learner(task: Task, cache: WorkerCache) -> _Measured:
    bench = make_learner_bench(task)
    program = _program(cache, task, lambda: build_task(task, bench))
    given: dict[str, Any] = {name: task.setting(name) for name in ("case", "seed", "correcting")}

    step = partial(_once, cache.steps, task, lambda: bench.step(**given))
    run = cache.runs.get(
        (task.settings, program.digest),
        task,
        lambda: bench.measure(details=False, program=program, step=step(), **given),
        lambda: bench.record(program, step()),
        LearnerRun.retimed,
    )
    clock_hz = task.architecture.clock
    stack_bytes = sum(run.stack_bytes)
    metrics: dict[str, int | float] = {
        "select_us": microseconds(run.select.wall_cycles, clock_hz),
        "update_us": microseconds(run.update.wall_cycles, clock_hz),
        "select_cycles": run.select.wall_cycles,
        "update_cycles": run.update.wall_cycles,
        "memory_bytes": run.text_bytes + run.static_bytes + stack_bytes,
        "text_bytes": run.text_bytes,
        "static_bytes": run.static_bytes,
        "stack_bytes": stack_bytes,
        "model_bytes": run.model_bytes,
    }
    # equal for machines that share a build
    regret, why = _once(cache.regrets, task, lambda: _regret(task))
    notes = {"regret": why} if why else {}
    work = Work.joined([run.select.work, run.update.work])
    facts = {"arm": run.arm, **_built(program)}
    return _Measured(run, work, run.operands, facts, metrics | regret, notes)


def _regret(task: Task) -> tuple[dict[str, float], str]:
    """Return metrics of regret, and the reason why some are unavailable (empty if none is).

    Both sums are over all environments, seeds 1 to ``environments``. Formats, variants and
    implementations play the same rounds. The weight of exploration is that of the measured step.
    """
    rounds = task.setting("rounds")
    if rounds is None:
        return {}, ""  # not requested
    own = reference = 0.0
    for seed in range(1, task.setting("environments") + 1):
        case = RegretCase(
            name=task.setting("learner"),
            law=task.setting("contexts"),
            rounds=rounds,
            dimensions=task.setting("d"),
            features=task.setting("f") or 0,
            arms=task.setting("arms"),
            alpha=find_embedded_learner(task.setting("learner")).alpha,
            seed=seed,
        )
        how = ("line", "variant", "fraction-bits", "correction-period")
        played = play_regret(RegretCell(case, *map(task.setting, how)), task.architecture)
        own += played.own
        reference += played.reference
    if reference == 0:
        why = f"the float learner has regret 0 in {rounds:,} rounds; use more rounds"
        return {"regret_sum_rewards": own}, why
    return {"regret_sum_rewards": own, "regret_ratio": own / reference}, ""


def _kernel(task: Task, cache: WorkerCache) -> _Measured:
    bench = make_kernel_bench(task)
    shape = task.setting("shape")
    extents = bench.kernel.sized(task.setting("n"), None if shape is None else str(shape))
    bench.check(extents)
    program = _program(cache, task, lambda: build_task(task, bench))
    given: dict[str, Any] = {"seed": task.setting("seed"), "program": program}
    run = cache.runs.get(
        (task.settings, program.digest),
        task,
        lambda: bench.measure(extents, **given),
        lambda: bench.record(extents, **given),
        KernelRun.retimed,
    )
    return _Measured(run, run.work, _DATA_OF_KERNELS, _built(program))


def _user_program(task: Task, cache: WorkerCache) -> _Measured:
    # Sources of a user may have changed since another sweep of this process.
    with unchanging_files(cache.files.setdefault(("sources", task.sources), {})):
        program: Program = (
            _program(cache, task, lambda: build_program(task))
            if task.setting("sources")
            else build_program(task)
        )
    how = (program, task.architecture, task.setting("max-cycles"), task.setting("region"))
    run = cache.runs.get(
        (task.settings, program.digest),
        task,
        lambda: run_program(*how),
        lambda: record_program(run_program(*how), *how),
        retime_program,
    )
    built = {} if program.build is None else _built(program)
    return _Measured(run, run.work, None, {"exit_code": run.exit_code, **built})


_MEASURE: dict[Workload, Callable[[Task, WorkerCache], _Measured]] = {
    "learner": _learner, "kernel": _kernel, "program": _user_program,
}  # fmt: skip


def _program(cache: WorkerCache, task: Task, build: Callable[[], Program]) -> Program:
    """Return a program, built once for all clocks if no file reads the clock.

    No file reads the clock if two builds have equal keys and their machines differ in the clock
    only.
    """
    settings = tuple(each for each in task.settings if each[0] not in _NOT_BUILT)
    build_of, clock = (settings, task.sources), int(task.architecture.clock)
    unread = cache.unread.get(build_of, NOT_IN_PROGRAMS)
    program: Program = _once(cache.programs, task, build, unread, settings)
    if unread is NOT_IN_PROGRAMS:
        without = (*NOT_IN_PROGRAMS, "clock")
        place = (*build_of, task.observed(without))
        first = cache.first_clocks.setdefault(place, (clock, _build_key(program)))
        if first[0] != clock and first[1] == _build_key(program):
            cache.unread[build_of] = without
    return program


def _once(
    results: dict[tuple[object, ...], Any],
    task: Task,
    make: Callable[[], Any],
    unread: tuple[str, ...] = NOT_IN_PROGRAMS,
    settings: tuple[tuple[str, Value], ...] | None = None,
) -> Any:
    """Return a cached result that depends on a build, or make it; it reads few machine keys.

    ``settings`` are those that it reads; None: all.
    """
    key = (task.settings if settings is None else settings, task.sources, task.observed(unread))
    if key not in results:
        if len(results) >= _MOST_PROGRAMS:
            results.pop(next(iter(results)))
        results[key] = make()
    return results[key]


def _build_key(program: Program) -> str:
    assert program.build is not None
    return program.build.key


def _built(program: Program) -> dict[str, str | int]:
    assert program.build is not None
    info = program.build
    return {
        "build": f"{info.compiler} {info.version} {' '.join(info.flags)}",
        "binary": program.digest[:16],
    }


def _priced(task: Task, cache: WorkerCache, found: _Measured) -> PointOutcome:
    """Return the outcome with time, energy and area, or the reasons why these are unavailable."""
    architecture, run = task.architecture, found.run
    # equal for machines that differ in these keys only
    alike = task.observed(_NOT_IN_AREAS)
    if alike not in cache.areas:
        cache.areas[alike] = area_columns(architecture)
    data = task.setting("operands") or found.operands
    place = (task.observed(("clock",)), data, id(run))
    if place not in cache.prices:
        if len(cache.prices) >= _MOST_PRICES:
            cache.prices.pop(next(iter(cache.prices)))
        # with the run, whose identity is in the key
        cache.prices[place] = OptionalEnergy.by_clock(found.work, architecture, data=data), run
    metrics, notes, assumed = cost_columns(
        run.wall_cycles, run.hart_cycles, found.work, architecture, data, cache.areas[alike],
        cache.prices[place][0],
    )  # fmt: skip
    return PointOutcome(found.metrics | metrics, found.notes | notes, found.facts | assumed)
