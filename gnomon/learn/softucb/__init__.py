"""SoftUCB and what it is compared with: Yang and Toni, Differentiable Linear Bandit Algorithm."""

from __future__ import annotations

from gnomon.learn.softucb._arm_sets import ArmSets, join_arm_sets, synthetic_arm_sets
from gnomon.learn.softucb._baselines import LinEpsilonGreedy, LinThompson, Oful
from gnomon.learn.softucb._bounds import confidence_width, regret_bound
from gnomon.learn.softucb._compare import Comparison, Played, Setup, compare
from gnomon.learn.softucb._experiment import (
    SoftucbExperiment,
    check_size,
    run_softucb,
    softucb_steps,
)
from gnomon.learn.softucb._jester import jester_arm_sets, jester_stand_in, read_jester
from gnomon.learn.softucb._movielens import (
    Ratings,
    movielens_arm_sets,
    movielens_stand_in,
    read_movielens,
)
from gnomon.learn.softucb._play import Training, play, train
from gnomon.learn.softucb._presets import AUTHORS_BETA, PRESETS, Preset, find_preset
from gnomon.learn.softucb._published import published_widths
from gnomon.learn.softucb._soft_learners import IncrementalSoftUCB, OnlineSoftUCB, SoftUCB

__all__ = [
    "AUTHORS_BETA",
    "PRESETS",
    "ArmSets",
    "Comparison",
    "IncrementalSoftUCB",
    "LinEpsilonGreedy",
    "LinThompson",
    "Oful",
    "OnlineSoftUCB",
    "Played",
    "Preset",
    "Ratings",
    "Setup",
    "SoftUCB",
    "SoftucbExperiment",
    "Training",
    "check_size",
    "compare",
    "confidence_width",
    "find_preset",
    "jester_arm_sets",
    "jester_stand_in",
    "join_arm_sets",
    "movielens_arm_sets",
    "movielens_stand_in",
    "play",
    "published_widths",
    "read_jester",
    "read_movielens",
    "regret_bound",
    "run_softucb",
    "softucb_steps",
    "synthetic_arm_sets",
    "train",
]
