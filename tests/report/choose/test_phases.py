"""The phases of a learner: its `algorithm.yaml` states them, and laws without them are errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from gnomon.base.errors import GnomonError
from gnomon.base.tables import check_table, read_yaml_table
from gnomon.content.reports.choose import law
from gnomon.explore.learner_counts import CountLaw, macros_of, phase_shares
from gnomon.learn.algorithm import Algorithm
from gnomon.measure.learners import EmbeddedSizes, HostLearner, find_embedded_learner

if TYPE_CHECKING:
    from pathlib import Path

ARMS, D = 3, 2


def played(learner: str, variant: str, rounds: int, **macros: int) -> list[int]:
    of = find_embedded_learner(learner).variant(variant, "tuned").with_parameters(**macros)
    host, rng = HostLearner(of, EmbeddedSizes(D, ARMS)), np.random.default_rng(5)
    contexts = rng.integers(-(2**15), 2**15, (rounds, D))
    return host.run(contexts, rng.integers(0, 2**15, (rounds, ARMS))).tolist()


def test_the_stated_weight_of_exploration_is_that_of_the_c() -> None:
    given = find_embedded_learner("bento-epsilon-greedy").exploring
    assert given is not None
    stated = {given.macro: given.per_arm * ARMS}
    without = played("bento-epsilon-greedy", "optimized", 400)
    assert played("bento-epsilon-greedy", "optimized", 400, **stated) == without
    assert played("bento-epsilon-greedy", "optimized", 400, **{given.macro: ARMS}) != without


def test_the_stated_turns_are_those_of_the_c() -> None:
    turns = find_embedded_learner("ares").turns * ARMS
    arms = played("ares", "standard", turns + 60)
    in_turn = [at % ARMS for at in range(turns + 60)]
    assert arms[:turns] == in_turn[:turns]
    assert arms[turns:] != in_turn[turns:]
    shares = phase_shares("ares", {}, ARMS, 2 * turns)
    assert shares == {"turn": 0.5, "chosen": 0.5}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("exploring: {macro: LEARNER_P}", "per_arm"),
        ("exploring: {per_arm: 10}", "macro"),
        ("exploring: {macro: P, per_arm: 10}", "macro"),
        ("turns: -1", "turns"),
    ],
)
def test_a_missing_key_of_phases_is_an_error_with_its_line(
    tmp_path: Path, line: str, message: str
) -> None:
    file = tmp_path / "algorithm.yaml"
    file.write_text(
        "schema: 1\ntitle: of a test\nembedded:\n  " + line + "\n  variants:\n"
        "    - name: standard\n      sources: [a.c]\n",
        encoding="utf-8",
    )
    with pytest.raises(GnomonError, match=rf"algorithm\.yaml:4: .*{message}"):
        check_table(read_yaml_table(file), Algorithm)


def test_a_law_with_other_phases_than_its_learner_is_an_error() -> None:
    counts = {"wall_cycles": {"1": 100.0}}
    one = CountLaw("ares", "standard", "t13", "", {"": counts})
    with pytest.raises(GnomonError, match="keys exploring and turns"):
        one.mean("t13", "LEARNER_WINDOWS=2", {}, 4, 4, 1000)
    both = CountLaw("ares", "standard", "t13", "", {"turn": counts, "chosen": counts})
    assert both.mean("t13", "LEARNER_WINDOWS=2", {}, 4, 4, 1000) == {"wall_cycles": 100.0}


def test_a_setting_that_does_not_state_the_macro_is_an_error() -> None:
    assert macros_of("bento-epsilon-greedy", "p = 4 x arms", 6) == {"LEARNER_P": 24}
    assert macros_of("linucb-disjoint", "α = 0.2", 6) == {}  # noqa: RUF001 - as in the tables
    with pytest.raises(GnomonError, match="must be like 'p = 10 x arms'"):
        macros_of("bento-epsilon-greedy", "q = 4 x arms", 6)


def test_no_interval_of_counts_is_narrower_than_the_errors_of_its_own_runs() -> None:
    rng = np.random.default_rng(8)
    errors = [rng.normal(0, scale, 12) for scale in (0.01, 0.02, 0.02, 0.03, 1.5)]
    halves = law.interval_halves(errors)
    for half, own in zip(halves, errors, strict=True):
        assert half >= law.quantile(own)
    assert halves == sorted(halves)
