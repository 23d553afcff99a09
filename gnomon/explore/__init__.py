"""Explore: a space of machines, programs and settings in, the points worth taking out."""

from gnomon.explore._file import SweepFile
from gnomon.explore._recommend import Choice
from gnomon.explore._result import Row, SweepResult
from gnomon.explore._task import Task

__all__ = ["Choice", "Row", "SweepFile", "SweepResult", "Task"]
