"""ARES and what it is compared with: Gornet, Hosseinzadeh and Sinopoli, arXiv 2406.10418."""

from __future__ import annotations

from gnomon.learn.ares._ares import Ares, AresP
from gnomon.learn.ares._chol import WindowFactor
from gnomon.learn.ares._criteria import pies
from gnomon.learn.ares._experiment import AresExperiment, ares_steps, check_size, run_ares
from gnomon.learn.ares._fixed_window_learners import PiesLearner, WindowLinUCBLearner
from gnomon.learn.ares._learners import AresFactorLearner, AresLearner, AresPLearner
from gnomon.learn.ares._mean_learners import DiscountedUcbLearner, WindowUcbLearner
from gnomon.learn.ares._models import Bounds, WindowModels
from gnomon.learn.ares._policies import (
    Pies,
    Policy,
    Predictor,
    Random,
    UpperBound,
    WindowLinUCB,
    play,
)
from gnomon.learn.ares._studies import ManySystems, SystemResult
from gnomon.learn.ares._system import (
    Filter,
    System,
    random_system,
    stationary_covariance,
    steady_filter,
    window_weights,
)
from gnomon.learn.ares._trajectory import Trajectory, simulate

__all__ = [
    "Ares",
    "AresExperiment",
    "AresFactorLearner",
    "AresLearner",
    "AresP",
    "AresPLearner",
    "Bounds",
    "DiscountedUcbLearner",
    "Filter",
    "ManySystems",
    "Pies",
    "PiesLearner",
    "Policy",
    "Predictor",
    "Random",
    "System",
    "SystemResult",
    "Trajectory",
    "UpperBound",
    "WindowFactor",
    "WindowLinUCB",
    "WindowLinUCBLearner",
    "WindowModels",
    "WindowUcbLearner",
    "ares_steps",
    "check_size",
    "pies",
    "play",
    "random_system",
    "run_ares",
    "simulate",
    "stationary_covariance",
    "steady_filter",
    "window_weights",
]
