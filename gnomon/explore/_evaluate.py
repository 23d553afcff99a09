"""Tasks in, outcomes out: what a worker process does.

A worker remembers what it has run, and uses it again where it can (``_runs.py``). Energy, time and
area are then computed for each machine's own clock and tables.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from gnomon.arch import Architecture
from gnomon.base.digits import digits
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.bench.learners import Step
from gnomon.explore._programs import ProgramRun
from gnomon.explore._runs import Runs
from gnomon.explore._task import Task
from gnomon.explore.metrics import AREA_COLUMNS, ENERGY_COLUMNS
from gnomon.program import Program
from gnomon.sim import Run, TimedPath, Work, load_engine

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
    steps: dict[tuple[object, ...], Step] = field(default_factory=dict)
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
        return _MEASURE[task.workload](task, memory)
    except GnomonError as error:
        cause = error.__context__
        if isinstance(cause, OSError | MemoryError):
            raise EnvironmentFailed(str(error)) from None
        kind = "check failed: " if isinstance(error, CheckFailed) else ""
        return Outcome(reason=f"{kind}{error}")
    except (OSError, MemoryError) as error:
        raise EnvironmentFailed(f"{type(error).__name__}: {error}") from None


def _learner(task: Task, memory: Memory) -> Outcome:
    from gnomon.bench.learners import LearnerRun

    architecture, bench = task.architecture, task.learner_bench()
    program = _program(memory, task, lambda: task.build(bench))
    given: dict[str, Any] = {
        "case": task.setting("case"),
        "seed": task.setting("seed"),
        "correcting": task.setting("correcting"),
    }

    def step() -> Step:
        made: Step = _once(memory.steps, task, lambda: bench.step(**given))
        return made

    run = memory.runs.get(
        (task.settings, _build_key(program)),
        architecture,
        lambda: bench.measure(details=False, program=program, step=step(), **given),
        lambda: bench.record(program, step()),
        LearnerRun.retimed,
    )
    run = replace(run, arch=architecture.name, clock_hz=int(architecture.clock))
    per_cycle_us = 1e6 / run.clock_hz
    stack_bytes = sum(run.stack_bytes)
    metrics: dict[str, int | float] = {
        "time_us": run.time_us,
        "select_us": run.select.wall_cycles * per_cycle_us,
        "update_us": run.update.wall_cycles * per_cycle_us,
        "wall_cycles": run.wall_cycles,
        "select_cycles": run.select.wall_cycles,
        "update_cycles": run.update.wall_cycles,
        "hart_cycles": run.hart_cycles,
        "memory_bytes": run.text_bytes + run.static_bytes + stack_bytes,
        "text_bytes": run.text_bytes,
        "static_bytes": run.static_bytes,
        "stack_bytes": stack_bytes,
        "model_bytes": run.model_bytes,
    }
    regret, why = _regret(task, memory)
    notes = {"regret": why} if why else {}
    from gnomon.sim import Work

    data = task.setting("operands") or run.operands
    work = Work.joined([run.select.work, run.update.work])
    outcome = Outcome(metrics | regret, notes, {"arm": run.arm, **_built(program)})
    return _priced(memory, architecture, outcome, work, data)


def _regret(task: Task, memory: Memory) -> tuple[dict[str, float], str]:
    """Regret, and why it is not known; the same for machines that one build is for."""
    from gnomon.explore._regret import regret_of

    found: tuple[dict[str, float], str] = _once(memory.regrets, task, lambda: regret_of(task))
    return found


def _kernel(task: Task, memory: Memory) -> Outcome:
    from gnomon.bench.kernels import KernelRun

    architecture, bench = task.architecture, task.kernel_bench()
    extents = bench.check(_extents(task, bench.kernel.square))
    program = _program(memory, task, lambda: task.build(bench))
    given: dict[str, Any] = {"seed": task.setting("seed"), "program": program}
    run = memory.runs.get(
        (task.settings, _build_key(program)),
        architecture,
        lambda: bench.measure(extents, **given),
        lambda: bench.record(extents, **given),
        KernelRun.retimed,
    )
    metrics: dict[str, int | float] = {
        "time_us": run.wall_cycles * 1e6 / int(architecture.clock),
        "wall_cycles": run.wall_cycles,
        "hart_cycles": run.hart_cycles,
    }
    data = task.setting("operands") or _DATA_OF_KERNELS
    return _priced(memory, architecture, Outcome(metrics, facts=_built(program)), run.work, data)


def _extents(task: Task, square: Any) -> tuple[int, ...]:
    n, shape = task.setting("n"), task.setting("shape")
    if (n is None) == (shape is None):
        raise GnomonError("a kernel needs its size: n, or shape such as 8x8x4")
    if n is not None:
        return tuple(square(n))
    numbers = [digits(word) for word in str(shape).split("x")]
    if None in numbers:
        raise GnomonError(f"shape must be numbers with x between, such as 8x8x4, not {shape!r}")
    return tuple(number for number in numbers if number is not None)


def _user_program(task: Task, memory: Memory) -> Outcome:
    from gnomon.explore import _programs
    from gnomon.program import unchanging_files

    architecture, limit = task.architecture, task.setting("max-cycles")
    region = task.setting("region")
    # Sources of a user may have changed since another sweep of this process.
    with unchanging_files(memory.files.setdefault(("sources", task.sources), {})):
        program: Program = (
            _program(memory, task, lambda: _programs.built_program(task))
            if task.setting("sources")
            else _programs.built_program(task)
        )

    def execute() -> ProgramRun:
        return _programs.run_program(program, architecture, limit, region)

    def record() -> TimedPath:
        return _programs.record_program(program, architecture, execute(), limit, region)

    run = memory.runs.get(
        (task.settings, program.digest), architecture, execute, record,
        _programs.retimed_program,
    )  # fmt: skip
    metrics: dict[str, int | float] = {
        "time_us": run.wall_cycles * 1e6 / int(architecture.clock),
        "wall_cycles": run.wall_cycles,
        "hart_cycles": run.hart_cycles,
    }
    facts: dict[str, str | int] = {"exit_code": run.exit_code}
    if program.build is not None:
        facts |= _built(program)
    return _priced(
        memory, architecture, Outcome(metrics, facts=facts), run.work, task.setting("operands")
    )


_MEASURE = {"learner": _learner, "kernel": _kernel, "program": _user_program}


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
    return {"build": f"{info.compiler} {info.version} {' '.join(info.flags)}"}


def _priced(
    memory: Memory, architecture: Architecture, outcome: Outcome, work: Work, data: str | None
) -> Outcome:
    """Add energy and area, or why they are not known."""
    from gnomon.cost.energy import Quote

    metrics = dict(outcome.metrics)
    notes = dict(outcome.notes)
    priced = Quote.of(work, architecture, data=data)
    if priced.energy is None:
        notes["energy"] = priced.reason
    else:
        metrics |= {name: value(priced.energy) for name, value in ENERGY_COLUMNS.items()}
    taken = _area(architecture, memory)
    if isinstance(taken, str):
        notes["area"] = taken
    else:
        metrics |= taken
    return Outcome(metrics, notes, outcome.facts)


def _area(architecture: Architecture, memory: Memory) -> dict[str, float] | str:
    """Area by column, or why it is not known; the same for machines alike but for these keys."""
    from gnomon.cost.area import area

    key = Run.fingerprint(architecture, ("clock", "power", "source", "title"))
    if key not in memory.areas:
        try:
            total = area(architecture).total
        except GnomonError as error:
            memory.areas[key] = str(error)
        else:
            memory.areas[key] = {name: value(total) for name, value in AREA_COLUMNS.items()}
    return memory.areas[key]
