"""A budget, checked: what is measured where, and what it may cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.arch import Architecture
    from gnomon.budget._limit import Limit
    from gnomon.explore import Value, Workload


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that is measured.

    Attributes:
        name: given by the file.
        workload: learner, kernel or program.
        settings: all of them, with defaults; ``program`` holds the path to read.
        written_program: the path as the file writes it, empty if no program of the user runs.
        arch: the machine as the file names it.
        overrides: keys of the machine that differ, as ``KEY=VALUE``.
        architecture: that machine.
        region: ``FUNCTION`` or ``START:END``; None: the whole program.
        hart: whose region; None: the lowest that enters it.
        exit_code: what the program must return; None: anything.
        limits: what must be kept.
        where: file and line.
    """

    name: str
    workload: Workload
    settings: tuple[tuple[str, Value], ...]
    written_program: str
    arch: str
    overrides: tuple[str, ...]
    architecture: Architecture
    region: str | None
    hart: int | None
    exit_code: int | None
    limits: tuple[Limit, ...]
    where: str

    def setting(self, name: str) -> Value:
        """One setting."""
        return dict(self.settings)[name]

    def describe(self) -> dict[str, Any]:
        """What is measured, as plain data: two figures of the same can be compared.

        Paths are as the file writes them, so that it does not matter where the file lies.
        """
        settings = {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in self.settings
            if value is not None
        }
        if self.written_program:
            settings["program"] = self.written_program
        return {
            "arch": self.arch,
            "set": list(self.overrides),
            "settings": settings,
            "region": self.region,
            "hart": self.hart,
        }


@dataclass(frozen=True, slots=True)
class Budget:
    """A budget file.

    Attributes:
        name: of the budget.
        path: of the file, as it was given.
        baseline: where measured values are kept.
        checks: in the order of the file.
    """

    name: str
    path: str
    baseline: Path
    checks: tuple[Check, ...]
