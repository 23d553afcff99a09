"""Compare: contextual bandits in float64, their kernel calls, environments and experiments."""

from gnomon.learn._fit_predict import FitPredict
from gnomon.learn._open_bandit import Log
from gnomon.learn._operations import Operations
from gnomon.learn._trace import Call, Outside, Trace
from gnomon.learn.algorithm import find_learner, learners
from gnomon.learn.environment import Rounds
from gnomon.learn.learner import Learner, Sizes

__all__ = [
    "Call", "FitPredict", "Learner", "Log", "Operations", "Outside", "Rounds", "Sizes", "Trace",
    "find_learner", "learners",
]  # fmt: skip
