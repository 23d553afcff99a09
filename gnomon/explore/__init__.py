"""Explore: a space of machines, programs and settings in, the points worth taking out."""

from gnomon.explore._file import SweepFile
from gnomon.explore._recommend import ranks_energy
from gnomon.explore._result import SweepResult
from gnomon.explore._task import Task

__all__ = ["SweepFile", "SweepResult", "Task", "ranks_energy"]
