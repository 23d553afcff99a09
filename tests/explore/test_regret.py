"""Regret as a quantity of a sweep: what the study of formats says of the same rounds."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from gnomon.base.errors import GnomonError
from gnomon.content.reports.fixed_point.cells import StudySize, run_fixed_point
from gnomon.explore import PointOutcome, make_sweep, run_sweep
from gnomon.measure.learners import EmbeddedSizes, LearnerBench, find_embedded_learner
from gnomon.measure.regret import RegretCase, play_regret
from gnomon.measure.regret import RegretCell as Cell

ROUNDS = 150


def learner_sweep(**changes: Any) -> dict[str, Any]:
    return {
        "schema": 1,
        "name": "bits",
        "learner": "linucb-disjoint",
        "arch": "t13-paper-simd1",
        "fixed": {"d": 3, "arms": 3, "case": "random", "rounds": ROUNDS},
        "axes": {"variant": ["optimized"], "fraction-bits": [4, 15]},
        "objectives": ["minimize regret", "minimize energy"],
    } | changes


def case(law: Any = "uniform", seed: int = 1) -> RegretCase:
    return RegretCase("linucb-disjoint", law, ROUNDS, 3, arms=3, seed=seed)


def test_regret_is_that_of_the_study_and_cost_that_of_a_step(own_cache: Path) -> None:
    result = run_sweep(make_sweep(learner_sweep()))
    cells = tuple(Cell(case(), "paper", "optimized", bits) for bits in (4, 15))
    study = run_fixed_point(StudySize("here", cells))
    learner = find_embedded_learner("linucb-disjoint")
    for row, found in zip(result.rows, study.results, strict=True):
        metrics = row.outcome.metrics
        assert metrics["regret_ratio"] == found.left_regret.ratio
        assert metrics["regret_sum_rewards"] == found.regret[-1]
        assert row.task is not None
        variant, bits = learner.variant("optimized"), int(row.values[1])
        bench = LearnerBench(learner, variant, row.task.architecture, EmbeddedSizes(3, 3), 1, bits)
        direct = bench.measure(case="random")
        assert metrics["wall_cycles"] == direct.wall_cycles
    few, many = (row.outcome.metrics["regret_ratio"] for row in result.rows)
    assert few > 2 > many > 0


def test_environments_are_summed(own_cache: Path) -> None:
    fixed = learner_sweep()["fixed"] | {"environments": 3, "contexts": "normal"}
    data = learner_sweep(fixed=fixed, axes={"variant": ["optimized"], "fraction-bits": [15]})
    (row,) = run_sweep(make_sweep(data)).rows
    parts = [
        play_regret(Cell(case("normal", seed), "paper", "optimized", 15)) for seed in (1, 2, 3)
    ]
    own, reference = sum(each.own for each in parts), sum(each.reference for each in parts)
    assert row.outcome.metrics["regret_sum_rewards"] == own
    assert row.outcome.metrics["regret_ratio"] == own / reference
    assert len({each.own for each in parts}) == 3


def test_a_correction_changes_what_is_played(own_cache: Path) -> None:
    fixed = {"d": 3, "arms": 3, "rounds": ROUNDS, "fraction-bits": 8, "variant": "corrected"}
    data = learner_sweep(fixed=fixed, axes={"correction-period": [5, 100_000]})
    often, never = run_sweep(make_sweep(data)).rows
    assert often.outcome.metrics["regret_ratio"] != never.outcome.metrics["regret_ratio"]
    plain = play_regret(Cell(case(), "paper", "optimized", 8))
    assert never.outcome.metrics["regret_sum_rewards"] == plain.own


def test_formats_that_a_variant_does_not_have_are_kept_with_their_reason(
    own_cache: Path, tmp_path: Path
) -> None:
    axes = {"variant": ["optimized-vector"], "fraction-bits": [14, 15, 29]}
    fixed = learner_sweep()["fixed"] | {"contexts": "normal"}
    result = run_sweep(make_sweep(learner_sweep(axes=axes, fixed=fixed)), tmp_path / "o")
    fewer, exact, _ = result.rows
    assert fewer.outcome.reason.endswith("computes with 15 fraction bits, not 14")
    assert exact.outcome.metrics["regret_ratio"] > 0
    axes = {"variant": ["optimized"], "fraction-bits": [29]}
    (row,) = run_sweep(make_sweep(learner_sweep(axes=axes, fixed=fixed))).rows
    assert "but the format ends at 4; take fewer fraction bits" in row.outcome.reason
    table = pq.read_table(tmp_path / "o" / "results.parquet").to_pylist()
    assert [row["regret_ratio"] is None for row in table] == [True, False, True]
    assert table[1]["note.regret"] is None


def test_without_rounds_there_is_none(own_cache: Path) -> None:
    data = learner_sweep(
        fixed={"d": 2, "arms": 2}, axes={"variant": ["optimized"]}, objectives=["energy"]
    )
    (row,) = run_sweep(make_sweep(data)).rows
    assert "regret_ratio" not in row.outcome.metrics
    assert row.outcome.notes == {}
    for asked in ({"objectives": ["regret"]}, {"constraints": ["regret_sum <= 5"]}):
        with pytest.raises(GnomonError, match=r"rounds is missing: regret.* needs their number"):
            make_sweep(data | asked)


def test_too_few_rounds_for_a_ratio(own_cache: Path) -> None:
    fixed = {"d": 2, "arms": 1, "rounds": 3}
    (row,) = run_sweep(make_sweep(learner_sweep(fixed=fixed, axes={"variant": ["optimized"]}))).rows
    assert row.outcome.metrics["regret_sum_rewards"] == 0
    assert (
        row.outcome.notes["regret"] == "the float learner has regret 0 in 3 rounds; use more rounds"
    )


def test_a_law_that_there_is_not(own_cache: Path) -> None:
    with pytest.raises(GnomonError, match=r"'norml' \(allowed: uniform, normal, did you mean"):
        make_sweep(learner_sweep(axes={"variant": ["optimized"], "contexts": ["norml"]}))


def test_too_many_arms() -> None:
    large = RegretCase("linucb-disjoint", "uniform", 2, 2, arms=257)
    with pytest.raises(GnomonError, match=r"^regret is measured with at most 256 arms, not 257$"):
        play_regret(Cell(large, "paper", "optimized", 15))


def test_an_algorithm_without_these_rounds(own_cache: Path) -> None:
    learner = "softucb"  # its arms are vectors of features; it reads no context
    data = learner_sweep(
        learner=learner,
        axes={"variant": ["optimized"]},
        fixed=learner_sweep()["fixed"] | {"line": "tuned"},
    )
    (row,) = run_sweep(make_sweep(data)).rows
    assert row.outcome.reason == (
        "regret is measured in rounds with new contexts and with rewards linear in them;"
        f" {learner} needs other rounds"
    )


@pytest.mark.parametrize(
    ("learner", "variant"),
    [
        ("bento-epsilon-greedy", "optimized"),
        ("thompson-disjoint", "optimized"),
        ("square-cb", "optimized"),
        ("banditron", "standard"),  # of a project
    ],
)
def test_learners_that_draw_have_regret(
    learner: str, variant: str, own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Below that of any arm, in fixed point and in float; the same again."""
    (tmp_path / "gnomon.yaml").write_text("schema: 1\n")
    shutil.copytree(Path(__file__).parent / "banditron", tmp_path / "algorithms" / "banditron")
    monkeypatch.chdir(tmp_path)
    case = RegretCase(learner, "uniform", ROUNDS, 3, arms=3)
    found = play_regret(Cell(case, "tuned", variant, 15))
    rounds = case.play()
    any_arm = (rounds.expected.max(axis=1) - rounds.expected.mean(axis=1)).sum()
    assert 0 < found.own < 1.2 * any_arm
    assert 0 < found.reference < 1.2 * any_arm
    assert play_regret(Cell(case, "tuned", variant, 15)) == found


def test_regret_counts_for_the_front(own_cache: Path) -> None:
    outcome = run_sweep(make_sweep(learner_sweep(constraints=["regret <= 1.5 x"])))
    assert [outcome.meets(row) for row in outcome.rows] == [False, True]
    assert isinstance(outcome.rows[0].outcome, PointOutcome)
