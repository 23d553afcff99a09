"""Data sets in their own formats, and the bandits they become: every reward is known."""

from gnomon.learn.datasets._classes import PACKAGED, packaged_classes, read_classes
from gnomon.learn.datasets._genres import genre_table
from gnomon.learn.datasets._jester import JOKES, Jester, joke_table, read_jester
from gnomon.learn.datasets._movielens import (
    GENRES,
    MovieLens,
    Ratings,
    read_movielens,
    read_ratings,
)
from gnomon.learn.datasets._reward_table import (
    MOST_DIMENSIONS,
    LeftOut,
    RewardTable,
    contexts_from,
)

__all__ = [
    "GENRES", "JOKES", "MOST_DIMENSIONS", "PACKAGED", "Jester", "LeftOut", "MovieLens", "Ratings",
    "RewardTable", "contexts_from", "genre_table", "joke_table", "packaged_classes",
    "read_classes", "read_jester", "read_movielens", "read_ratings",
]  # fmt: skip
