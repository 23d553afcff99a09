"""One cell on the host, bit-identical to a machine: its choices, model and overflows."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from gnomon.base.digest import digest
from gnomon.base.result_cache import cached_result
from gnomon.base.sources import source_digest
from gnomon.learn import Rounds
from gnomon.measure.learners import HostLearner, Play
from gnomon.measure.regret import RegretCell as Cell
from gnomon.measure.regret import make_inputs

STAGES = ("select", "update")

KEPT_AS = "fixed-point"
"""Kind of the finished runs in the cache folder."""


@dataclass(frozen=True, slots=True)
class HostRun:
    """Result of one cell."""

    arms: NDArray[np.uint8] = field(repr=False)  # arms played alone, (T,)
    # arms chosen while learning the rounds of float, (follow_rounds,)
    followed: NDArray[np.uint8] = field(repr=False)
    # words of the model after each of ``model_checkpoints`` rounds
    models: NDArray[np.int32] = field(repr=False)
    # operations so far that did not fit, at each checkpoint up to ``follow_rounds``, one column per
    # kind of ``HostLearner.OVERFLOW_KINDS``; no columns where the C cannot count them
    overflows: NDArray[np.int64] = field(repr=False)
    # per kind, the round of the first of these (from 1; 0: none) and its stage, 0 for select, 1 for
    # update
    first_overflows: NDArray[np.int64] = field(repr=False)

    @property
    def counts_overflows(self) -> bool:
        return bool(self.overflows.shape[1])


def run_host(
    cell: Cell, rounds: Rounds, reference: NDArray[np.uint8], *, follow_rounds: int,
    fresh: bool = False,
) -> HostRun:  # fmt: skip
    """Run a cell, or take the result from the cache unless ``fresh``."""
    inputs = make_inputs(cell, rounds)
    variant, bits = cell.implementation, cell.fraction_bits
    counts = variant.line == "paper" and not variant.vector
    host = HostLearner(variant, cell.case.sizes, fraction_bits=bits, count_overflows=counts)
    followed = reference[:follow_rounds]
    stops = checkpoints(cell.case.rounds)
    key = digest(
        {
            "sources": source_digest("reports"), "code": host.fingerprint, "stops": stops,
            "inputs": inputs, "followed": followed,
        }
    )  # fmt: skip

    def play() -> dict[str, NDArray[np.generic]]:
        counted = sum(stop <= follow_rounds for stop in stops)
        plain = HostLearner(variant, cell.case.sizes, fraction_bits=bits)
        inputs.start(host)
        inputs.start(plain)
        found = _play(host, inputs, stops[:counted], counts=counts)
        plain.model = host.model
        start = stops[counted - 1] if counted else 0
        later = _play(plain, inputs, stops[counted:], start, counts=False)  # which is faster
        found |= {name: np.concatenate([found[name], later[name]]) for name in ("arms", "models")}
        inputs.start(plain)
        found["followed"] = plain.follow(
            inputs.contexts[:follow_rounds], inputs.rewards[:follow_rounds], followed
        ).astype(np.uint8)
        return found

    run = cached_result(KEPT_AS, key, play, fresh=fresh)
    early = _early_models(host, inputs, model_checkpoints(cell.case.rounds)[: -len(stops)])
    return HostRun(**{**run, "models": np.array([*early, *run["models"]])})


def _early_models(
    host: HostLearner, inputs: Play, stops: tuple[int, ...]
) -> list[NDArray[np.int32]]:
    """Return the models of the first rounds, which are few and played again."""
    inputs.start(host)
    models, start = [], 0
    for stop in stops:
        host.run(inputs.contexts[start:stop], inputs.rewards[start:stop])
        models.append(host.model)
        start = stop
    return models


def _play(
    host: HostLearner, inputs: Play, stops: tuple[int, ...], start: int = 0, *, counts: bool
) -> dict[str, NDArray[np.generic]]:
    kinds = len(HostLearner.OVERFLOW_KINDS) if counts else 0
    arms = [np.zeros(0, dtype=np.uint8)]
    models = []
    overflows = np.zeros((len(stops), kinds), dtype=np.int64)
    first = np.zeros((kinds, 2), dtype=np.int64)
    total = np.zeros(kinds, dtype=np.int64)
    for index, stop in enumerate(stops):
        before, counted = host.model, _counts(host, kinds)
        played = host.run(inputs.contexts[start:stop], inputs.rewards[start:stop])
        arms.append(played.astype(np.uint8))
        more = _counts(host, kinds) - counted
        if np.any((more > 0) & (first[:, 0] == 0)):
            _locate(host, inputs, before, range(start, stop), first)
        total += more
        overflows[index] = total
        models.append(host.model)
        start = stop
    return {
        "arms": np.concatenate(arms),
        "models": np.array(models, dtype=np.int32).reshape(len(models), len(host.model)),
        "overflows": overflows,
        "first_overflows": first,
    }


def _counts(host: HostLearner, kinds: int) -> NDArray[np.int64]:
    if not kinds:
        return np.zeros(0, dtype=np.int64)
    return np.array(list(host.overflow_counts.values()), dtype=np.int64)


def _locate(
    host: HostLearner, inputs: Play, model: NDArray[np.int32], steps: range,
    first: NDArray[np.int64],
) -> None:  # fmt: skip
    """Repeat some steps, one by one, for the round and stage of the first overflows."""
    after = host.model
    host.model = model
    counted = _counts(host, len(first))
    for step in steps:
        host.context = inputs.contexts[step]
        arm = host.select()
        for stage in range(len(STAGES)):
            if stage:
                host.update(arm, int(inputs.rewards[step, arm]))
            now = _counts(host, len(first))
            new = (now > counted) & (first[:, 0] == 0)
            first[new] = step + 1, stage
            counted = now
    assert np.array_equal(host.model, after)


def checkpoints(rounds: int) -> tuple[int, ...]:
    """Return the rounds at which runs are inspected: eight per decade from 100, and the last."""
    return (*(step for step in _steps(16, 80) if step < rounds), rounds)


def model_checkpoints(rounds: int) -> tuple[int, ...]:
    """Return the rounds of inspected models: the checkpoints, and eight in the decade before."""
    stops = checkpoints(rounds)
    return (*(step for step in _steps(8, 16) if step < stops[0]), *stops)


def _steps(first: int, end: int) -> list[int]:
    return [int(step) for step in np.rint(10 ** (np.arange(first, end) / 8))]
