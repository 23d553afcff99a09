"""Contextual epsilon-greedy of Bento, Ioannidis, Muthukrishnan and Yan (arXiv 1207.3024).

The learner in three variants, and what it is compared with.
"""

from __future__ import annotations

from gnomon.learn.epsilon_greedy._epoch import EpochGreedy
from gnomon.learn.epsilon_greedy._lazy import FixedEpsilonGreedy, LazyEpsilonGreedy
from gnomon.learn.epsilon_greedy._linrel import LinRel
from gnomon.learn.epsilon_greedy._literal import EpsilonGreedy
from gnomon.learn.epsilon_greedy._rank_one import RankOneEpsilonGreedy
from gnomon.learn.epsilon_greedy._uniform import Uniform

__all__ = [
    "EpochGreedy",
    "EpsilonGreedy",
    "FixedEpsilonGreedy",
    "LazyEpsilonGreedy",
    "LinRel",
    "RankOneEpsilonGreedy",
    "Uniform",
]
