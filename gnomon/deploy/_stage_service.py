"""Measured runs of the stages of a pipeline: programs, kernels, and steps of learners."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gnomon.arch import Architecture
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.base.files import read_bytes
from gnomon.deploy._pipeline import Pipeline, PipelineStage
from gnomon.deploy._service import CostedRun, measure_steps
from gnomon.explore import (
    Task,
    build_program,
    build_task,
    make_kernel_bench,
    run_program,
)
from gnomon.explore.settings import is_source
from gnomon.sim import Work

_DENSE = "dense"  # operand values of kernels in tables of switching activity


@dataclass(frozen=True, slots=True)
class ProgramCost:
    """One run of a program, or of its measured function."""

    wall_cycles: int
    hart_cycles: int
    issued: int
    work: Work = field(repr=False)


@dataclass(frozen=True, slots=True)
class StageService:
    """Measured runs of a stage on one machine; cycles apply to any clock."""

    runs: tuple[CostedRun, ...] = field(repr=False)
    # the same runs with corrections, for updates of a learner; empty for others
    correcting: tuple[CostedRun, ...] = field(repr=False)
    period: int  # runs from one with correction to the next; 0: none has
    vector: bool  # whether a run occupies a vector unit
    operands: str | None  # operand values that the energy assumes
    built: str  # compiler and version; empty: built elsewhere

    @property
    def cycles(self) -> tuple[int, ...]:
        """Wall cycles of each measured run."""
        return tuple(run.wall_cycles for run in self.runs)

    @property
    def held_per_issue(self) -> float:
        """Mean cycles beyond one that an instruction occupies the pipeline, in the worst run."""
        runs = [*self.runs, *self.correcting]
        return max((each.hart_cycles - each.issued) / max(1, each.issued) for each in runs)


def measure_stages(
    pipeline: Pipeline, architecture: Architecture | None = None
) -> tuple[StageService, ...]:
    """Run every stage of a pipeline on its machine, or on another one.

    Results of kernels and learners are compared with their models in every bit.

    Raises:
        CheckFailed: if a kernel or a learner computes another result.
        GnomonError: if the machine cannot run a stage.
    """
    machine = architecture or pipeline.architecture
    return tuple(_measure(stage, machine) for stage in pipeline.stages)


def _measure(stage: PipelineStage, machine: Architecture) -> StageService:
    try:
        return _MEASURE[stage.workload](stage, machine, dict(stage.settings))
    except GnomonError as error:
        kind = CheckFailed if isinstance(error, CheckFailed) else GnomonError
        raise kind(f"stage {stage.name}: {error}") from None


def _measure_program(
    _stage: PipelineStage, machine: Architecture, settings: Mapping[str, Any]
) -> StageService:
    path = settings["program"]
    image = b"" if is_source(path) else read_bytes(Path(path))
    program = build_program(Task("program", tuple(settings.items()), machine, image=image))
    region = settings["region"]
    run = run_program(program, machine, settings["max-cycles"], region)
    if region and run.main is None:
        raise GnomonError(f"several harts enter {region}; a stage runs on one")
    if region and run.main is not None and run.main.entries > 1:
        raise GnomonError(
            f"the program enters {region} {run.main.entries:,} times, but a stage is one call; call"
            " it once, or name a function that is called once"
        )
    work = run.work
    issued = work.awake_slots - work.retries
    cost = ProgramCost(run.wall_cycles, run.hart_cycles, issued, work)
    built = "" if program.build is None else f"{program.build.compiler} {program.build.version}"
    return StageService((cost,), (), 0, bool(work.vector), settings["operands"], built)


def _measure_kernel(
    stage: PipelineStage, machine: Architecture, settings: Mapping[str, Any]
) -> StageService:
    task = Task("kernel", tuple(settings.items()), machine)
    bench = make_kernel_bench(task)
    shape = settings["shape"]
    extents = bench.kernel.sized(settings["n"], None if shape is None else str(shape))
    bench.check(extents)
    program = build_task(task, bench)
    runs = tuple(
        bench.measure(extents, seed=settings["seed"] + number, program=program)
        for number in range(stage.keys.runs)
    )
    built = f"{runs[0].build.compiler} {runs[0].build.version}"
    operands = settings["operands"] or _DENSE
    return StageService(runs, (), 0, any(run.work.vector for run in runs), operands, built)


def _measure_learner(
    stage: PipelineStage, machine: Architecture, settings: Mapping[str, Any]
) -> StageService:
    updates = stage.keys.step == "update"
    service = measure_steps(dict(settings), machine, stage.keys.runs, updates=updates)
    build = service.first.build
    return StageService(
        tuple(step.update if updates else step.select for step in service.runs),
        tuple(step.update for step in service.correcting),
        service.period,
        service.vector,
        service.operands,
        f"{build.compiler} {build.version}",
    )


_MEASURE = {
    "program": _measure_program, "kernel": _measure_kernel, "learner": _measure_learner,
}  # fmt: skip
