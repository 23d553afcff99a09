"""Contextual bandits in float64, their kernel calls, environments and experiments."""

from gnomon.learn._costs import count_step, measure_memory
from gnomon.learn._fit_predict import FitPredict
from gnomon.learn._open_bandit import Log
from gnomon.learn._operations import Operations
from gnomon.learn._recorder import Outside
from gnomon.learn._store import load_learner, save_learner
from gnomon.learn._trace import Call, Trace
from gnomon.learn.algorithm import find_learner, learners
from gnomon.learn.environment import Rounds
from gnomon.learn.learner import Learner, Sizes

__all__ = [
    "Call", "FitPredict", "Learner", "Log", "Operations", "Outside", "Rounds",
    "Sizes", "Trace", "count_step", "find_learner", "learners", "load_learner", "measure_memory",
    "save_learner",
]  # fmt: skip
