"""Regret of one implementation by its C on this computer, bit for bit that of the machines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gnomon.bench.learners import HostLearner
from gnomon.report.comparison._learners import play_of, sizes_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gnomon.arch import Architecture
    from gnomon.bench.learners import Learner, LearnerVariant, Play, Sizes
    from gnomon.report.comparison._learners import Setting
    from gnomon.report.comparison._problems import Given, Problem

FRACTION_BITS = 15
"""Of all points: vector implementations of LinUCB have no other."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One implementation with its setting in one problem."""

    problem: Problem
    learner: Learner
    variant: LearnerVariant
    setting: Setting

    @property
    def sizes(self) -> Sizes:
        """Compile-time sizes."""
        return sizes_of(self.learner, self.problem)

    def built(self, rounds: int) -> LearnerVariant:
        """The variant with its setting, for a run of so many rounds."""
        return self.setting.of(self.variant, rounds)

    def play(self, given: Given, fraction_bits: int = FRACTION_BITS) -> Play:
        """What it is given in a run."""
        return play_of(self.learner, given, self.setting, fraction_bits)


def regrets_of(
    entry: Entry,
    runs: Sequence[Given],
    *,
    machine: Architecture | None = None,
    fraction_bits: int = FRACTION_BITS,
) -> list[float]:
    """Relative regret of each run, on the vector unit of ``machine`` for vector variants.

    Raises:
        GnomonError: it does not compile for this computer.
    """
    host = HostLearner(
        entry.built(len(runs[0].noise)),
        entry.sizes,
        fraction_bits=fraction_bits,
        architecture=machine,
    )
    return [run.relative_regret(entry.play(run, fraction_bits).on(host)) for run in runs]
