"""Measurement of checks: the runs of sweeps, and programs with their memory sizes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.budget._budget import BudgetCheck
from gnomon.budget._limit import BUILD_SETTINGS
from gnomon.explore import Task, build_task, evaluate_tasks, make_kernel_bench
from gnomon.explore.metrics import AREA_COLUMNS, ENERGY_COLUMNS, cost_columns, technology_of
from gnomon.explore.settings import is_source, parse_macros
from gnomon.program import Program, build, load_elf
from gnomon.sim import Region, Run, Work, simulate
from gnomon.sim.crash import check_end


@dataclass(frozen=True, slots=True)
class CheckMeasurement:
    """Measured quantities of one check."""

    metrics: Mapping[str, int | float]  # values by column, without unavailable ones
    notes: Mapping[str, str] = field(
        default_factory=dict
    )  # reasons for unavailable ones, by column
    build: str = ""  # compiler, version and flags; empty for an ELF file
    exit_code: int | None = None  # of a program; else None
    operands: str | int | None = None  # operands that the energy assumes; None: no energy
    energy: str | None = None  # kind and library of the energy; None: no energy


def measure_check(check: BudgetCheck) -> CheckMeasurement:
    """Run one check and measure it.

    Raises:
        CheckFailed: if a learner or kernel differs from its model, or a program traps.
        GnomonError: if it cannot be built, run or measured, with file and line of the check.
    """
    try:
        return _measure_program(check) if check.workload == "program" else _measure_task(check)
    except CheckFailed as error:
        raise CheckFailed(f"{check.where}: {check.name}: {error}") from None
    except GnomonError as error:
        raise GnomonError(f"{check.where}: {check.name}: {error}") from None


def _measure_task(check: BudgetCheck) -> CheckMeasurement:
    task = Task(check.workload, tuple(check.settings.items()), check.architecture)
    (outcome,) = evaluate_tasks([task])
    failed = "check failed: "
    if outcome.reason.startswith(failed):
        raise CheckFailed(outcome.reason.removeprefix(failed))
    if outcome.reason:
        raise GnomonError(outcome.reason)
    metrics = dict(outcome.metrics)
    notes = _group_by_column(outcome.notes)
    if check.workload == "kernel":
        metrics |= _count_bytes(
            build_task(task, make_kernel_bench(task))
        )  # the same build, from the cache
    assumed = outcome.facts.get("operands")
    built, energy = str(outcome.facts["build"]), technology_of(outcome.facts)
    return CheckMeasurement(metrics, notes, built, operands=assumed, energy=energy or None)


def _group_by_column(notes: Mapping[str, str]) -> dict[str, str]:
    """Return notes by column; those of energy and area apply to all columns computed from them."""
    columns: dict[str, Iterable[str]] = {
        "energy": ENERGY_COLUMNS,
        "area": AREA_COLUMNS,
        "regret": ("regret_ratio", "regret_sum_rewards"),
    }
    return {column: text for name, text in notes.items() for column in columns[name]}


def _measure_program(check: BudgetCheck) -> CheckMeasurement:
    architecture = check.architecture
    program = _load(check)
    regions = [_parse_region(check.region, program)] if check.region is not None else []
    run = simulate(
        program, architecture, max_cycles=check.settings["max-cycles"], regions=regions, calls=True
    )
    check_end(run, program)
    metrics: dict[str, int | float] = dict(_count_bytes(program))
    notes: dict[str, str] = {}
    stack_bytes = _count_stack_bytes(program, run)
    if isinstance(stack_bytes, int):
        metrics["stack_bytes"] = stack_bytes
        metrics["memory_bytes"] = metrics["text_bytes"] + metrics["static_bytes"] + stack_bytes
    else:
        why = f"stack size unavailable: {stack_bytes}"
        notes |= {"stack_bytes": why, "memory_bytes": why}
    columns, why_not, assumed = cost_columns(
        *_read_cost(check, run), architecture, check.settings["operands"]
    )
    metrics |= columns
    notes |= _group_by_column(why_not)
    by = program.build
    built = f"{by.compiler} {by.version} {' '.join(by.flags)}" if by else ""
    return CheckMeasurement(
        metrics, notes, built, run.exit_code, assumed.get("operands"),
        technology_of(assumed) or None,
    )  # fmt: skip


def _load(check: BudgetCheck) -> Program:
    path = check.settings["program"]
    if not is_source(path):
        return load_elf(Path(path))
    more = check.settings
    compiler, optimization, harts = (more[each.name] for each in BUILD_SETTINGS)
    return build(
        more.get("sources", (path,)),
        check.architecture,
        defines=parse_macros(more.get("defines", ())),
        include=more.get("include", ()),
        compiler=compiler,
        optimization=optimization,
        active_harts=harts,
    )


def _count_stack_bytes(program: Program, run: Run) -> int | str:
    """Return the sum of the deepest stacks of harts that call functions, or why it is unknown.

    The stack pointer counts: memory that a function reserves belongs to the stack, written or not.

    Raises:
        GnomonError: if a stack overflows.
    """
    assert run.calls is not None
    sizes = [each.address for each in program.symbols if each.name == "_stack_size"]
    for stack in run.calls.stacks:
        if stack.switched:
            return f"the program switches hart {stack.hart} between stacks of its own"
        if sizes and stack.peak_bytes > sizes[0]:
            raise GnomonError(
                f"the stack of hart {stack.hart} overflows its {sizes[0]:,} bytes: {stack.function}"
                f" takes it {stack.peak_bytes:,} bytes deep"
            )
    if not run.calls.stacks:
        return "no hart calls a function"
    return sum(stack.peak_bytes for stack in run.calls.stacks)


def _count_bytes(program: Program) -> dict[str, int]:
    """Return the bytes of executable segments, and of all other loaded segments."""
    text_bytes = sum(each.size_bytes for each in program.segments if each.executable)
    all_bytes = sum(each.size_bytes for each in program.segments)
    return {"text_bytes": text_bytes, "static_bytes": all_bytes - text_bytes}


def _parse_region(text: str, program: Program) -> Region:
    return Region(text, *(_parse_address(word, program) for word in text.split(":", 1)))


def _parse_address(text: str, program: Program) -> int:
    word = text.strip()
    if word[:2].lower() == "0x" or word.isdigit():
        try:
            return int(word, 0)
        except ValueError:
            raise GnomonError(f"{word[:40]!r} is not an address, such as 0x1A4") from None
    return program.symbol(word).address


def _read_cost(check: BudgetCheck, run: Run) -> tuple[int, int, Work]:
    """Return wall cycles, hart cycles and work of the region, or of the whole program."""
    if check.region is None:
        return run.wall_cycles, run.harts[0].hart_cycles, run.work
    total = run.region_totals.get(check.region)
    if check.hart is None:
        if total is None:
            raise GnomonError(f"region {check.region}: no hart ran it from its start to its end")
        total.check_finished()
        lowest = total.hart_cycles[total.harts[0]]
        return total.wall_cycles, lowest, total.work
    parts = {part.hart: part for part in run.regions[check.region]}
    if check.hart not in parts:
        others = f"; those that did: {', '.join(map(str, parts))}" if parts else ""
        raise GnomonError(
            f"region {check.region}: hart {check.hart} never entered and left it{others}"
        )
    part = parts[check.hart]
    return part.wall_cycles, part.hart_cycles, part.work
