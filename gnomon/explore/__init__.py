"""Design-space exploration: evaluate machines, programs and settings; recommend points."""

from gnomon.explore._binaries import find_same_binaries
from gnomon.explore._evaluate import evaluate_tasks
from gnomon.explore._file import SweepFile, make_sweep, read_sweep
from gnomon.explore._lazy import SweepPoint, iterate_points
from gnomon.explore._outcomes import PointOutcome
from gnomon.explore._programs import ProgramRun, build_program, run_program
from gnomon.explore._read import read_results
from gnomon.explore._recommend import pareto_front, ranks_energy, recommend
from gnomon.explore._result import SweepResult
from gnomon.explore._run import run_sweep
from gnomon.explore._runs import Counts
from gnomon.explore._sensitivity import (
    compute_sensitivities,
    list_sensitivity_notes,
)
from gnomon.explore._spec import Axis, SearchKeys, Sweep
from gnomon.explore._task import (
    Task,
    build_task,
    make_kernel_bench,
    make_learner_bench,
    make_task,
)

__all__ = [
    "Axis",
    "Counts",
    "PointOutcome",
    "ProgramRun",
    "SearchKeys",
    "Sweep",
    "SweepFile",
    "SweepPoint",
    "SweepResult",
    "Task",
    "build_program",
    "build_task",
    "compute_sensitivities",
    "evaluate_tasks",
    "find_same_binaries",
    "iterate_points",
    "list_sensitivity_notes",
    "make_kernel_bench",
    "make_learner_bench",
    "make_sweep",
    "make_task",
    "pareto_front",
    "ranks_energy",
    "read_results",
    "read_sweep",
    "recommend",
    "run_program",
    "run_sweep",
]
