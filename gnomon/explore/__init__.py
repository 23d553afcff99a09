"""Explore: a space of machines, programs and settings in, the points worth taking out."""

from __future__ import annotations

from gnomon.explore._evaluate import evaluate
from gnomon.explore._executor import (
    DaskCluster,
    Executor,
    InProcess,
    ProcessPool,
    usual_workers,
)
from gnomon.explore._file import SearchKeys, SweepFile, make_sweep, read_sweep
from gnomon.explore._front import front_of
from gnomon.explore._recommend import Choice, choices
from gnomon.explore._result import Row, SweepResult
from gnomon.explore._run import run_sweep
from gnomon.explore._sensitivity import sensitivities
from gnomon.explore._spec import Workload
from gnomon.explore._summary import summarize
from gnomon.explore._task import Task, make_task
from gnomon.explore.metrics import METRICS, Metric, format_quantity
from gnomon.explore.settings import SETTINGS, Setting, Value

__all__ = [
    "METRICS",
    "SETTINGS",
    "Choice",
    "DaskCluster",
    "Executor",
    "InProcess",
    "Metric",
    "ProcessPool",
    "Row",
    "SearchKeys",
    "Setting",
    "SweepFile",
    "SweepResult",
    "Task",
    "Value",
    "Workload",
    "choices",
    "evaluate",
    "format_quantity",
    "front_of",
    "make_sweep",
    "make_task",
    "read_sweep",
    "run_sweep",
    "sensitivities",
    "summarize",
    "usual_workers",
]
