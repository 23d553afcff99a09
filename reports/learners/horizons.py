"""Regret of learners up to several horizons, each with the setting that training runs choose."""

from collections.abc import Sequence

import numpy as np

from gnomon.learn.kernels import Floats
from gnomon.measure.learners import HostLearner, find_embedded_learner

from .problems import FRACTION_BITS, Entry, Given, Problem, settings_of

HORIZONS = (200, 1000, 5000)


def tuned_regrets(
    problem: Problem, name: str, training: Sequence[Given], runs: Sequence[Given]
) -> Floats:
    """Return relative regret of each run up to each horizon, (runs, horizons).

    For each horizon the learner has the setting of least mean regret up to it in ``training``.
    """
    learner = find_embedded_learner(name)
    variant = learner.variant("optimized", "tuned")
    entries = [
        Entry(problem, learner, variant, setting) for setting in settings_of(learner, problem)
    ]
    tried = np.stack([_regrets(entry, training).mean(axis=0) for entry in entries])
    chosen = tried.argmin(axis=0).tolist()
    played = {at: _regrets(entries[at], runs) for at in sorted(set(chosen))}
    return np.stack([played[at][:, column] for column, at in enumerate(chosen)], axis=1)


def _regrets(entry: Entry, runs: Sequence[Given]) -> Floats:
    host = HostLearner(entry.built(max(HORIZONS)), entry.sizes, fraction_bits=FRACTION_BITS)
    ends, found = np.array(HORIZONS) - 1, []
    for given in runs:
        arms, gaps = entry.play(given).on(host), given.gaps
        own, uniform = np.cumsum(gaps[np.arange(len(gaps)), arms]), np.cumsum(gaps.mean(axis=1))
        found.append(own[ends] / uniform[ends])
    return np.array(found)
