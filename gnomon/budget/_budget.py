"""Budgets: checks with upper limits on their cost."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gnomon.arch import Architecture
from gnomon.budget._limit import Limit
from gnomon.explore.settings import Workload

_IN_SECTION = ("sources", "defines", "include")
"""Settings of a program that its section of the file holds, if it has one."""


@dataclass(frozen=True, slots=True)
class BudgetCheck:
    """One program, kernel or learner of a budget, as plain data."""

    name: str  # name in the file
    where: str  # file and line
    workload: Workload  # learner, kernel or program
    program: Any  # as the file writes it; None for learners and kernels
    arch: str  # the machine as the file names it
    overrides: tuple[str, ...]  # keys of the machine that differ, as `KEY=VALUE`
    architecture: Architecture  # the machine
    settings: Mapping[str, Any]  # all settings, with defaults; `program` holds the path to read
    region: str | None  # measured part of a program; None: all of it
    hart: int | None  # hart whose passes through the region count; None: all harts
    exit_code: int | None  # required exit code of a program; None: any
    limits: tuple[Limit, ...]  # in the order of the file

    def describe(self) -> dict[str, Any]:
        """Return the measured workload as plain data; figures of equal data are comparable.

        Paths are written as in the file, so that its location does not matter.
        """
        settings = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in self.settings.items()
            if value is not None and not (self.program and name in _IN_SECTION)
        }
        return {
            "arch": self.arch,
            "set": list(self.overrides),
            "settings": settings | ({"program": self.program} if self.program else {}),
            "region": self.region,
            "hart": self.hart,
        }


@dataclass(frozen=True, slots=True)
class Budget:
    """A validated budget as plain data; :func:`gnomon.budget.judge_budget` measures it."""

    name: str  # name of the budget
    path: str  # path of the file, as given
    baseline: Path  # file of accepted values
    checks: tuple[BudgetCheck, ...]  # in the order of the file
