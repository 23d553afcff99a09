"""Explore: a space of machines, programs and settings in, the points worth taking out."""

from gnomon.explore._evaluate import evaluate
from gnomon.explore._executor import Executor
from gnomon.explore._file import SweepFile, make_sweep, read_sweep
from gnomon.explore._recommend import Choice, front_of
from gnomon.explore._result import Row, SweepResult
from gnomon.explore._run import run_sweep
from gnomon.explore._task import Task

__all__ = [
    "Choice", "Executor", "Row", "SweepFile", "SweepResult", "Task", "evaluate",
    "front_of", "make_sweep", "read_sweep", "run_sweep",
]  # fmt: skip
