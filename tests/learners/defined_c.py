"""Run host builds of learners on numbers of every kind; for ``tests.program.undefined``."""

from __future__ import annotations

import sys

import numpy as np

from gnomon.measure.learners import (
    EmbeddedLearner,
    EmbeddedSizes,
    HostLearner,
    LearnerVariant,
    embedded_learners,
)
from gnomon.measure.learners._step import to_steps
from tests.program.undefined import stop_where_undefined

STEPS = 300
_EXTREMES = (-(2**31), -(2**31) + 1, -1, 0, 1, 2**31 - 1)


def numbers(rng: np.random.Generator, kind: str, shape: tuple[int, ...], bits: int) -> np.ndarray:
    """``ordinary``: within 1; ``large``: within 8; ``any`` and ``extreme``: of 32 bits."""
    if kind == "extreme":
        return rng.choice(_EXTREMES, shape)
    if kind == "any":
        return rng.integers(-(2**31), 2**31, shape)
    most = {"ordinary": 1, "large": 8}[kind] << bits
    return rng.integers(-most, most + 1, shape)


def run(learner: EmbeddedLearner, variant: LearnerVariant, bits: int) -> int:
    """Every kind of numbers; returns how many."""
    sizes = EmbeddedSizes(3, 4, 2 if learner.has_features else None)
    kinds = ("ordinary", "large", "any", "extreme")
    host = HostLearner(variant, sizes, fraction_bits=bits)
    for kind in kinds:
        print(f"{learner.name} {variant.name}, {bits} fraction bits, {kind} numbers", flush=True)
        rng = np.random.default_rng(0)
        host.reset()
        host.alpha = int(to_steps(learner.alpha, bits))
        if learner.has_features or learner.fixed_arms:
            host.features = numbers(rng, kind, host.features.shape, bits)
        contexts = numbers(rng, kind, (STEPS, sizes.d), bits).astype(np.int32)
        rewards = numbers(rng, kind, (STEPS, sizes.arms), bits).astype(np.int32)
        arms = host.run(contexts, rewards)
        assert arms.max() < sizes.arms
    return len(kinds)


def main() -> None:
    """All variants of ``name/line/variant/bits`` given."""
    stop_where_undefined()
    cases = 0
    for argument in sys.argv[1:]:
        name, line, variant, bits = argument.split("/")
        learner = next(each for each in embedded_learners() if each.name == name)
        found = next(each for each in learner.variants if (each.line, each.name) == (line, variant))
        cases += run(learner, found, int(bits))
    print(f"{cases} cases")


if __name__ == "__main__":
    main()
