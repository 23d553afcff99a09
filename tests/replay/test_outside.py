"""NumPy calls outside the kernels, and kernels without a price: counted and named."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from gnomon.base.errors import GnomonError
from gnomon.cli.app import app
from gnomon.learn import Learner, Sizes, Trace, find_learner
from gnomon.learn.kernels import Floats, dot, note

BANDITRON = Path(__file__).parents[1] / "explore" / "banditron"


class Own(Learner):
    """A learner whose scores and updates are given as functions."""

    name, variant, keeps = "own", "standard", ("weights",)

    def __init__(self, *, arms: int, dimensions: int, scores: Any, learn: Any) -> None:
        super().__init__(Sizes(arms, dimensions))
        self.weights: Floats = np.ones((arms, dimensions))
        self.own_scores, self.own_learn = scores, learn

    def _scores(self, contexts: Floats) -> Floats:
        return np.asarray(self.own_scores(self.weights, contexts))

    def _learn(self, contexts: Floats, arm: int, reward: float) -> None:
        self.own_learn(self.weights, contexts, arm, reward)


def nothing(*_: object) -> None:
    pass


def noted(w: Floats, x: Floats) -> Floats:
    note("dot", (x.shape[1],), len(x))
    return np.asarray((w * x).sum(axis=1))


def adds(w: Floats, x: Floats, arm: int, reward: float) -> None:
    w[arm] += reward * x[arm]


@pytest.mark.parametrize(
    ("scores", "learn", "expected"),
    [
        (dot, nothing, {}),
        (noted, nothing, {}),  # it says itself what it does
        (lambda w, x: (w @ x.T)[:, 0], nothing, {("select", "matmul"): 3}),
        (lambda w, x: np.einsum("ij,ij->i", w, x), nothing, {("select", "einsum"): 3}),
        (lambda w, x: dot(w, x) + np.sqrt(w[:, 0]), nothing,
         {("select", "sqrt"): 3, ("select", "add"): 3}),
        (lambda w, x: np.linalg.norm(w - x, axis=1), nothing,
         {("select", "subtract"): 3, ("select", "norm"): 3}),
        (lambda w, x: np.add.reduce(w * x, axis=1, where=w > 0), nothing,
         {("select", "multiply"): 3, ("select", "greater"): 3, ("select", "add"): 3}),
        (dot, adds, {("update", "multiply"): 3, ("update", "add"): 3}),
        (lambda w, x: (w * x).sum(axis=1), nothing,
         {("select", "multiply"): 3, ("select", "add"): 3}),
    ],
    ids=["kernel", "noted", "operator", "call", "mixed", "linalg", "where", "in-place", "method"],
)  # fmt: skip
def test_calls_outside_kernels_are_counted(scores: Any, learn: Any, expected: Any) -> None:
    learner = Own(arms=2, dimensions=3, scores=scores, learn=learn)
    other = learner.clone()
    contexts = np.random.default_rng(0).normal(size=(3, 3))
    with Trace.record() as trace:
        arms = [learner.select(x) for x in contexts for _ in [0]]
        for x, arm in zip(contexts, arms, strict=True):
            learner.update(x, arm, 0.5)
    found: dict[tuple[str, str], int] = {}
    for call, count in trace.outside.items():
        found[call.stage, call.function] = found.get((call.stage, call.function), 0) + count
        assert call.where.startswith("test_outside.py:")
    assert found == expected
    assert arms == [other.select(x) for x in contexts]
    for x, arm in zip(contexts, arms, strict=True):
        other.update(x, arm, 0.5)
    assert type(learner.weights) is np.ndarray
    assert np.array_equal(learner.weights, other.weights)  # watching changes nothing


@pytest.mark.parametrize("end", ["csv", "jsonl"])
def test_a_file_keeps_them_and_replay_names_them(end: str, tmp_path: Path) -> None:
    learner = Own(arms=2, dimensions=3, scores=lambda w, x: dot(w, x) + w[:, 0], learn=adds)
    with Trace.record() as trace:
        learner.update([1.0, 0.0, 0.0], learner.select([1.0, 0.0, 0.0]), 1.0)
    file = trace.write(tmp_path / f"own.{end}")
    read = Trace.read(file)
    assert (read.outside, read.totals()) == (trace.outside, trace.totals())
    shown = CliRunner().invoke(app, ["replay", str(file), "--arch", "t13", "--direct", "0"])
    assert "not in the price: 3 NumPy calls of the learner outside the kernels" in " ".join(
        shown.stdout.split()
    )
    told = CliRunner().invoke(
        app, ["replay", str(file), "--arch", "t13", "--direct", "0", "--json"]
    )
    rows = json.loads(told.stdout)["outside_kernels"]
    assert [(row["stage"], row["function"], row["count"]) for row in rows] == [
        ("select", "add", 1), ("update", "add", 1), ("update", "multiply", 1)
    ]  # fmt: skip
    lines = file.read_text().replace('"count": 1', '"count": -1')
    file.write_text(lines)
    with pytest.raises(GnomonError, match="needs stage, function, where as words and a count"):
        Trace.read(file)


@pytest.mark.parametrize("learner", ["banditron", "thompson-disjoint"])
def test_what_has_no_price_is_left_out_by_name(
    learner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gnomon.yaml").write_text("schema: 1\n")
    shutil.copytree(BANDITRON, tmp_path / "algorithms" / "banditron")
    monkeypatch.chdir(tmp_path)
    made = find_learner(learner).from_sizes(Sizes(2, 3))
    with Trace.record() as trace:
        for _ in range(4):
            made.update([1.0, 0.0, 0.5], made.select([1.0, 0.0, 0.5]), 1.0)
    file = trace.write(tmp_path / "t.csv")
    words = ["replay", str(file), "--arch", "t13", "--direct", "0", "--json"]
    refused = CliRunner().invoke(app, words)
    assert "--without random excludes it from the price" in str(refused.exception)
    told = CliRunner().invoke(app, [*words, "--without", "random"], catch_exceptions=False)
    found = json.loads(told.stdout)
    assert list(found["left_out"]) == ["random"]
    assert found["left_out"]["random"] >= 4
    assert "random" not in {row["kernel"] for row in found["distinct"]}
    wrong = CliRunner().invoke(app, [*words, "--without", "randon"])
    assert "did you mean 'random'" in str(wrong.exception)
