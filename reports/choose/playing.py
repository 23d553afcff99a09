"""Regret of policies in a cell: curves of the bit-exact host build over random systems."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from gnomon.base.errors import GnomonError
from gnomon.content.reports.learners.problems import FRACTION_BITS, Entry, Given, Setting
from gnomon.learn.kernels import Floats
from gnomon.measure.learners import HostLearner
from gnomon.measure.memory_words import Words

from .cells import Cell, draw
from .policies import Policy

FIRST_SEED, FIRST_TRAINING_SEED = 1, 900_001
TRAINING_SEEDS, TRAINING_ROUNDS = 4, 5000  # at most so many rounds
BATCH = 8
"""Seeds are added in batches of this size."""
LOCKED = 0.5
"""Share of uniform play's regret in the last tenth of the rounds above which a run is locked in."""
MOST_BYTES = 256 * 1024
"""Data memory of the machines: a learner with a larger model runs on none of them."""
_LAST = 0.1


@dataclass(frozen=True, slots=True)
class Choice:
    """A policy in a cell: the setting that training runs choose, or why it does not run there."""

    policy: Policy
    setting: Setting
    skipped: str = ""


@dataclass(frozen=True, slots=True)
class Want:
    """Seeds that a policy shall play: ``count`` of them after the first ``first``."""

    policy: Policy
    first: int
    count: int


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs of a policy in a cell.

    Attributes:
        curves: relative regret of each run up to each of ``checkpoints``, (seeds, checkpoints).
        late: relative regret of each run in the last tenth of the rounds, (seeds).
    """

    policy: Policy
    curves: Floats
    late: Floats


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


def most_seeds(policy: Policy, cell: Cell, asked: int, budget: float) -> int:
    """Return how many seeds a policy may have: fewer batches where a run takes long; 0: none.

    ``budget``: multiplications of all its runs.
    """
    each = policy.work(cell.at.d, cell.at.arms) * cell.at.horizon
    batches = int(budget / each / BATCH)
    return min(asked, batches * BATCH)


def choose(cell: Cell, policies: Sequence[Policy]) -> tuple[Choice, ...]:
    """Choose each policy's setting in training runs: the one with the least mean regret."""
    hosts: dict[Policy, list[tuple[Entry, HostLearner]]] = {}
    skipped: dict[Policy, str] = {}
    for policy in policies:
        entries = [policy.entry(cell.problem, each) for each in policy.tried(cell.at.arms)]
        try:
            found = _hosts(entries, cell.at.horizon)
        except GnomonError as error:
            skipped[policy] = str(error).splitlines()[0]
            continue
        if 4 * found[0][1].model.size > MOST_BYTES:
            skipped[policy] = f"its model has more than {MOST_BYTES:,} bytes"
        else:
            hosts[policy] = found
    best = _train(cell, hosts)
    return tuple(
        Choice(policy, Setting(""), skipped[policy]) if policy in skipped
        else Choice(policy, best[policy].setting)
        for policy in policies
    )  # fmt: skip


def play(cell: Cell, choices: Mapping[Policy, Setting], wants: Sequence[Want]) -> tuple[Runs, ...]:
    """Play the wanted seeds of each policy in a cell; all policies meet the same systems."""
    hosts = {
        each.policy: _hosts([each.policy.entry(cell.problem, choices[each.policy])],
                            cell.at.horizon)[0]
        for each in wants
    }  # fmt: skip
    runs: dict[Policy, list[tuple[Floats, float]]] = {each.policy: [] for each in wants}
    first = min((each.first for each in wants), default=0)
    last = max((each.first + each.count for each in wants), default=0)
    for seed in range(first, last):
        there = [each.policy for each in wants if each.first <= seed < each.first + each.count]
        if there:
            given = cell.draw(FIRST_SEED + seed)
            for policy in there:
                runs[policy].append(_run(*hosts[policy], given))
    return tuple(
        Runs(policy, np.stack([each for each, _ in own]), np.array([late for _, late in own]))
        for policy, own in runs.items()
    )


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
    cell: Cell, hosts: Mapping[Policy, list[tuple[Entry, HostLearner]]]
) -> dict[Policy, Entry]:
    """Return each policy with the setting of least mean regret in the training runs."""
    tried = {policy: list[list[float]]() for policy, found in hosts.items() if len(found) > 1}
    for at in range(TRAINING_SEEDS if tried else 0):
        rounds = min(cell.at.horizon, TRAINING_ROUNDS)
        given = draw(cell.at, rounds, FIRST_TRAINING_SEED + at)
        for policy, rows in tried.items():
            rows.append([float(_run(*each, given)[0][-1]) for each in hosts[policy]])
    return {
        policy: found[int(np.argmin(np.mean(tried[policy], axis=0))) if policy in tried else 0][0]
        for policy, found in hosts.items()
    }
