"""Effect of a number format on SoftUCB and ARES: equal arms and regret next to float."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gnomon.content.algorithms.ares.policy import AresP, play
from gnomon.content.algorithms.ares.system import Trajectory, random_system, simulate
from gnomon.content.algorithms.softucb.arm_sets import ArmSets, synthetic_arm_sets
from gnomon.content.algorithms.softucb.policy import OnlineSoftPolicy, SoftPolicy
from gnomon.measure.learners import EmbeddedSizes, HostLearner, Play, find_embedded_learner

FORMAT_BITS = (8, 10, 12, 14, 15, 16, 18, 20)
_VECTOR_BITS = 15
_LEAST_ALIKE = 12  # ares_windows.c: with fewer of V^-1, w = V^-1 q has not its 24
_BETA, _FIRST_BETA = 0.7, 1.0
_NAMED = ("learner", "variant", "case", "fraction_bits", "inverse_bits")


class _Words:
    """Replacement of a generator: all environments get the next number of C's ``next_random``."""

    def __init__(self, rounds: int) -> None:
        self._shares = iter(HostLearner.random_words(rounds) / 2.0**32)

    def random(self, count: int) -> NDArray[np.float64]:
        """Return the next number, for all environments."""
        return np.full(count, next(self._shares))


def softucb_formats(
    *, environments: int, rounds: int, bits: tuple[int, ...] = FORMAT_BITS, seed: int = 500
) -> Iterator[dict[str, Any]]:
    """Run SoftUCB in each format: K = 50, d = 10, noise 0.1; width 0.7, or online from 1.

    V^-1 has as many fraction bits as means (see ``inverse_bits``), or 28 and more.
    """
    arm_sets = synthetic_arm_sets(
        count=environments, arms=50, dimensions=10, noise_std=0.1, seed=seed
    )
    rng = np.random.default_rng(seed + 1)
    noise = arm_sets.noise_std * rng.standard_normal((rounds, environments))
    words: Any = _Words
    fixed = SoftPolicy(arm_sets, words(rounds), beta=_BETA)
    online = OnlineSoftPolicy(arm_sets, words(rounds), rounds=rounds, beta=_FIRST_BETA)
    by_float = {False: _float_arms(arm_sets, fixed, noise),
                True: _float_arms(arm_sets, online, noise)}  # fmt: skip
    cases = [
        *(("optimized", each, None) for each in bits),
        *(("optimized", each, each) for each in bits),
        *(("standard", each, None) for each in bits),
        *(("online", each, None) for each in bits if each >= 12),
        ("optimized-vector", _VECTOR_BITS, None),
        ("online-vector", _VECTOR_BITS, None),
    ]
    _, arms, d = arm_sets.features.shape
    case = f"K = {arms}, d = {d}, noise {arm_sets.noise_std:g}"
    for name, of_means, of_inverse in cases:
        moves = "online" in name
        horizon = {"LEARNER_HORIZON": rounds} if moves else {}
        host = _host("softucb", name, EmbeddedSizes(d, arms), of_means, of_inverse, **horizon)
        alpha = _FIRST_BETA if moves else _BETA
        plays = [
            Play.from_floats(np.zeros((rounds, d)), means + of_one[:, None], fraction_bits=of_means,
                    features=features, alpha=alpha)
            for means, of_one, features in zip(
                arm_sets.means, noise.T, arm_sets.features, strict=True)
        ]  # fmt: skip
        named = ("softucb", name, case, of_means, of_inverse)
        yield _format(named, host, plays, by_float[moves], arm_sets.gaps[None])


def _float_arms(
    arm_sets: ArmSets, policy: SoftPolicy, noise: NDArray[np.float64]
) -> NDArray[np.int64]:
    rows = np.arange(len(arm_sets.means))
    played = np.empty(noise.shape, dtype=np.int64)
    for at, of_round in enumerate(noise):
        played[at] = policy.choose()
        policy.learn(played[at], arm_sets.means[rows, played[at]] + of_round)
    return played


def _host(
    learner: str, name: str, sizes: EmbeddedSizes, bits: int, inverse_bits: int | None, **more: int
) -> HostLearner:
    if inverse_bits is not None:
        more["LEARNER_INVERSE_BITS"] = inverse_bits
    variant = find_embedded_learner(learner).variant(name, "tuned").with_parameters(**more)
    return HostLearner(variant, sizes, fraction_bits=bits)


def _format(
    named: tuple[str, str, str, int, int | None],
    host: HostLearner,
    plays: Sequence[Play],
    reference: NDArray[np.int64],
    gaps: NDArray[np.float64],
) -> dict[str, Any]:
    """Return the loss of a learner in runs in which float plays ``reference``, (rounds, runs).

    ``gaps`` are the differences between the best arm and each arm, (rounds or 1, runs, K).

    Returns:
        ``case``: policy and problem; ``inverse_bits``: fraction bits of V^-1, if they are chosen
        separately; ``equal_following``: share of rounds with the arm of float, when both learn what
        float played; ``equal_alone``: the same, when each learns what it plays itself; ``regret``:
        mean R(T); ``float_regret``: of float in the same rounds, with the same random numbers.
    """
    of_float = reference.T
    alone = np.stack([play.on(host) for play in plays], axis=1)
    pairs = zip(plays, of_float, strict=True)
    following = np.stack([play.following(host, arms) for play, arms in pairs], axis=1)
    rounds, runs = reference.shape
    every = np.broadcast_to(gaps, (rounds, *gaps.shape[1:]))
    regret, float_regret = (
        float(np.take_along_axis(every, played[:, :, None], axis=2).sum(axis=0).mean())
        for played in (alone, reference)
    )
    return {
        **dict(zip(_NAMED, named, strict=True)),
        "runs": runs,
        "rounds": rounds,
        "equal_following": float((following == reference).mean()),
        "equal_alone": float((alone == reference).mean()),
        "regret": regret,
        "float_regret": float_regret,
        "regret_ratio": regret / float_regret,
    }


class _Seen(AresP):
    """ARES-P that records its arms."""

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
) -> Iterator[dict[str, Any]]:
    """Run ARES-P in each format on normalised systems, windows up to 4.

    V^-1 has 28 fraction bits, or as many as means from 12 on (see ``inverse_bits``).
    """
    for system in systems:
        trajectory = simulate(random_system(system), runs=runs, rounds=rounds, seed=7000 + system)
        gaps = trajectory.expected.max(axis=2, keepdims=True) - trajectory.expected
        sizes = EmbeddedSizes(trajectory.contexts.shape[2], trajectory.expected.shape[2])
        rewards = trajectory.expected + trajectory.noise[:, :, None]
        inputs = trajectory.contexts.swapaxes(0, 1), rewards.swapaxes(0, 1)
        case = f"system {system}, windows up to {windows}"
        for standard, padded in (("standard", False), ("optimized", True)):
            policy = _Seen(trajectory, windows=windows, padded=padded)
            play(trajectory, policy)
            cases: list[tuple[str, int, int | None]] = [(standard, each, None) for each in bits]
            if not padded:
                cases += [(standard, each, each) for each in bits if each >= _LEAST_ALIKE]
                cases += [("standard-vector", _VECTOR_BITS, None)]
            for name, of_means, of_inverse in cases:
                host = _host("ares", name, sizes, of_means, of_inverse, LEARNER_WINDOWS=windows)
                plays = [
                    Play.from_floats(contexts, earned, fraction_bits=of_means)
                    for contexts, earned in zip(*inputs, strict=True)
                ]
                named = ("ares", name, case, of_means, of_inverse)
                yield _format(named, host, plays, np.array(policy.seen), gaps)
