"""Contextual epsilon-greedy of Bento, Ioannidis, Muthukrishnan and Yan (arXiv 1207.3024).

The learner in three variants, and what it is compared with.
"""

from __future__ import annotations

from gnomon.learn.epsilon_greedy._criteria import bento_criteria
from gnomon.learn.epsilon_greedy._environment import (
    FiniteBandit,
    FiniteRounds,
    bernoulli_bandit,
    doubled_bandit,
    skewed_bandit,
    unit_bandit,
)
from gnomon.learn.epsilon_greedy._epoch import EpochGreedy
from gnomon.learn.epsilon_greedy._experiment import (
    BENTO_SIZES,
    BentoExperiment,
    BentoSize,
    bento_steps,
    find_bento_size,
    run_bento,
)
from gnomon.learn.epsilon_greedy._instance import Instance
from gnomon.learn.epsilon_greedy._lazy import FixedEpsilonGreedy, LazyEpsilonGreedy
from gnomon.learn.epsilon_greedy._linrel import LinRel
from gnomon.learn.epsilon_greedy._linucb_batch import linucb_regrets
from gnomon.learn.epsilon_greedy._literal import EpsilonGreedy
from gnomon.learn.epsilon_greedy._rank_one import RankOneEpsilonGreedy
from gnomon.learn.epsilon_greedy._simulate import (
    EPOCHS,
    ExploringRun,
    Schedule,
    constant,
    falling,
    simulate_explored,
    simulate_exploring,
)
from gnomon.learn.epsilon_greedy._uniform import Uniform

__all__ = [
    "BENTO_SIZES",
    "EPOCHS",
    "BentoExperiment",
    "BentoSize",
    "EpochGreedy",
    "EpsilonGreedy",
    "ExploringRun",
    "FiniteBandit",
    "FiniteRounds",
    "FixedEpsilonGreedy",
    "Instance",
    "LazyEpsilonGreedy",
    "LinRel",
    "RankOneEpsilonGreedy",
    "Schedule",
    "Uniform",
    "bento_criteria",
    "bento_steps",
    "bernoulli_bandit",
    "constant",
    "doubled_bandit",
    "falling",
    "find_bento_size",
    "linucb_regrets",
    "run_bento",
    "simulate_explored",
    "simulate_exploring",
    "skewed_bandit",
    "unit_bandit",
]
