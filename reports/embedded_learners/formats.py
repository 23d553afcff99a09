"""What a number format does to SoftUCB and ARES: equal arms and regret beside float."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gnomon.bench.learners import HostLearner, Sizes, find_learner, random_words, to_steps
from gnomon.content.algorithms.ares.policy import AresP
from gnomon.content.algorithms.ares.system import random_system, simulate
from gnomon.content.algorithms.softucb.arm_sets import synthetic_arm_sets
from gnomon.content.algorithms.softucb.policy import OnlineSoftPolicy, SoftPolicy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from gnomon.bench.words import Words
    from gnomon.content.algorithms.ares.system import Trajectory
    from gnomon.content.algorithms.softucb.arm_sets import ArmSets

FORMAT_BITS = (8, 10, 12, 14, 15, 16, 18, 20)
_VECTOR_BITS = 15
_LEAST_ALIKE = 12  # ares_windows.c: with fewer of V^-1, w = V^-1 q has not its 24
_BETA, _FIRST_BETA = 0.7, 1.0


@dataclass(frozen=True, slots=True)
class LearnerFormat:
    """One implementation in one format, over some runs.

    Attributes:
        learner: its name.
        variant: which implementation.
        case: what was played.
        fraction_bits: binary digits behind the point.
        inverse_bits: those of V^-1, where they are chosen apart; else None.
        runs: how many.
        rounds: of each.
        equal_following: share of rounds with the arm of float, when both learn what float played.
        equal_alone: the same, when each learns what it plays itself.
        regret: mean R(T).
        float_regret: of float in the same rounds, with the same random numbers.
    """

    learner: str
    variant: str
    case: str
    fraction_bits: int
    inverse_bits: int | None
    runs: int
    rounds: int
    equal_following: float
    equal_alone: float
    regret: float
    float_regret: float

    @property
    def ratio(self) -> float:
        """Regret over that of float."""
        return self.regret / self.float_regret


class _Words:
    """Stands for a generator: the numbers that ``next_random`` of ``random.h`` draws, to each."""

    def __init__(self, rounds: int) -> None:
        self._shares = iter(random_words(rounds) / 2.0**32)

    def random(self, count: int) -> NDArray[np.float64]:
        """The next one, for all environments."""
        return np.full(count, next(self._shares))


def softucb_formats(
    *, environments: int, rounds: int, bits: tuple[int, ...] = FORMAT_BITS, seed: int = 500
) -> Iterator[LearnerFormat]:
    """SoftUCB in each format: K = 50, d = 10, noise 0.1; the width 0.7, or online from 1.

    V^-1 has as many bits as means (``inverse_bits`` says so), or 28 and more.
    """
    arm_sets = synthetic_arm_sets(
        count=environments, arms=50, dimensions=10, noise_std=0.1, seed=seed
    )
    rng = np.random.default_rng(seed + 1)
    noise = arm_sets.noise_std * rng.standard_normal((rounds, environments))
    words: Any = _Words
    fixed = _float_arms(arm_sets, SoftPolicy(arm_sets, words(rounds), beta=_BETA), noise)
    online = _float_arms(
        arm_sets,
        OnlineSoftPolicy(arm_sets, words(rounds), rounds=rounds, beta=_FIRST_BETA),
        noise,
    )
    cases = [
        *(("optimized", each, None) for each in bits),
        *(("optimized", each, each) for each in bits),
        *(("standard", each, None) for each in bits),
        *(("online", each, None) for each in bits if each >= 12),
        ("optimized-vector", _VECTOR_BITS, None),
        ("online-vector", _VECTOR_BITS, None),
    ]
    for variant, fraction_bits, inverse_bits in cases:
        reference = online if "online" in variant else fixed
        yield _soft_format(
            arm_sets, noise, reference, name=variant, bits=fraction_bits, inverse_bits=inverse_bits
        )


def _float_arms(
    arm_sets: ArmSets, policy: SoftPolicy, noise: NDArray[np.float64]
) -> NDArray[np.int64]:
    rows = np.arange(len(arm_sets.means))
    played = np.empty(noise.shape, dtype=np.int64)
    for at, of_round in enumerate(noise):
        played[at] = policy.choose()
        policy.learn(played[at], arm_sets.means[rows, played[at]] + of_round)
    return played


def _soft_format(
    arm_sets: ArmSets,
    noise: NDArray[np.float64],
    reference: NDArray[np.int64],
    *,
    name: str,
    bits: int,
    inverse_bits: int | None,
) -> LearnerFormat:
    _, arms, d = arm_sets.features.shape
    variant = find_learner("softucb").variant(name, "tuned")
    if inverse_bits is not None:
        variant = variant.with_parameters(LEARNER_INVERSE_BITS=inverse_bits)
    beta = _BETA
    if "online" in name:
        variant = variant.with_parameters(LEARNER_HORIZON=len(noise))
        beta = _FIRST_BETA
    host = HostLearner(variant, Sizes(d, arms), fraction_bits=bits)
    host.alpha = int(to_steps(beta, bits))
    contexts = np.zeros((len(noise), d), dtype=np.int32)

    def play(at: int) -> tuple[Words, Words]:
        host.features = to_steps(arm_sets.features[at], bits)
        return contexts, to_steps(arm_sets.means[at] + noise[:, at, None], bits)

    def regret(played: NDArray[np.int64]) -> float:
        rows = np.arange(played.shape[1])
        return float(arm_sets.gaps[rows, played].sum(axis=0).mean())

    case = f"K = {arms}, d = {d}, noise {arm_sets.noise_std:g}"
    return _format(("softucb", name, case, bits, inverse_bits), host, reference, play, regret)


def _format(
    named: tuple[str, str, str, int, int | None],
    host: HostLearner,
    reference: NDArray[np.int64],
    play: Callable[[int], tuple[Words, Words]],
    regret: Callable[[NDArray[np.int64]], float],
) -> LearnerFormat:
    """What a learner loses; ``play`` sets a run up and gives its contexts and rewards."""
    alone, following = np.empty_like(reference), np.empty_like(reference)
    for at in range(reference.shape[1]):
        contexts, rewards = play(at)
        host.reset()
        alone[:, at] = host.run(contexts, rewards)
        host.reset()
        following[:, at] = host.follow(contexts, rewards, reference[:, at])
    rounds, runs = reference.shape
    return LearnerFormat(
        *named,
        runs=runs,
        rounds=rounds,
        equal_following=float((following == reference).mean()),
        equal_alone=float((alone == reference).mean()),
        regret=regret(alone),
        float_regret=regret(reference),
    )


class _Seen(AresP):
    """ARES-P with its arms noted."""

    def __init__(self, trajectory: Trajectory, *, windows: int, padded: bool) -> None:
        super().__init__(trajectory, windows=windows, keep=1.0, padded=padded)
        self.seen: list[NDArray[np.int64]] = []

    def choose(self, at: int, features: NDArray[np.float64]) -> Any:
        arms = super().choose(at, features)
        self.seen.append(np.asarray(arms))
        return arms


def ares_formats(
    *,
    runs: int,
    rounds: int,
    bits: tuple[int, ...] = FORMAT_BITS,
    systems: tuple[int, ...] = (17, 16),
    windows: int = 4,
) -> Iterator[LearnerFormat]:
    """ARES-P in each format on normalised systems, windows up to 4.

    V^-1 has 28 bits, or as many as means from 12 on (``inverse_bits`` says so).
    """
    for system in systems:
        trajectory = simulate(random_system(system), runs=runs, rounds=rounds, seed=7000 + system)
        gaps = trajectory.expected.max(axis=2, keepdims=True) - trajectory.expected
        for name, padded in (("standard", False), ("optimized", True)):
            policy = _Seen(trajectory, windows=windows, padded=padded)
            _play(trajectory, policy)
            reference = np.array(policy.seen)
            cases: list[tuple[str, int, int | None]] = [(name, each, None) for each in bits]
            if not padded:
                cases += [(name, each, each) for each in bits if each >= _LEAST_ALIKE]
                cases += [("standard-vector", _VECTOR_BITS, None)]
            for variant, fraction_bits, inverse_bits in cases:
                yield _ares_format(
                    trajectory,
                    gaps,
                    reference,
                    name=variant,
                    bits=fraction_bits,
                    inverse_bits=inverse_bits,
                    windows=windows,
                    system=system,
                )


def _play(trajectory: Trajectory, policy: AresP) -> None:
    rows = np.arange(trajectory.expected.shape[1])
    for at in range(trajectory.rounds):
        features = trajectory.features(at)
        arms = policy.choose(at, features)
        policy.learn(at, features, arms, trajectory.expected[at][rows, arms] + trajectory.noise[at])


def _ares_format(
    trajectory: Trajectory,
    gaps: NDArray[np.float64],
    reference: NDArray[np.int64],
    *,
    name: str,
    bits: int,
    inverse_bits: int | None,
    windows: int,
    system: int,
) -> LearnerFormat:
    arms = trajectory.expected.shape[2]
    variant = find_learner("ares").variant(name, "tuned").with_parameters(LEARNER_WINDOWS=windows)
    if inverse_bits is not None:
        variant = variant.with_parameters(LEARNER_INVERSE_BITS=inverse_bits)
    d = trajectory.contexts.shape[2]
    host = HostLearner(variant, Sizes(d, arms), fraction_bits=bits)

    def play(at: int) -> tuple[Words, Words]:
        rewards = trajectory.expected[:, at] + trajectory.noise[:, at, None]
        return to_steps(trajectory.contexts[:, at], bits), to_steps(rewards, bits)

    def regret(played: NDArray[np.int64]) -> float:
        return float(np.take_along_axis(gaps, played[:, :, None], axis=2).sum(axis=0).mean())

    case = f"system {system}, windows up to {windows}"
    return _format(("ares", name, case, bits, inverse_bits), host, reference, play, regret)


def least_bits(formats: list[LearnerFormat], most_ratio: float = 1.02) -> int | None:
    """The fewest fraction bits from which on no format loses more regret than that."""
    found = None
    for each in sorted(formats, key=lambda item: -item.fraction_bits):
        if each.ratio > most_ratio:
            break
        found = each.fraction_bits
    return found
