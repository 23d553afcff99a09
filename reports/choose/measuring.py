"""Measured cost of a step of a learner at one size on one machine."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gnomon.arch import load_architecture
from gnomon.base.errors import CheckFailed, GnomonError
from gnomon.learn import Rounds
from gnomon.measure.learners import (
    EmbeddedSizes,
    LearnerBench,
    LearnerVariant,
    Play,
    find_embedded_learner,
)

_ROUNDS = {"bento-epsilon-greedy": 64, "ek-ucb": 80}
_FEW_ROUNDS = 48
_STEPS = 8  # of ARES-P, each after its turns and some rounds
STACK_BYTES = 16384
_ROUNDS_OF_ARM = 3  # epsilon-greedy explores for two
ROOM = "memory.data.size=4 MiB"  # a device does not store the rounds; no cycle depends on it


@dataclass(frozen=True, slots=True)
class Implementation:
    """C of a learner with its settings, and the machines that run it alike.

    ``family``: a key of ``FAMILIES``. ``settings``: macros, as in ``algorithm.yaml``.
    """

    learner: str
    variant: str
    family: str
    settings: tuple[tuple[str, int], ...] = ()

    @property
    def said(self) -> str:
        """Text of its settings."""
        return " ".join(f"{name}={value}" for name, value in self.settings)

    def built(self, arms: int) -> LearnerVariant:
        variant = find_embedded_learner(self.learner).variant(self.variant, "tuned")
        made = variant.with_parameters(**dict(self.settings))
        exploring = find_embedded_learner(self.learner).exploring
        if exploring:  # so that most rounds exploit
            made = made.with_parameters(**{exploring.macro: 2 * arms})
        return made


@dataclass(frozen=True, slots=True)
class Sample:
    """One implementation at one size on one machine."""

    implementation: Implementation
    machine: str
    d: int
    arms: int
    features: int  # of an arm, of learners whose arms have some


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of a step; ``refused``: the reason if there is no run."""

    slowest_cycles: int = 0  # the slowest selection and the slowest update of the rounds
    ram_bytes: int = 0  # static data and the peak of the stack
    flash_bytes: int = 0  # instructions
    refused: str = field(default="")


def measure(sample: Sample) -> Cost:
    """Play rounds on the machine; contract checks compare the bits of the same programs."""
    each, learner = sample.implementation, find_embedded_learner(sample.implementation.learner)
    machine = load_architecture(sample.machine, (ROOM,))
    sizes = EmbeddedSizes(sample.d, sample.arms, sample.features if learner.has_features else None)
    rounds = max(_ROUNDS.get(learner.name, _FEW_ROUNDS), sample.arms * _ROUNDS_OF_ARM)
    variant = each.built(sample.arms)
    bench = LearnerBench(learner, variant, machine, sizes)
    try:
        if learner.turns:
            return _of_steps(bench, learner.turns * sample.arms + 60)
        program = bench.build(rounds=rounds, stack_bytes=STACK_BYTES)
        played = bench.play(play_sample(sample, rounds), program=program, checked=False)
    except CheckFailed:
        raise
    except GnomonError as error:
        return Cost(refused=str(error).strip().splitlines()[-1][:200])
    return Cost(
        max(played.select.lengths) + max(played.update.lengths),
        played.static_bytes + played.stack_bytes, played.text_bytes,
    )  # fmt: skip


def _of_steps(bench: LearnerBench, warm_steps: int) -> Cost:
    """Measure single steps, where whole runs would be long: arms take turns for most of one."""
    program = bench.build(stack_bytes=STACK_BYTES)
    how: dict[str, Any] = {"case": "random", "details": False, "warm_steps": warm_steps}
    runs = [bench.measure(program=program, seed=seed, **how) for seed in range(_STEPS)]
    return Cost(
        max(run.select.wall_cycles for run in runs) + max(run.update.wall_cycles for run in runs),
        runs[0].static_bytes + max(max(r.stack_bytes) for r in runs),
        runs[0].text_bytes,
    )  # fmt: skip


def play_sample(sample: Sample, rounds: int) -> Play:
    """Return random rounds of the size of a sample."""
    learner = find_embedded_learner(sample.implementation.learner)
    drawn = Rounds.linear(
        rounds=rounds, arms=sample.arms, dimensions=sample.d, features=sample.features, seed=1
    )
    rewards = drawn.expected + drawn.noise[:, None]
    contexts, features = drawn.contexts, drawn.arm_features
    if learner.fixed_arms:
        features = np.random.default_rng(1).uniform(-1, 1, (sample.arms, sample.d))
        features *= 0.999 / np.linalg.norm(features, axis=1, keepdims=True)
        contexts = np.zeros_like(contexts)
    shown = features if learner.fixed_arms or learner.has_features else None
    return Play.from_floats(
        contexts, rewards, fraction_bits=15, features=shown, alpha=learner.alpha
    )
