"""A budget: its checks, and what each may cost at most."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gnomon.arch import Architecture
from gnomon.budget._limit import Limit
from gnomon.explore.settings import Workload

_IN_SECTION = ("sources", "defines", "include")
"""Settings of a program that its own section of the file holds, if it is one."""


@dataclass(frozen=True, slots=True)
class BudgetCheck:
    """One checked program, kernel or learner: data alone."""

    name: str  # given by the file
    where: str  # file and line
    workload: Workload  # learner, kernel or program
    program: Any  # as the file writes it; None for learners and kernels
    arch: str  # the machine as the file names it
    overrides: tuple[str, ...]  # keys of the machine that differ, as `KEY=VALUE`
    architecture: Architecture  # that machine
    settings: Mapping[str, Any]  # all of them, with defaults; `program` holds the path to read
    region: str | None  # part of a program that is measured; None: all of it
    hart: int | None  # whose passes through the region count; None: those of all harts
    exit_code: int | None  # what a program must return; None: anything
    limits: tuple[Limit, ...]  # in the order of the file

    def describe(self) -> dict[str, Any]:
        """Return what is measured as plain data: figures of equal data can be compared.

        Paths are as the file writes them, so that it does not matter where the file lies.
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
    """A checked budget: data alone; :func:`gnomon.budget.judge_budget` measures it."""

    name: str  # of the budget
    path: str  # of the file, as it was given
    baseline: Path  # where measured values are stored
    checks: tuple[BudgetCheck, ...]  # in the order of the file
