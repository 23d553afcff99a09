"""Regret of every policy in a cell: curves of the bit-exact host build over random systems."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.content.reports.learners.problems import FRACTION_BITS, Entry, Given, Setting
from gnomon.learn.kernels import Floats
from gnomon.measure.learners import HostLearner
from gnomon.measure.memory_words import Words

from .cells import Cell, draw
from .policies import POLICIES, Policy

FIRST_SEED, FIRST_TRAINING_SEED = 1, 900_001
TRAINING_SEEDS, TRAINING_ROUNDS = 4, 5000  # at most so many rounds
BATCH = 8
"""Seeds are added in batches of this size."""
HALF_WIDTH = 0.05
"""Of the mean regret at the horizon, at which no more seeds are added."""
LOCKED = 0.5
"""Share of uniform play's regret in the last tenth of the rounds above which a run is locked in."""
MOST_BYTES = 256 * 1024
"""Data memory of the machines: a learner with a larger model runs on none of them."""
_LAST = 0.1
_CONFIDENCE = 0.975


@dataclass(frozen=True, slots=True)
class Played:
    """One policy in one cell.

    Attributes:
        chosen: setting with the least mean regret in training runs.
        curves: relative regret of each run up to each of ``checkpoints``, (seeds, checkpoints).
        late: relative regret of each run in the last tenth of the rounds.
        skipped: why there is no run; empty: there are runs.
    """

    policy: Policy
    chosen: Setting
    curves: Floats
    late: Floats
    skipped: str = ""

    @property
    def locked(self) -> float | None:
        """Share of runs that stay with bad arms while the median run does not; None: it does."""
        if not self.late.size or np.median(self.late) > LOCKED:
            return None
        return float((self.late > LOCKED).mean())


def checkpoints(horizon: int) -> list[int]:
    """Return half decades from 32 up to the horizon, and the horizon."""
    there = [round(10 ** (each / 2)) for each in range(3, 11)]
    return [*(each for each in there if each < 0.9 * horizon), horizon]


def curve(given: Given, arms: Words, ends: Sequence[int]) -> tuple[Floats, float]:
    """Return relative regret up to each round of ``ends``, and that of the last tenth."""
    gaps = given.gaps
    own = np.cumsum(gaps[np.arange(len(gaps)), arms])
    uniform = np.cumsum(gaps.mean(axis=1))
    last = np.asarray(ends) - 1
    before = len(gaps) - max(1, round(_LAST * len(gaps))) - 1
    late = (own[-1] - own[before]) / (uniform[-1] - uniform[before])
    return own[last] / uniform[last], float(late)


def half_width(values: Floats) -> float:
    """Return half of the 95 % interval (Student) of the mean, relative to the mean."""
    from scipy.special import stdtrit

    if len(values) < 2:
        return float("inf")
    error = values.std(ddof=1) / len(values) ** 0.5
    return float(stdtrit(len(values) - 1, _CONFIDENCE) * error / abs(values.mean()))


def most_seeds(policy: Policy, cell: Cell, asked: int, budget: float) -> int:
    """Return how many seeds a policy may have: fewer batches where a run takes long; 0: none."""
    each = policy.work(cell.at.d, cell.at.arms) * cell.at.horizon
    batches = int(budget / each / BATCH)
    return min(asked, batches * BATCH)


def play(cell: Cell, asked: int, budget: float) -> tuple[Played, ...]:
    """Play all policies in a cell, with at most ``asked`` seeds each.

    ``budget``: multiplications per policy, above which it gets fewer seeds.
    """
    hosts: dict[Policy, list[tuple[Entry, HostLearner]]] = {}
    skipped: dict[Policy, str] = {}
    for policy in POLICIES:
        reason = "" if most_seeds(policy, cell, asked, budget) else "a run takes too long"
        entries = [policy.entry(cell.problem, each) for each in policy.tried(cell.at.arms)]
        try:
            found = [] if reason else _hosts(entries, cell.at.horizon)
        except GnomonError as error:
            found, reason = [], str(error).splitlines()[0]
        if found and 4 * found[0][1].model.size > MOST_BYTES:
            found, reason = [], f"its model has more than {MOST_BYTES:,} bytes"
        if reason:
            skipped[policy] = reason
        else:
            hosts[policy] = found
    best = _train(cell, hosts)
    curves: dict[Policy, list[tuple[Floats, float]]] = {policy: [] for policy in best}
    open_ones = dict(best)
    for seed in range(asked):
        if not open_ones:
            break
        given = cell.draw(FIRST_SEED + seed)
        for policy, (entry, host) in open_ones.items():
            curves[policy].append(_run(entry, host, given))
        if (seed + 1) % BATCH == 0:
            open_ones = {
                policy: each for policy, each in open_ones.items()
                if half_width(np.array([c[-1] for c, _ in curves[policy]])) > HALF_WIDTH
                and seed + 1 < most_seeds(policy, cell, asked, budget)
            }  # fmt: skip
    return tuple(
        Played(policy, Setting(""), np.empty((0, 0)), np.empty(0), skipped[policy])
        if policy in skipped
        else Played(
            policy, best[policy][0].setting,
            np.stack([each for each, _ in curves[policy]]),
            np.array([late for _, late in curves[policy]]),
        )
        for policy in POLICIES
    )  # fmt: skip


def _hosts(entries: Sequence[Entry], horizon: int) -> list[tuple[Entry, HostLearner]]:
    """Return the entries with their host builds, one build for equal macros."""
    built: dict[tuple[tuple[str, int], ...], HostLearner] = {}
    found = []
    for entry in entries:
        variant = entry.built(horizon)
        key = tuple(variant.parameters.items())
        if key not in built:
            built[key] = HostLearner(variant, entry.sizes, fraction_bits=FRACTION_BITS)
        found.append((entry, built[key]))
    return found


def _run(entry: Entry, host: HostLearner, given: Given) -> tuple[Floats, float]:
    return curve(given, entry.play(given).on(host), checkpoints(len(given.noise)))


def _train(
    cell: Cell, hosts: dict[Policy, list[tuple[Entry, HostLearner]]]
) -> dict[Policy, tuple[Entry, HostLearner]]:
    """Return each policy with the setting of least mean regret in the training runs."""
    tried: dict[Policy, list[list[float]]] = {policy: [] for policy in hosts}
    for at in range(TRAINING_SEEDS):
        if all(len(found) == 1 for found in hosts.values()):
            break
        rounds = min(cell.at.horizon, TRAINING_ROUNDS)
        given = draw(cell.at, rounds, FIRST_TRAINING_SEED + at)
        for policy, found in hosts.items():
            if len(found) > 1:
                tried[policy].append([float(_run(*each, given)[0][-1]) for each in found])
    return {
        policy: found[int(np.argmin(np.mean(tried[policy], axis=0))) if len(found) > 1 else 0]
        for policy, found in hosts.items()
    }
