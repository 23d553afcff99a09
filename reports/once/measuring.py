"""Cost of a step, and decisions on unseen seeds, of both implementations of a pair."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from gnomon.arch import Architecture, load_architecture
from gnomon.measure.learners import (
    EmbeddedSizes,
    HostLearner,
    LearnerBench,
    compare_decisions,
    find_embedded_learner,
    judge_once,
)

from .pairs import ARMS, DIMENSIONS, LIMITED, PAIRS, Pair

SEEDS: Final = {"small": 4, "full": 20}
ROUNDS: Final = 500
DECIDING: Final = EmbeddedSizes(8, ARMS)
"""Sizes at which decisions are compared."""
MANY_ROUNDS: Final = 10_000
PLAYING: Final = EmbeddedSizes(4, 4)
"""Sizes at which the regret of many rounds is compared."""
COSTS: Final = ("learner", "by", "machine", "d", "select_cycles", "update_cycles", "model_bytes",
                "text_bytes")  # fmt: skip
DECISIONS: Final = ("learner", "by", "d", "arms", "rounds", "seeds", "follows", "follows_lowest",
                    "regret", "regret_python", "more", "more_low", "more_high")  # fmt: skip
LOSSES: Final = ("learner", "variant", "d", "fewest_bits", "variable", "format", "saturated",
                 "clamped")  # fmt: skip


@cache
def _machine(name: str) -> Architecture:
    return load_architecture(name)


def cost_points(size: str) -> Iterator[tuple[Pair, str, str, int]]:
    """Yield pair, implementation, machine and features of all measurements."""
    for pair in PAIRS:
        for d in DIMENSIONS[size]:
            for machine in pair.machines(size):
                yield from ((pair, by, machine, d) for by in pair.variants)
            if pair.limited:
                yield pair, "once", LIMITED, d


def measure_cost(title: str, by: str, machine: str, d: int) -> tuple[Any, ...]:
    """Return a row of ``COSTS``: one step of random input, each bit compared with the host."""
    pair = pair_of(title)
    learner = find_embedded_learner(pair.learner)
    bench = LearnerBench(learner, pair.variants[by], _machine(machine), EmbeddedSizes(d, ARMS))
    run = bench.measure(case="random", details=False)
    stages = run.select.hart_cycles, run.update.hart_cycles
    return title, by, machine, d, *stages, run.model_bytes, run.text_bytes


def decision_points(size: str) -> Iterator[tuple[Pair, str, EmbeddedSizes, int]]:
    """Yield pair, implementation, sizes and rounds of all comparisons."""
    for pair in PAIRS:
        yield from ((pair, by, DECIDING, ROUNDS) for by in pair.variants)
        if size == "full":
            yield pair, "once", PLAYING, MANY_ROUNDS


def measure_decisions(
    title: str, by: str, sizes: EmbeddedSizes, rounds: int, seeds: int
) -> tuple[Any, ...]:
    """Return a row of ``DECISIONS``: unseen seeds, compared with the class in CPython."""
    pair = pair_of(title)
    source = pair.variants["once"].once
    assert source is not None
    host = HostLearner(pair.variants[by], sizes)
    found = compare_decisions(host, source, seeds=seeds, rounds=rounds)
    comparable = by == "once" or pair.same
    follows = (sum(found.follows) / seeds, min(found.follows)) if comparable else (None, None)
    uniform = sum(found.uniforms)
    regrets = sum(found.regrets) / uniform, sum(found.references) / uniform
    at = sizes.d, sizes.arms, rounds, seeds
    return title, by, *at, *follows, *regrets, *found.interval()


def measure_loss(title: str) -> tuple[Any, ...]:
    """Return a row of ``LOSSES``: the coarsest variable, and what saturated or was clamped."""
    pair = pair_of(title)
    judged = judge_once(pair.variants["once"], DECIDING, seeds=1, rounds=ROUNDS)
    variables = [each for each in judged.formats if each.line]  # inputs have none
    coarsest = min(variables, key=lambda each: each.bits)
    return (
        title, pair.once, DECIDING.d, coarsest.bits, f"{coarsest.name} (line {coarsest.line})",
        coarsest.format, len(judged.lost), judged.clamped,
    )  # fmt: skip


def pair_of(title: str) -> Pair:
    """Return the pair of this title."""
    return next(each for each in PAIRS if each.title == title)
