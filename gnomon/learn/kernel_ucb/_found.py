"""The results of the experiment, by what they are of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gnomon.learn.kernel_ucb._experiment import KernelExperiment
    from gnomon.learn.kernel_ucb._jobs import JobResult


class Found:
    """The results, by what they are of."""

    def __init__(self, experiment: KernelExperiment) -> None:
        self.results = experiment.results

    def of(
        self, environment: str, kind: str, ridge: float, rounds: int, **settings: float
    ) -> list[JobResult]:
        """All seeds."""
        return [
            each
            for each in self.results
            if (each.job.environment, each.job.kind) == (environment, kind)
            and (each.job.regularisation, each.job.rounds) == (ridge, rounds)
            and dict(each.job.settings) == settings
        ]

    def regret(
        self, environment: str, kind: str, ridge: float, rounds: int, **settings: float
    ) -> float:
        """Mean over the seeds."""
        each = self.of(environment, kind, ridge, rounds, **settings)
        return float(np.mean([one.regret for one in each]))

    def seconds(
        self, environment: str, kind: str, ridge: float, rounds: int, **settings: float
    ) -> float:
        """Mean over the seeds."""
        each = self.of(environment, kind, ridge, rounds, **settings)
        return float(np.mean([one.seconds for one in each]))

    def anchors(
        self, environment: str, kind: str, ridge: float, rounds: int, **settings: float
    ) -> float:
        """Mean over the seeds of the states in the dictionary at the end."""
        each = self.of(environment, kind, ridge, rounds, **settings)
        return float(np.mean([one.anchors for one in each]))
