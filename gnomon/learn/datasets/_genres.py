"""MovieLens as a bandit: an arm recommends movies of a genre; a row is a user."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gnomon.base.errors import GnomonError
from gnomon.learn.datasets._movielens import GENRES, MovieLens
from gnomon.learn.datasets._reward_table import LeftOut, RewardTable, contexts_from
from gnomon.learn.kernels import Floats

ARMS = 8
"""Genres with the most ratings."""

_LEAST_USERS = 10


def genre_table(data: MovieLens, *, arms: int = ARMS) -> RewardTable:
    """Return a bandit with the most rated genres as arms.

    The earlier half of a user's ratings, by time, then by movie, describes the user. The reward of
    a genre is the mean of the user's later ratings of its movies, scaled to 0 .. 1. A user without
    a later rating of each genre is left out. Features of a user are age, gender, the mean of the
    earlier ratings, and for each genre the mean of its earlier ratings less that mean; 0 if the
    user has none.

    Raises:
        GnomonError: if fewer genres or fewer than 10 users remain.
    """
    ratings = data.ratings
    counts = data.genres[ratings.items].sum(axis=0)
    counts[0] = 0  # unknown
    chosen = np.sort(np.argsort(-counts, kind="stable")[:arms])
    if not counts[chosen].all():
        raise GnomonError(f"the movies have {np.count_nonzero(counts)} genres; {arms} are needed")
    earlier = _is_earlier(ratings.users, ratings.times, ratings.items)
    flags = data.genres[ratings.items][:, chosen]
    count = len(ratings.user_ids)
    means = [_means(ratings.users[half], ratings.values[half], flags[half], count)
             for half in (earlier, ~earlier)]  # fmt: skip
    (overall, before), (_, after) = means
    kept = ~np.isnan(after).any(axis=1) & ~np.isnan(overall)
    if kept.sum() < _LEAST_USERS:
        raise GnomonError(
            f"{kept.sum()} users have a later rating of each of the {arms} genres; at least"
            f" {_LEAST_USERS} are needed"
        )
    names = tuple(GENRES[each] for each in chosen)
    liking = np.nan_to_num(before - overall[:, None])
    features = np.column_stack((data.ages, data.genders, overall, liking))[kept]
    headings = ("age", "gender", "mean of earlier ratings", *names)
    contexts, made, constant = contexts_from(features, headings)
    without = tuple(f"user {ratings.user_ids[row]}" for row in np.flatnonzero(~kept))
    unknown = int(np.isnan(before[kept]).sum())
    made += (
        " Features are age, gender, the mean of a user's earlier ratings, and what the user's"
        f" earlier ratings of each genre are above it ({unknown} of {kept.sum() * arms} have no"
        " rating and are 0). An arm is a genre; its reward is the mean of the user's later ratings"
        " of it, scaled to 0 .. 1."
    )
    left_out = list(data.left_out)
    if without:
        left_out.append(LeftOut("users without a later rating of each genre", without))
    rewards = (after[kept] - 1.0) / 4.0
    return RewardTable(
        contexts, rewards, names, made, features.shape[1], (*left_out, *constant)
    )  # fmt: skip


def _is_earlier(
    users: NDArray[np.int64], times: NDArray[np.int64], items: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return whether each rating is in the earlier half of those of its user."""
    order = np.lexsort((items, times, users))
    sizes = np.bincount(users)
    starts = np.cumsum(sizes) - sizes
    places = np.empty(len(users), dtype=np.int64)
    places[order] = np.arange(len(users))
    return np.asarray(places - starts[users] < sizes[users] // 2)


def _means(
    users: NDArray[np.int64], values: Floats, flags: NDArray[np.bool_], count: int
) -> tuple[Floats, Floats]:
    """Return the mean rating of each user, and of each genre (users, K); NaN without a rating."""

    def mean(of: NDArray[np.bool_]) -> Floats:
        totals = np.bincount(users[of], weights=values[of], minlength=count)
        numbers = np.bincount(users[of], minlength=count)
        means: Floats = np.full(count, np.nan)
        np.divide(totals, numbers, out=means, where=numbers > 0)
        return means

    of_genres = [mean(flags[:, genre]) for genre in range(flags.shape[1])]
    return mean(np.ones(len(users), dtype=np.bool_)), np.column_stack(of_genres)
