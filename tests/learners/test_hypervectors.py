"""Packed hypervectors in C compute what plain numbers give, and HD-CB plays as in Python."""

from __future__ import annotations

import ctypes
from functools import cache
from math import isqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.base.content import content
from gnomon.content.algorithms.hdcb.hypervectors import signs
from gnomon.learn import find_learner
from gnomon.learn.draws import random_words
from gnomon.measure.kernels import include_folders
from gnomon.measure.learners import (
    EmbeddedLearner,
    EmbeddedSizes,
    HostLearner,
    LearnerVariant,
    embedded_learners,
    find_embedded_learner,
)
from gnomon.measure.learners._step import to_steps
from gnomon.program import build_host
from tests.rows import light_and_heavy

pytestmark = pytest.mark.usefixtures("sources_stay")

PROBE = Path(__file__).parent / "hypervector_probe.c"
SIZES = [2, 31, 32, 33, 1000]
LIMIT = 32767
seeds = st.integers(0, 2**32 - 1)
dots = st.integers(-(2**31) + 1, 2**31 - 1) | st.integers(-3, 3)
some_squares = st.integers(1, 65535 * LIMIT**2) | st.integers(1, 9)


@cache
def probe(components: int) -> ctypes.CDLL:
    path = build_host(
        [PROBE],
        include=[content("algorithms", name) for name in ("hdcb", "common")] + include_folders(),
        defines={
            "LEARNER_COMPONENTS": components,
            "LEARNER_D": 2,
            "LEARNER_ARMS": 2,
            "FX_FRACTION_BITS": 15,
        },
    )
    return ctypes.CDLL(str(path))


def pack(negative: Any, components: int) -> np.ndarray:
    """Return bits as words, the lowest first."""
    bits = np.zeros((components + 31) // 32 * 32, np.uint8)
    bits[:components] = negative
    return np.packbits(bits, bitorder="little").view(np.uint32).copy()


def place(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


class Accumulator:
    """A hypervector of 16-bit numbers as C stores it."""

    def __init__(self, sums: np.ndarray) -> None:
        padded = np.zeros((len(sums) + 31) // 32 * 32, np.int16)
        padded[: len(sums)] = sums
        squares = np.array([(sums.astype(np.int64) ** 2).sum()]).view(np.uint32)
        self.size = len(sums)
        self.words = np.concatenate((padded.view(np.uint32), squares))

    @property
    def sums(self) -> np.ndarray:
        padded = self.words[:-2].copy().view(np.int16)
        assert not padded[self.size :].any()
        return padded[: self.size].astype(np.int64)

    @property
    def squares(self) -> int:
        return int(self.words[-2]) | int(self.words[-1]) << 32


@pytest.mark.parametrize("components", SIZES)
@settings(max_examples=30)
@given(seed=seeds)
def test_packed_dot_products_are_the_plain_ones(components: int, seed: int) -> None:
    rng, c = np.random.default_rng(seed), probe(components)
    a, b = rng.integers(0, 2, (2, components))
    x, other = pack(a, components), pack(b, components)
    differ = c.probe_hamming(place(x), place(other))
    assert components - 2 * differ == (1 - 2 * a) @ (1 - 2 * b)
    sums = rng.integers(-LIMIT, LIMIT + 1, components)
    assert c.probe_accumulated_dot(place(Accumulator(sums).words), place(x)) == sums @ (1 - 2 * a)
    small = rng.integers(-3, 4, components)
    clipped = planes(small)
    assert c.probe_clipped_dot(place(clipped), place(x)) == small @ (1 - 2 * a)


def planes(small: np.ndarray) -> np.ndarray:
    bits = [pack(small >> plane & 1, len(small)) for plane in range(3)]
    ends = np.array([small.sum(), (small**2).sum()], np.int64).astype(np.int32).view(np.uint32)
    return np.concatenate([*bits, ends])


@pytest.mark.parametrize("components", SIZES)
@settings(max_examples=30)
@given(seed=seeds)
def test_a_masked_update_clips(components: int, seed: int) -> None:
    rng, c = np.random.default_rng(seed), probe(components)
    small = rng.integers(-3, 4, components)
    step = rng.integers(-1, 2, components)
    of = planes(small)
    up, down = pack(step > 0, components), pack(step < 0, components)
    c.probe_clipped_add(place(of), place(up), place(down))
    assert np.array_equal(of, planes(np.clip(small + step, -3, 3)))


@pytest.mark.parametrize("components", SIZES)
@settings(max_examples=30)
@given(seed=seeds, step=st.integers(-127, 127))
def test_an_accumulation_clips_and_knows_its_squares(components: int, seed: int, step: int) -> None:
    rng, c = np.random.default_rng(seed), probe(components)
    near = rng.choice([-LIMIT, LIMIT], components) + rng.integers(-200, 201, components)
    sums = np.where(rng.random(components) < 0.5, near, rng.integers(-50, 51, components))
    sums, negative = np.clip(sums, -LIMIT, LIMIT), rng.integers(0, 2, components)
    of = Accumulator(sums)
    c.probe_accumulate(place(of.words), place(pack(negative, components)), step)
    expected = np.clip(sums + step * (1 - 2 * negative), -LIMIT, LIMIT)
    assert np.array_equal(of.sums, expected)
    assert of.squares == (expected**2).sum()
    c.probe_binarize(place(of.words))
    assert np.array_equal(of.sums, np.sign(expected))
    assert of.squares == (expected != 0).sum()


@pytest.mark.parametrize("components", SIZES)
@given(seed=seeds)
def test_a_rotation_moves_each_component_by_one(components: int, seed: int) -> None:
    bits = np.random.default_rng(seed).integers(0, 2, components)
    x, to = pack(bits, components), np.zeros((components + 31) // 32, np.uint32)
    probe(components).probe_rotate(place(x), place(to))
    assert np.array_equal(to, pack(np.roll(bits, 1), components))


@given(dot_a=dots, squares_a=some_squares, dot_b=dots, squares_b=some_squares)
def test_cosines_are_compared_exactly(
    dot_a: int, squares_a: int, dot_b: int, squares_b: int
) -> None:
    wide = ctypes.c_uint64
    found = probe(1000).probe_nearer(dot_a, wide(squares_a), dot_b, wide(squares_b))
    assert bool(found) == (dot_a * abs(dot_a) * squares_b > dot_b * abs(dot_b) * squares_a)


@given(seed=seeds, part=st.floats(-1, 1), largest=st.sampled_from([1, 5, LIMIT]))
def test_a_cosine_is_the_quotient_toward_zero(seed: int, part: float, largest: int) -> None:
    squares = int(np.random.default_rng(seed).integers(0, 1000 * largest**2 + 1))
    root = isqrt(squares * 1000)
    dot = int(part * root)  # a dot product is at most the root of both squares
    words = np.array([squares], np.uint64).view(np.uint32)
    expected = int(np.sign(dot)) * (abs(dot) * 2**15 // root) if root else 0
    assert probe(1000).probe_cosine(dot, place(words)) == expected


@pytest.mark.parametrize(("share", "bits"), [(1, 8), (77, 8), (128, 8), (255, 8), (5, 3)])
def test_mask_bits_are_as_frequent_as_their_share(share: int, bits: int) -> None:
    state, c = ctypes.c_uint32(9), probe(1000)
    c.probe_bernoulli.restype = ctypes.c_uint32
    masks = [c.probe_bernoulli(ctypes.byref(state), share, bits) for _ in range(2000)]
    chance, drawn = share / 2**bits, 32 * len(masks)
    ones = sum(mask.bit_count() for mask in masks)
    assert abs(ones / drawn - chance) < 4 * (chance * (1 - chance) / drawn) ** 0.5
    assert c.probe_bernoulli(ctypes.byref(state), 1 << bits, bits) == 2**32 - 1


ALL = [
    pytest.param(learner, variant, id=f"{learner.name}-{variant.name}")
    for learner in embedded_learners()
    if learner.name.startswith("hdcb")
    for variant in learner.variants
]
CASES: list[Any] = [(4, 4, {}, {}), (5, 1, {}, {}), (1, 3, {}, {})]
"""Features of a context, arms, parameters of the C, and the same settings in Python."""
OTHER: Any = (
    3,
    4,
    {
        "LEARNER_COMPONENTS": 77,
        "LEARNER_LEVELS": 5,
        "LEARNER_SPAN": 50,
        "LEARNER_LOW": -16384,
        "LEARNER_HIGH": 49152,
        "LEARNER_REWARD_LOW": -32768,
        "LEARNER_SEED": 12,
    },
    {
        "components": 77,
        "levels": 5,
        "span": 0.5,
        "low": -0.5,
        "high": 1.5,
        "reward_low": -1.0,
        "seed": 12,
    },
)


def plays(
    learner: EmbeddedLearner,
    variant: LearnerVariant,
    case: tuple[int, int, dict[str, int], dict[str, Any]],
    rounds: int = 300,
) -> tuple[HostLearner, Any]:
    """Play the same rounds in C and Python, and compare the arms."""
    d, arms, parameters, in_python = case
    rng = np.random.default_rng(3)
    host = HostLearner(variant.with_parameters(**parameters), EmbeddedSizes(d, arms))
    host.alpha = int(to_steps(learner.alpha, 15))
    model: Any = find_learner(learner.name, variant.name)(arms=arms, dimensions=d, **in_python)
    contexts = to_steps(rng.normal(size=(rounds, d)), 15)
    rewards = to_steps(rng.normal(0.4, 0.5, (rounds, arms)), 15)
    chosen = host.run(contexts, rewards)
    assert np.array_equal(chosen, model.run(contexts / 2.0**15, rewards / 2.0**15))
    assert arms == 1 or len(set(chosen.tolist())) > 1
    return host, model


@pytest.mark.parametrize(
    "case",
    light_and_heavy(
        "studies",
        lambda case: case in (CASES[0], OTHER),
        [
            pytest.param(case, id=name)
            for case, name in zip(
                [*CASES, OTHER], ["4x4", "5x1", "1x3", "other-settings"], strict=True
            )
        ],
    ),
)
@pytest.mark.parametrize(("learner", "variant"), ALL)
def test_c_and_python_play_the_same_arms(
    learner: EmbeddedLearner, variant: LearnerVariant, case: Any
) -> None:
    host, model = plays(learner, variant, case)
    d, arms, _, _ = case
    words = (model.components + 31) // 32
    of_arms = host.model[words * (1 + model.levels + d) :]
    if learner.name != "hdcb-prob":
        counters = 1 + arms if learner.name == "hdcb-eps" else 0
        blocks = of_arms[counters:].reshape(-1, 16 * words + 2)
        sums = np.ascontiguousarray(blocks[:, :-2]).view(np.int16)[:, : model.components]
        two = variant.name in {"unc1", "unc3"}
        assert np.array_equal(sums[:: 2 if two else 1], model.rewards)
        assert not two or np.array_equal(sums[1::2], model.contexts)
    if learner.name == "hdcb-unc":
        host.select()  # with all updates
        assert np.array_equal(host.scores / 2.0**15, model.scores(host.context / 2.0**15))
    else:
        assert int(of_arms[0]) % 2**32 == int(model.random[0])


def test_c_stops_at_the_limit_as_python_does() -> None:
    learner = find_embedded_learner("hdcb-eps")
    variant = learner.variant("standard")
    case = (
        1,
        1,
        {"LEARNER_WEIGHTS": 127, "LEARNER_COMPONENTS": 40},
        {"weights": 127, "components": 40},
    )
    _, model = plays(learner, variant, case, rounds=3000)
    assert np.abs(model.rewards).max() == LIMIT


def test_vectors_are_unpacked_lowest_bit_first() -> None:
    word = int(random_words(1)[0])
    unpacked = signs(np.array([word]), 32)
    assert [(-1.0) ** (word >> i & 1) for i in range(32)] == unpacked.tolist()


def test_propensities_are_those_of_the_choices() -> None:
    learner = find_embedded_learner("hdcb-prob")
    host = HostLearner(
        learner.variants[0].with_parameters(LEARNER_PROPENSITY=1), EmbeddedSizes(2, 4)
    )
    model: Any = find_learner("hdcb-prob")(arms=4, dimensions=2)
    rng, seen = np.random.default_rng(4), set()
    for _ in range(150):
        host.context = to_steps(rng.normal(size=2), 15)
        x, reward = host.context / 2.0**15, int(to_steps(rng.random(), 15))
        chances = model.probabilities(x)
        arm = host.select()
        assert arm == model.select(x)
        assert abs(host.propensity - chances[arm]) < 2**-28
        host.update(arm, reward)
        model.update(x, arm, reward / 2.0**15)
        seen.add(host.propensity)
    assert len(seen) == 2
