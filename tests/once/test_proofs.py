"""Slow proofs of generated learners: words, decisions, regret, ranges, cost, random programs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.cli.app import app
from gnomon.measure.learners import (
    EmbeddedSizes,
    HostLearner,
    LearnerVariant,
    compare_decisions,
    embedded_learners,
    judge_once,
    write_generated,
)
from gnomon.once.generate import make_rounds, play_float, read_source, to_words
from gnomon.once.words import WordReading
from tests.once.batches import prove_programs

VARIANTS = {
    f"{learner.name}/{each.name}": each
    for learner in embedded_learners()
    for each in learner.variants
    if each.once is not None
}
SCALAR_ALONE = (
    "lin-sgd/once", "linucb-discounted/once", "linucb-disjoint/once-published",
    "thompson-disjoint/once", "ucb1/once",
)  # fmt: skip
"""Variants of classes that do not ship for a vector unit with post-scaled products."""
SIZES = ((2, 3), (5, 4), (8, 8), (13, 5))
SEEDS = 20


def on_vector_unit(variant: LearnerVariant) -> LearnerVariant:
    assert variant.once is not None
    entry = variant.once.entry.model_copy(update={"vector": True})
    source = replace(variant.once, name=f"{variant.name} vector", entry=entry)
    return replace(variant, name=source.name, vector=True, extensions=("kps",), once=source)


FORMS = VARIANTS | {f"{name} vector": on_vector_unit(VARIANTS[name]) for name in SCALAR_ALONE}
"""The shipped variants, and with them each class both for the scalar core and a vector unit."""


def host_of(variant: LearnerVariant, sizes: EmbeddedSizes) -> HostLearner:
    assert variant.once is not None
    host = HostLearner(variant, sizes)
    host.alpha = variant.once.alpha_word
    host.reset()
    return host


@pytest.mark.heavy("studies")
@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize(("d", "arms"), SIZES)
def test_c_equals_the_integers_over_ten_thousand_rounds(name: str, d: int, arms: int) -> None:
    source = FORMS[name].once
    assert source is not None
    code = read_source(source, d, arms)
    drawn = make_rounds(source, 7, 10_000, arms=arms, d=d)
    contexts, rewards = to_words(drawn.contexts), to_words(drawn.expected + drawn.noise[:, None])
    host = host_of(FORMS[name], EmbeddedSizes(d, arms))
    words = WordReading(code, source.alpha_word)
    assert np.array_equal(host.run(contexts, rewards), words.play(contexts, rewards))
    assert np.array_equal(host.model, words.model)


@pytest.mark.heavy("studies")
@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize(("d", "arms"), SIZES)
def test_the_float_reading_equals_the_class_on_unseen_seeds(name: str, d: int, arms: int) -> None:
    source = VARIANTS[name].once
    assert source is not None
    code = read_source(source, d, arms)
    for seed in range(SEEDS):
        play_float(source, code, seed, 500)  # raises CheckFailed at the first other arm or state


@pytest.mark.heavy("studies")
@pytest.mark.parametrize("name", VARIANTS)
def test_each_seed_follows_the_decisions_of_the_class(name: str) -> None:
    judged = judge_once(VARIANTS[name], EmbeddedSizes(8, 8), seeds=SEEDS, rounds=500)
    assert len(judged.follows) == SEEDS
    assert min(judged.follows) >= 0.98


@pytest.mark.heavy("studies")
@pytest.mark.parametrize("name", VARIANTS)
def test_regret_is_below_that_of_the_class_plus_one_percent_of_a_uniform_policy(name: str) -> None:
    variant = VARIANTS[name]
    assert variant.once is not None
    host = host_of(variant, EmbeddedSizes(4, 4))
    played = compare_decisions(host, variant.once, seeds=SEEDS, rounds=10_000)
    mean, low, high = played.interval()
    assert -0.01 < low < high < 0.01 or low == high == 0.0, (mean, low, high)


@pytest.mark.heavy("studies")
@pytest.mark.parametrize("name", VARIANTS)
def test_contexts_and_rewards_beyond_the_recorded_are_clamped(name: str) -> None:
    source = VARIANTS[name].once
    assert source is not None
    code = read_source(source, 8, 8)
    drawn = make_rounds(source, 3, 500, arms=8, d=8)
    most = 2.0**15
    contexts = to_words(np.clip(30.0 * drawn.contexts, -most, most))
    rewards = to_words(np.clip(30.0 * (drawn.expected + drawn.noise[:, None]), -most, most))
    host = host_of(VARIANTS[name], EmbeddedSizes(8, 8))
    words = WordReading(code, source.alpha_word)
    assert np.array_equal(host.run(contexts, rewards), words.play(contexts, rewards))
    assert np.array_equal(host.model, words.model)
    assert words.clamped > 0


COSTS = [
    ("t13", "once", "optimized", {8: 1.1, 16: 1.1, 32: 1.1}),
    ("t13-paper-simd4", "once-vector", "optimized-vector", {8: 2.0, 32: 3.0}),
]


@pytest.mark.heavy("studies")
@pytest.mark.parametrize(("arch", "once", "tuned", "limits"), COSTS)
def test_cost_is_near_that_of_hand_written_c(
    arch: str, once: str, tuned: str, limits: dict[int, float]
) -> None:
    def cycles(line: str, variant: str, d: int) -> int:
        command = ["learner", "linucb-disjoint", "--arch", arch, "--d", str(d), "--arms", "8",
                   "--case", "random", "--line", line, "--variant", variant, "--json"]  # fmt: skip
        answer = CliRunner().invoke(app, command, catch_exceptions=False).stdout
        return int(json.loads(answer)["runs"][0]["hart_cycles"])

    for d, limit in limits.items():
        assert cycles("once", once, d) <= limit * cycles("tuned", tuned, d), d


@pytest.mark.heavy("studies")
@pytest.mark.parametrize("name", VARIANTS)
def test_firmware_passes_its_check_on_the_host(name: str, tmp_path: Path) -> None:
    machine = load_architecture("t13-paper-simd8" if VARIANTS[name].vector else "t13")
    write_generated([VARIANTS[name]], EmbeddedSizes(8, 8), tmp_path, machine)
    compiler = f"CC={sys.executable} -m ziglang cc"
    done = subprocess.run(["make", "-C", tmp_path, "check", compiler], capture_output=True,
                          text=True, check=False)  # fmt: skip
    assert "0 words differ" in done.stdout, done.stderr


SHAPES = ((2, 3), (3, 2), (4, 4), (5, 3))


@pytest.mark.heavy("fuzz")
@pytest.mark.parametrize("first", range(0, 10_000, 250))
def test_random_programs_equal_the_integers_or_are_rejected(first: int, tmp_path: Path) -> None:
    """Two of three programs are changed at one or two places; batches differ in size and unit.

    One batch of five has the optimization of devices: compiling takes longer than all else there.
    """
    batch = first // 250
    unit = batch // 4 % 3
    equal, rejected = prove_programs(
        range(first, first + 250), SHAPES[batch % 4], tmp_path, vector=unit > 0,
        products=16 if unit == 2 else 32, optimization="-O0" if batch % 5 else "-O2",
    )  # fmt: skip
    assert equal >= 100
    assert all(re.search(r"learner\.py:\d+: .", each) for each in rejected.values()), rejected
