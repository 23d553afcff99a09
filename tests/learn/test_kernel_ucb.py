"""Kernel learners against direct formulas, the environments, and the small experiment."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

from gnomon.base.errors import GnomonError
from gnomon.base.frames import frame
from gnomon.content.algorithms.ek_ucb.baselines import (
    BatchKernelBandit,
    KernelBandit,
    KernelUCB,
    SupKernelUCB,
)
from gnomon.content.algorithms.ek_ucb.learner import (
    EfficientKernelUCB,
    HistoryFreeKernelUCB,
    WhitenedKernelUCB,
)
from gnomon.content.reports.ek_ucb.criteria import kernel_criteria
from gnomon.content.reports.ek_ucb.environment import actions, pair_rounds
from gnomon.content.reports.ek_ucb.experiment import KernelExperiment, play_pairs, run_kernel
from gnomon.content.reports.ek_ucb.formats import BITS
from gnomon.content.reports.ek_ucb.study import kernel_report

if TYPE_CHECKING:
    from pathlib import Path

    from gnomon.learn.kernels import Floats


@cache
def small() -> KernelExperiment:
    return run_kernel("small")


@pytest.mark.heavy("studies")
def test_every_criterion_of_the_small_size_is_met() -> None:
    criteria = kernel_criteria(small())
    assert len(criteria) == 14
    assert [each for each in criteria if not each.met] == []


def kernel_of(a: np.ndarray, b: np.ndarray, bandwidth: float) -> np.ndarray:
    squares = ((a[:, None] - b[None]) ** 2).sum(axis=2)
    return np.exp(-squares / (2 * bandwidth**2))


def walked(learner: Any, steps: int = 60) -> Any:
    rounds = pair_rounds("chessboard", steps, 3)
    play_pairs(learner, rounds)
    return learner


def test_scores_of_k_ucb_are_kernel_ridge_regression() -> None:
    learner = walked(KernelUCB(actions=actions(), dimensions=1, regularisation=2.0, beta=0.3))
    states = np.column_stack([np.full(10, 0.4), actions()])
    played, rewards = learner.state["played"], learner.state["rewards"]
    inverse = np.linalg.inv(kernel_of(played, played, 0.1) + 2.0 * np.eye(len(played)))
    columns = kernel_of(states, played, 0.1)
    variances = (1 - np.einsum("ij,jk,ik->i", columns, inverse, columns)) / 2.0
    expected = columns @ inverse @ rewards + 0.3 * np.sqrt(variances)
    assert np.allclose(learner.scores([0.4]), expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("kind", [EfficientKernelUCB, WhitenedKernelUCB])
def test_scores_of_ek_ucb_are_ridge_regression_on_the_dictionary(kind: Any) -> None:
    learner = walked(kind(actions=actions(), dimensions=1, regularisation=2.0, beta=0.3))
    states = np.column_stack([np.full(10, 0.4), actions()])
    anchors, played = learner.anchors, learner.state["played"]
    rewards = learner.state["rewards"]
    assert len(anchors) < len(played)
    factor = np.linalg.cholesky(kernel_of(anchors, anchors, 0.1))
    past = np.linalg.solve(factor, kernel_of(anchors, played, 0.1))
    now = np.linalg.solve(factor, kernel_of(anchors, states, 0.1))
    covariance = np.linalg.inv(past @ past.T + 2.0 * np.eye(len(anchors)))
    inside = np.einsum("ji,jk,ki->i", now, covariance, now)
    variances = inside + (1 - (now**2).sum(axis=0)) / 2.0
    expected = now.T @ covariance @ (past @ rewards) + 0.3 * np.sqrt(variances)
    assert np.allclose(learner.scores([0.4]), expected, rtol=0, atol=1e-9)


def test_the_dictionary_only_grows() -> None:
    learner = EfficientKernelUCB(actions=actions(), dimensions=1)
    rounds = pair_rounds("step-diagonal", 200, 0)
    before = learner.anchors
    for step in range(200):
        context = rounds.contexts[step]
        arm = learner.select(context)
        learner.update(context, arm, float(rounds.means[step, arm]))
        assert np.array_equal(learner.anchors[: len(before)], before)
        before = learner.anchors
    assert 10 < len(before) < 60


def test_the_guard_keeps_repeated_states_out() -> None:
    """With every state drawn, the same state comes in once."""
    for kind in (EfficientKernelUCB, WhitenedKernelUCB):
        learner = kind(actions=[0.0, 1.0], dimensions=1, budget=1e9)
        for _ in range(20):
            learner.update([0.5], 0, 1.0)
        assert len(learner.anchors) == 1


@pytest.mark.parametrize("kind", [EfficientKernelUCB, WhitenedKernelUCB, HistoryFreeKernelUCB])
def test_without_a_guard_a_repeated_state_is_still_no_anchor(kind: Any) -> None:
    learner = kind(actions=[0.0, 1.0], dimensions=1, smallest_novelty=0.0, budget=1e9)
    for _ in range(3):
        learner.update([0.3], 0, 0.5)
    assert len(learner.anchors) == 1
    # Ridge regression on one state that was seen three times; the other is far away.
    np.testing.assert_allclose(
        learner.scores([0.3]), [1.5 / 13 + 0.1 * 13**-0.5, 0.1 * 10**-0.5], rtol=1e-12
    )


def test_leverage_scores_are_those_of_the_paper() -> None:
    """(1 + eps) / mu (k - b^T (K + mu I)^-1 b), K and b with the state itself, weight 1."""
    learner = walked(
        EfficientKernelUCB(actions=actions(), dimensions=1, projection=3.0, budget=2.0)
    )
    anchors, chances = learner.anchors, learner.chances
    state = np.array([[0.37, 0.5]])
    column = kernel_of(anchors, state, 0.1)[:, 0]
    weighted = np.append(column / np.sqrt(chances), 1.0)
    matrix = np.ones((len(anchors) + 1, len(anchors) + 1))
    matrix[:-1, :-1] = kernel_of(anchors, anchors, 0.1) / np.sqrt(np.outer(chances, chances))
    matrix[-1, :-1] = matrix[:-1, -1] = weighted[:-1]
    inverse = np.linalg.inv(matrix + 3.0 * np.eye(len(matrix)))
    score = 1.5 / 3.0 * (1.0 - weighted @ inverse @ weighted)
    assert learner._chance(column) == pytest.approx(min(2.0 * score, 1.0), rel=1e-9)


def test_history_free_keeps_no_history() -> None:
    learner = walked(HistoryFreeKernelUCB(actions=actions(), dimensions=1, most_anchors=8), 300)
    assert len(learner.anchors) == 8
    assert learner.state_size_bytes == 8 * (8 * 2 + 8 + 3 * 64 + 8)


def test_every_step_redraws_cbkb_and_few_redraw_cbbkb() -> None:
    often = walked(KernelBandit(actions=actions(), dimensions=1))
    seldom = walked(BatchKernelBandit(actions=actions(), dimensions=1, batch=3.0))
    assert often.draws == 60
    assert 1 <= seldom.draws < 20
    assert often.members[0] == seldom.members[0] == 0


def test_supk_ucb_learns_on_the_level_that_was_unsure() -> None:
    learner = walked(SupKernelUCB(actions=actions(), dimensions=1, regularisation=1.0, eta=1.0))
    levels = learner.state["levels"]
    assert set(levels) <= {0.0, 1.0, 2.0, 3.0}
    assert (levels[:5] == 1.0).all()


def test_supk_ucb_is_ridge_regression_on_what_a_level_learned() -> None:
    """Means and widths of its growing inverse beside those of the whole system solved at once."""
    learner = walked(SupKernelUCB(actions=actions(), dimensions=1, regularisation=1.0, eta=1.0))
    state = learner.state
    states = np.hstack([np.full((10, 1), 0.3), np.array(actions())[:, None]])
    for level in {1.0, *state["levels"]} - {0.0}:
        own = state["levels"] == level
        points, rewards = state["played"][own], state["rewards"][own]

        def kernel(a: Floats, b: Floats) -> Floats:
            values: Floats = np.exp(-50.0 * ((a[:, None] - b[None]) ** 2).sum(axis=2))
            return values

        columns = kernel(points, states)
        solved = np.linalg.solve(kernel(points, points) + np.eye(len(points)), columns)
        means, widths = learner._moments(states, int(level))
        assert means == pytest.approx(solved.T @ rewards, abs=1e-10)
        assert widths == pytest.approx(np.sqrt(1.0 - (columns * solved).sum(axis=0)), abs=1e-8)


def test_supk_ucb_learns_nothing_where_every_width_is_small() -> None:
    learner = walked(SupKernelUCB(actions=actions(), dimensions=1, eta=0.1, horizon=9))
    assert not learner.state["levels"][1:].any()


def test_the_environments_are_those_of_the_authors() -> None:
    """Facts of their constants, and means over many contexts."""
    assert actions() == pytest.approx([0.08, 0.7, 0.82, 0.28, 0.63, 0.0, 0.05, 0.5, 0.81, 0.04])
    found = {}
    for name in ("bump", "chessboard", "step-diagonal"):
        rounds = pair_rounds(name, 20_000, 0)
        means = rounds.means[1:]
        found[name] = (means.max(axis=1).mean(), means.mean(), means.mean(axis=0).max())
    assert found["bump"] == pytest.approx((0.825, 0.446, 0.825), abs=0.01)
    assert found["chessboard"] == pytest.approx((0.750, 0.299, 0.499), abs=0.01)
    assert found["step-diagonal"] == pytest.approx((0.963, 0.248, 0.300), abs=0.01)
    bump = pair_rounds("bump", 500, 0)
    assert (bump.means.argmax(axis=1)[bump.means.max(axis=1) > 0.8] == 8).all()


def test_wrong_names_and_numbers() -> None:
    for what, message in (
        (
            lambda: pair_rounds("chesboard", 5, 0),
            (
                "there is no environment 'chesboard' (allowed: bump, chessboard, step-diagonal,"
                " did you mean 'chessboard'?)"
            ),
        ),
        (lambda: pair_rounds("bump", 0, 0), "the number of rounds must be at least 1, not 0"),
        (lambda: pair_rounds("bump", 1, -1), "the seed must not be negative, not -1"),
        (
            lambda: KernelUCB(actions=[["a"]], dimensions=1),
            "actions must be one row of numbers for each arm",
        ),
        (
            lambda: KernelUCB(actions=[[[1.0]]], dimensions=1),
            "actions must have the shape (arms, q), not (1, 1, 1)",
        ),
        (
            lambda: KernelUCB(actions=[float("nan")], dimensions=1),
            "actions must be finite numbers",
        ),
    ):
        with pytest.raises(GnomonError) as error:
            what()
        assert str(error.value) == message


FORMATS = pd.DataFrame({"fraction_bits": BITS["optimized"], "variant": "optimized"}).assign(
    environment="chessboard", **{"lambda": 10}, equal_share=0.99, regret=40.0, float_regret=40.0,
    ratio=1.0, ratio_error=0.025, anchors=20.0,
)  # fmt: skip


def page(experiment: KernelExperiment, formats: pd.DataFrame, folder: Path) -> str:
    machines = frame(("machine", "step"), [("t13", "8 anchors")])
    paths = kernel_report(experiment, formats, machines).write(folder)
    assert [path.name for path in paths] == [
        "ek-ucb.md",
        *(f"ek-ucb-{each}.csv" for each in ("criteria", "runs", "formats", "machines")),
        "ek-ucb-regret.svg",
    ]
    return " ".join(paths[0].read_text().split())


@pytest.mark.heavy("studies")
def test_other_numbers_give_other_sentences(tmp_path: Path) -> None:
    text = page(small(), FORMATS, tmp_path)
    assert "14 of 14 met" in text
    assert "On chessboard, after 500 rounds, EK-UCB has the same regret as K-UCB" in text
    assert "From 8 fraction bits on, all four lose at most 2 % of regret." in text
    worse = small().results.copy()
    ours = (worse["environment"] == "chessboard") & (worse["kind"] == "EK-UCB")
    worse.loc[ours, "regret"] = 500.0
    lossy = FORMATS.assign(ratio=1.025)
    text = page(replace(small(), results=worse), lossy, tmp_path)
    assert "13 of 14 met" in text
    assert "On chessboard, after 500 rounds, EK-UCB has more regret than K-UCB, 500.0" in text
    assert "Each of these formats loses more than 2 % of regret" in text
