"""Tasks in, outcomes out: what a worker process does.

A worker remembers what it has run, and uses it again where it can (``_runs.py``). Energy, time and
area are then computed for each machine's own clock and tables.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.loading import users_mistake
from gnomon.base.units import microseconds
from gnomon.explore._runs import Runs
from gnomon.explore._task import Task
from gnomon.explore.metrics import area_columns, cost_columns
from gnomon.explore.settings import Workload
from gnomon.program import Program
from gnomon.sim import Run, Work, load_engine

_DATA_OF_KERNELS = "dense"
_MOST_PROGRAMS = 256

NOT_IN_PROGRAMS = (
    "area", "name", "power", "schema", "source", "title",
    "core.divider", "core.divider_table", "vcu.divider", "vcu.divider_table",
)  # fmt: skip
"""Keys that a build does not depend on: ``machine.h`` and the linker script do not hold them."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a task: metrics, or the reason why there are none."""

    # by column; one that is not known is not there
    metrics: Mapping[str, int | float] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)  # why a metric is not known, by metric
    # other results: exit code, arm chosen, how the program was built
    facts: Mapping[str, str | int] = field(default_factory=dict)
    reason: str = ""  # of the failure; empty if there is none

    def to_json(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)


class EnvironmentFailed(GnomonError):  # noqa: N818 - says what failed
    """The computer failed, not the point: a full disk, no memory. The sweep stops."""


class EngineFailed(EnvironmentFailed):
    """No point can be computed, as there is no engine. Exit code 1."""

    exit_code = 1


def check_engine() -> None:
    """Have the engine there, which is compiled at its first use: once, and not at every point.

    Raises:
        EngineFailed: it cannot be compiled.
    """
    try:
        load_engine()
    except GnomonError as error:
        raise EngineFailed(f"no point can be computed: {error}") from None


@dataclass(slots=True)
class Memory:
    """Programs built and runs made by this process, to use again; sources do not change."""

    files: dict[tuple[object, ...], Any] = field(default_factory=dict)
    programs: dict[tuple[object, ...], Program] = field(default_factory=dict)
    unread: dict[tuple[object, ...], tuple[str, ...]] = field(default_factory=dict)
    first_clocks: dict[tuple[object, ...], tuple[int, str]] = field(default_factory=dict)
    steps: dict[tuple[object, ...], Any] = field(default_factory=dict)
    runs: Runs = field(default_factory=Runs)
    regrets: dict[tuple[object, ...], tuple[dict[str, float], str]] = field(default_factory=dict)
    areas: dict[str, dict[str, float] | str] = field(default_factory=dict)


def evaluate(tasks: Sequence[Task], memory: Memory | None = None) -> list[Outcome]:
    """Evaluate tasks one after the other; those of one program and similar machines together.

    Raises:
        EnvironmentFailed: the computer failed.
    """
    from gnomon.program import unchanging_files

    memory = memory or Memory()
    with unchanging_files(memory.files):
        return [_outcome(task, memory) for task in tasks]


def _outcome(task: Task, memory: Memory) -> Outcome:
    try:
        return _priced(task, memory, _MEASURE[task.workload](task, memory))
    except GnomonError as error:
        cause = error.__context__
        if isinstance(cause, OSError | MemoryError):
            raise EnvironmentFailed(str(error)) from None
        kind = "check failed: " if isinstance(error, CheckFailed) else ""
        return Outcome(reason=f"{kind}{error}")
    except (OSError, MemoryError) as error:
        raise EnvironmentFailed(f"{type(error).__name__}: {error}") from None
    except (Exception, SystemExit) as error:
        mistake = users_mistake(error)
        if mistake is None:
            raise
        return Outcome(reason=str(mistake))


@dataclass(frozen=True, slots=True)
class _Measured:
    """What a workload gives for a point; time, energy and area follow from it."""

    run: Any  # has ``wall_cycles`` and ``hart_cycles``
    work: Work
    operands: str | None  # to tables of switching activity, where the task does not say
    facts: dict[str, str | int]
    metrics: dict[str, int | float] = field(default_factory=dict)  # that other workloads lack
    notes: dict[str, str] = field(default_factory=dict)


def _learner(task: Task, memory: Memory) -> _Measured:
    from gnomon.bench.learners import LearnerRun

    bench = task.learner_bench()
    program = _program(memory, task, lambda: task.build(bench))
    given: dict[str, Any] = {name: task.setting(name) for name in ("case", "seed", "correcting")}

    step = partial(_once, memory.steps, task, lambda: bench.step(**given))
    run = memory.runs.get(
        (task.settings, program.digest),
        task.architecture,
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
    # The same for machines that one build is for.
    regret, why = _once(memory.regrets, task, lambda: _regret(task))
    notes = {"regret": why} if why else {}
    work = Work.joined([run.select.work, run.update.work])
    facts = {"arm": run.arm, **_built(program)}
    return _Measured(run, work, run.operands, facts, metrics | regret, notes)


def _regret(task: Task) -> tuple[dict[str, float], str]:
    """Metrics of regret, and why some are not known (empty: all are).

    Both sums are over all environments, seeds 1 to ``environments``. Formats, variants and code
    lines meet the same rounds. Weight of exploration: that of the step that is measured.
    """
    rounds = task.setting("rounds")
    if rounds is None:
        return {}, ""  # not asked for
    from gnomon.bench.learners import find_embedded_learner
    from gnomon.bench.regret import RegretCase, RegretCell, play_regret

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
        why = f"float has no regret at all in {rounds:,} rounds; take more"
        return {"regret_sum_rewards": own}, why
    return {"regret_sum_rewards": own, "regret_ratio": own / reference}, ""


def _kernel(task: Task, memory: Memory) -> _Measured:
    from gnomon.bench.kernels import KernelRun

    bench = task.kernel_bench()
    shape = task.setting("shape")
    extents = bench.kernel.sized(task.setting("n"), None if shape is None else str(shape))
    bench.check(extents)
    program = _program(memory, task, lambda: task.build(bench))
    given: dict[str, Any] = {"seed": task.setting("seed"), "program": program}
    run = memory.runs.get(
        (task.settings, program.digest),
        task.architecture,
        lambda: bench.measure(extents, **given),
        lambda: bench.record(extents, **given),
        KernelRun.retimed,
    )
    return _Measured(run, run.work, _DATA_OF_KERNELS, _built(program))


def _user_program(task: Task, memory: Memory) -> _Measured:
    from gnomon.explore import _programs
    from gnomon.program import unchanging_files

    # Sources of a user may have changed since another sweep of this process.
    with unchanging_files(memory.files.setdefault(("sources", task.sources), {})):
        program: Program = (
            _program(memory, task, lambda: _programs.built_program(task))
            if task.setting("sources")
            else _programs.built_program(task)
        )
    how = (program, task.architecture, task.setting("max-cycles"), task.setting("region"))
    run = memory.runs.get(
        (task.settings, program.digest),
        task.architecture,
        lambda: _programs.run_program(*how),
        lambda: _programs.record_program(_programs.run_program(*how), *how),
        _programs.retimed_program,
    )
    built = {} if program.build is None else _built(program)
    return _Measured(run, run.work, None, {"exit_code": run.exit_code, **built})


_MEASURE: dict[Workload, Callable[[Task, Memory], _Measured]] = {
    "learner": _learner, "kernel": _kernel, "program": _user_program,
}  # fmt: skip


def _program(memory: Memory, task: Task, build: Callable[[], Program]) -> Program:
    """A program, built once for all clocks if no file reads the clock.

    That is so where the keys of two builds agree whose machines differ in nothing else.
    """
    build_of, clock = (task.settings, task.sources), int(task.architecture.clock)
    unread = memory.unread.get(build_of, NOT_IN_PROGRAMS)
    program: Program = _once(memory.programs, task, build, unread)
    if unread is NOT_IN_PROGRAMS:
        without = (*NOT_IN_PROGRAMS, "clock")
        place = (*build_of, Run.fingerprint(task.architecture, without))
        first = memory.first_clocks.setdefault(place, (clock, _build_key(program)))
        if first[0] != clock and first[1] == _build_key(program):
            memory.unread[build_of] = without
    return program


def _once(
    kept: dict[tuple[object, ...], Any],
    task: Task,
    make: Callable[[], Any],
    unread: tuple[str, ...] = NOT_IN_PROGRAMS,
) -> Any:
    """Make what depends on a build, or take it from memory: few keys of a machine reach it."""
    key = (task.settings, task.sources, Run.fingerprint(task.architecture, unread))
    if key not in kept:
        if len(kept) >= _MOST_PROGRAMS:
            kept.pop(next(iter(kept)))
        kept[key] = make()
    return kept[key]


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


def _priced(task: Task, memory: Memory, found: _Measured) -> Outcome:
    """With time, energy and area, or why these are not known."""
    architecture, run = task.architecture, found.run
    # The same for machines alike but for these keys.
    alike = Run.fingerprint(architecture, ("clock", "power", "source", "title"))
    if alike not in memory.areas:
        memory.areas[alike] = area_columns(architecture)
    data = task.setting("operands") or found.operands
    metrics, notes, assumed = cost_columns(
        run.wall_cycles, run.hart_cycles, found.work, architecture, data, memory.areas[alike]
    )
    return Outcome(found.metrics | metrics, found.notes | notes, found.facts | assumed)
