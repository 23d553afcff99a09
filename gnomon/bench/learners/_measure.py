"""Run one step of an embedded learner, check every bit of its outcome, and say what it cost."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.bench.learners._build import build_learner
from gnomon.bench.learners._place import (
    used_stack_bytes,
    with_data_memory,
    with_painted_stacks,
)
from gnomon.bench.learners._program import (
    check_words,
    distance,
    run_learner,
    stack_overflow,
    stack_size_bytes,
    text_bytes,
)
from gnomon.bench.learners._run import LearnerRun, StageRun
from gnomon.bench.learners._step import make_step
from gnomon.bench.words import with_all_words, with_words
from gnomon.sim import Region, TimedPath

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gnomon.arch import Architecture
    from gnomon.bench.learners._learner import Learner, LearnerVariant
    from gnomon.bench.learners._sizes import Sizes
    from gnomon.bench.learners._step import Step
    from gnomon.bench.words import Words
    from gnomon.program import Program
    from gnomon.sim import RegionRun, Run

_MAX_CYCLES = 20_000_000_000
_ROOMY_BYTES = 16 << 20
_RESET, _SELECT, _UPDATE = 1, 2, 4  # as in step.c
_STAGES = {"select": _SELECT, "update": _UPDATE}


def measure_learner(
    learner: Learner,
    variant: LearnerVariant,
    architecture: Architecture,
    sizes: Sizes,
    *,
    harts: int = 1,
    case: str = "fresh",
    seed: int = 0,
    fraction_bits: int = 15,
    details: bool = True,
    program: Program | None = None,
    step: Step | None = None,
    correcting: bool = False,
    warm_steps: int | None = None,
) -> LearnerRun:
    """Run one selection and one update on a machine.

    Args:
        learner: the algorithm.
        variant: which implementation of it.
        architecture: where to run it.
        sizes: its compile-time sizes.
        harts: how many harts share the arms.
        case: ``fresh`` or ``random`` input, see :func:`make_step`.
        seed: of the random input.
        fraction_bits: fractional bits (Q format).
        details: also run each stage alone, for its functions and its stack.
        program: from :func:`build_learner` with the same choices, to build it only once.
        step: from :func:`make_step` with the same choices, to make it only once.
        correcting: let the update be one that also corrects the inverses.
        warm_steps: steps before this one in ``random`` input; None: as many as the learner says.

    Raises:
        CheckFailed: the run does not end, or arm, scores or model differ from those that the same
            C gives on this computer.
        GnomonError: the machine cannot run it, its memory is too small, or the variant has no
            correction.
    """
    if program is None:
        program = build_learner(
            learner, variant, architecture, sizes, harts=harts, fraction_bits=fraction_bits
        )
    if step is None:
        step = make_step(
            learner,
            variant,
            sizes,
            case=case,
            seed=seed,
            fraction_bits=fraction_bits,
            architecture=architecture,
            correcting=correcting,
            warm_steps=warm_steps,
        )
    title = f"{learner.name} {variant.name} on {architecture.name}"
    placed = with_painted_stacks(_with_step(learner, program, step))
    start = _start(step)

    def run_parts(parts: int, regions: list[Region]) -> Run:
        given = _with_parts(placed, parts)
        if step.model is not None and parts == _UPDATE:  # as the selection would have left it
            given = with_words(given, program.symbol("learner_model"), step.model_selected)
        return run_learner(
            title, given, architecture, harts, regions=regions, max_cycles=_MAX_CYCLES
        )

    try:
        run = run_parts(start | _SELECT | _UPDATE, _regions(program))
        _check_outcome(title, program, architecture, run, step)
    except CheckFailed:
        # A frame can leave the lowest word of a stack as it is, and still write below it.
        if int(architecture.memory.data.size) >= _ROOMY_BYTES:
            raise
        try:
            needed = measure_learner(
                learner,
                variant,
                with_data_memory(architecture, _ROOMY_BYTES),
                sizes,
                harts=harts,
                case=case,
                seed=seed,
                fraction_bits=fraction_bits,
                details=False,
                correcting=correcting,
                warm_steps=warm_steps,
            )
        except GnomonError:
            needed = None
        size_bytes = stack_size_bytes(program, harts)
        for hart, used_bytes in enumerate(needed.stack_bytes if needed else ()):
            if used_bytes > size_bytes:
                raise stack_overflow(title, hart, size_bytes) from None
        raise
    alone = {}
    if details:
        base = _functions(program, run_parts(start, []))
        for name, part in _STAGES.items():
            alone[name] = _alone(program, architecture, run_parts(start | part, []), base, harts)
    select, update = (_stage(run.regions, name, alone) for name in _STAGES)
    assert program.build is not None
    return LearnerRun(
        learner=learner.name,
        variant=variant.name,
        line=variant.line,
        arch=architecture.name,
        clock_hz=int(architecture.clock),
        sizes=sizes,
        harts=harts,
        case=case,
        seed=seed,
        fraction_bits=fraction_bits,
        arm=step.arm,
        select=select,
        update=update,
        model_bytes=program.symbol("learner_model").size_bytes,
        static_bytes=distance(program, "_data", "_data_end"),
        text_bytes=text_bytes(program),
        stack_bytes=used_stack_bytes(program, architecture, run.data_memory, harts),
        correction_period=variant.correction_period,
        correcting=correcting,
        build=program.build,
        unobserved=run.unobserved,
    )


def record_learner(
    learner: Learner, architecture: Architecture, program: Program, step: Step
) -> TimedPath:
    """The path of the run of :func:`measure_learner` without ``details``.

    Raises:
        NotPriceable: its timing on other machines cannot be told from it.
    """
    placed = with_painted_stacks(_with_step(learner, program, step))
    given = _with_parts(placed, _start(step) | _SELECT | _UPDATE)
    return TimedPath.record(given, architecture, _regions(program), max_cycles=_MAX_CYCLES)


def retimed_learner(run: LearnerRun, regions: Mapping[str, tuple[RegionRun, ...]]) -> LearnerRun:
    """A run without ``details`` with the regions of another machine: those of its path there."""
    select, update = (_stage(regions, name, {}) for name in _STAGES)
    return replace(run, select=select, update=update)


def _start(step: Step) -> int:
    """What the program does before the stages."""
    return 0 if step.model is not None else _RESET


def _regions(program: Program) -> list[Region]:
    return [Region(name, program.symbol(f"learner_{name}").address) for name in _STAGES]


def _with_parts(placed: Program, parts: int) -> Program:
    chosen = np.array([parts], dtype=np.int32)
    return with_words(placed, placed.symbol("step_parts"), chosen)


def _with_step(learner: Learner, program: Program, step: Step) -> Program:
    symbols: dict[str, Words] = {"step_reward": np.array([step.reward], dtype=np.int32)}
    if not learner.fixed_arms:
        symbols["learner_context"] = step.context
    if learner.has_alpha:
        symbols["learner_alpha"] = np.array([step.alpha], dtype=np.int32)
    if step.features is not None:
        symbols["learner_features"] = step.features
    if step.model is not None:
        symbols["learner_model"] = step.model
    # To update the arm that the whole step selects, in a run of the update alone, too.
    symbols["step_arm"] = np.array([step.arm], dtype=np.int32)
    return with_all_words(program, symbols)


def _check_outcome(
    title: str, program: Program, architecture: Architecture, run: Run, step: Step
) -> None:
    if run.exit_code != step.arm:
        raise CheckFailed(f"{title}: chose arm {run.exit_code}, expected {step.arm}")
    expected = {
        "learner_scores": ("the scores", step.scores),
        "learner_model": ("the model", step.model_after),
    }
    check_words(title, program, architecture, run, expected)


def _functions(program: Program, run: Run) -> dict[str, int]:
    """Hart 0's cycles by function, each without what it calls."""
    cycles = run.profile.cycles[0]
    totals: dict[str, int] = {}
    for index in np.flatnonzero(cycles):
        function = program.function_at(run.profile.base_address + 4 * int(index))
        name = function.name if function else "?"
        totals[name] = totals.get(name, 0) + int(cycles[index])
    return totals


def _alone(
    program: Program,
    architecture: Architecture,
    run: Run,
    base: Mapping[str, int],
    harts: int,
) -> tuple[dict[str, int], int]:
    """What the program does more in this run than without a stage, and the stack it uses."""
    cycles = {
        name: count - base.get(name, 0)
        for name, count in _functions(program, run).items()
        if count != base.get(name, 0)
    }
    ordered = dict(sorted(cycles.items(), key=lambda item: (-item[1], item[0])))
    return ordered, used_stack_bytes(program, architecture, run.data_memory, harts)[0]


def _stage(
    regions: Mapping[str, tuple[RegionRun, ...]],
    name: str,
    alone: Mapping[str, tuple[dict[str, int], int]],
) -> StageRun:
    part = next(part for part in regions[name] if part.hart == 0)
    functions, stack_bytes = alone.get(name, ({}, None))
    return StageRun(
        name=name,
        hart_cycles=part.hart_cycles,
        wall_cycles=part.wall_cycles,
        issued=part.issued,
        counters=part.counters,
        functions=functions,
        stack_bytes=stack_bytes,
        work=part.work,
    )
