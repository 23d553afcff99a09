"""Epsilon-greedy choice with a constant epsilon, for learners with scores."""

from __future__ import annotations

from typing import ClassVar

from gnomon.learn import Learner
from gnomon.learn.kernels import Floats


class ConstantEpsilon(Learner):
    """Plays any arm with probability ``epsilon``, else that of the highest score.

    A subclass sets ``epsilon`` and passes a seed to the base class.
    """

    follows_scores: ClassVar[bool] = False
    epsilon: float

    def _choose(self, contexts: Floats) -> int:
        if float(self._random()[0]) < self.epsilon:
            return self._random_arm()
        return self._best(self._scores(contexts))

    def _chances(self, contexts: Floats) -> Floats:
        best = self._surely(self._best(self._scores(contexts)))
        return self.epsilon * self._evenly() + (1.0 - self.epsilon) * best
