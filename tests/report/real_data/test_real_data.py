"""The study of real data: what it plays, what it claims, and where its data are from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from typer.testing import CliRunner

from gnomon.base.result_cache import compute_uncached
from gnomon.cli.app import app
from gnomon.content.reports.logged.stand_in import STAND_INS, write_stand_in
from gnomon.content.reports.real_data import playing, study, summary
from gnomon.content.reports.real_data.playing import POLICIES, Played, RealSize, costs, play
from gnomon.content.reports.real_data.sets import (
    GIVEN,
    REAL,
    STAND_IN,
    DataSet,
    Given,
    data_sets,
    write_jester,
    write_movielens,
)
from gnomon.learn import find_learner
from gnomon.learn.datasets import RewardTable, contexts_from
from gnomon.report.study import Steps

if TYPE_CHECKING:
    from collections.abc import Sequence

HEAVY = pytest.mark.heavy("studies")
REPORTS = Path(study.__file__ or "").parent
BY_ORDERING = ("fixed", "floating", "uniform", "best")
SIZE = RealSize("small", 8, 2, 40, 5, 40)


def a_table(rows: int = 60) -> RewardTable:
    """Three arms; the right one is that of the largest of three features."""
    features = np.random.default_rng(3).normal(size=(rows, 3))
    contexts, made, _ = contexts_from(features, "abc")
    return RewardTable(contexts, np.eye(3)[features.argmax(axis=1)], tuple("xyz"), made, 3)


def test_a_learner_plays_the_rows_of_each_ordering() -> None:
    table = a_table()
    (policy,) = (each for each in POLICIES if each.name == "linucb-disjoint")
    policy = replace(policy, values=(0.1, 0.3))
    played = play(table, policy, SIZE)
    assert played.at_end
    assert [setting for setting, _ in played.trials] == ["alpha = 0.1", "alpha = 0.3"]
    least = min(played.trials, key=lambda trial: trial[1])
    assert played.setting == least[0]
    alpha = float(played.setting.split()[-1])
    for at in (0, 7):
        rows = np.random.default_rng(1 + at).permutation(60)[:40]
        learner: Any = find_learner("linucb-disjoint", "optimized")
        one, wrong = learner(arms=3, dimensions=4, alpha=alpha), 0.0
        for context, rewards in zip(table.contexts[rows], table.rewards[rows], strict=True):
            arm = one.select(context)
            one.update(context, arm, rewards[arm])
            wrong += 1 - rewards[arm]
        assert played.floating[at] == pytest.approx(wrong / 40 / (2 / 3))
        assert played.rewards("float64")[at] == pytest.approx(1 - wrong / 40)
    assert np.mean(played.fixed) == pytest.approx(np.mean(played.floating), abs=0.1)
    assert np.mean(played.fixed) < 0.8  # it learns
    (cost,) = costs(table, policy, played, ["t13"], 5)
    assert (cost.variant, cost.refused, cost.energy_reason) == ("optimized", "", "")
    assert cost.energy_uj is not None
    assert cost.slowest_cycles >= cost.select_cycles + cost.update_cycles > 1000


def results(differences: dict[str, float], kind: str = REAL) -> list[summary.Result]:
    """Return played learners whose regrets differ by these means in every ordering."""
    table, noise = a_table(), np.random.default_rng(5).normal(0, 0.01, 30)
    noise -= noise.mean()
    played = {}
    for learner, mean in differences.items():
        fixed = tuple((mean + noise).tolist())
        played[learner] = Played("alpha = 1", (("alpha = 1", mean),), False, fixed, fixed,
                                 (1 / 3,) * 30, (1.0,) * 30)  # fmt: skip
    cost = (
        playing.Cost("optimized", "t13", 900.0, 300.4, 1300),
        playing.Cost("optimized-vector", "t13", refused="no vector unit"),
    )
    return [summary.Result(DataSet("d", kind, "here", table), played, dict.fromkeys(played, cost))]


def page(found: Sequence[summary.Result]) -> str:
    size = replace(SIZE, orderings=30)
    return " ".join(study.report(size, found, [], "gnomon report real-data").page().split())


def test_orders_are_claimed_if_they_are_significant() -> None:
    text = page(results({"one": 0.5, "two": 0.6}))
    assert "- d: one has less regret than two." in text
    assert "| one | **0.500 ± 0.00" in text  # bold: none beats it
    assert "| two | 0.600 ± 0.00" in text
    assert "None of the 2 differences is significant." in text
    even = page(results({"one": 0.5, "two": 0.5}))
    assert "- d: no order is significant." in even
    orders = summary.orders(results({"one": 0.6, "two": 0.5, "three": 0.4}))
    assert len(orders) == 3 + 3  # pairs of learners, and of arithmetics
    assert orders["better"][:3].tolist() == ["two", "three", "three"]
    assert orders["less"][:3].tolist() == pytest.approx([0.1, 0.2, 0.1])


def test_few_orderings_claim_nothing_and_say_why() -> None:
    found = results({"one": 0.1, "two": 0.9})
    (result,) = found
    few = {
        name: replace(each, **{of: getattr(each, of)[:4] for of in BY_ORDERING})
        for name, each in result.played.items()
    }
    size = replace(SIZE, orderings=4)
    text = study.report(size, [replace(result, played=few)], [], "").page()
    assert "No order can be claimed with 4 orderings" in " ".join(text.split())


def test_the_page_names_the_origin_of_its_data() -> None:
    real, given, synthetic = (page(results({"one": 0.5}, kind)) for kind in (REAL, GIVEN, STAND_IN))
    assert "SYNTHETIC" not in real
    assert "and the given files of d" in given
    assert "**Shown on SYNTHETIC stand-ins only:** d." in synthetic
    assert "| learner | d (SYNTHETIC) |" in synthetic
    assert "| one, t13 | 1,200, – |" in real  # noqa: RUF001 - no energy
    assert "Variants that a machine cannot run: no vector unit." in real


def test_the_users_files_take_the_places_of_stand_ins(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    (tmp_path / "t.csv").write_text(
        "a,b,c\n" + "".join(f"{n},{n % 3},{n % 2}\n" for n in range(20))
    )
    given = Given(
        write_movielens(tmp_path, 60, 300), write_jester(tmp_path, 30), tmp_path / "t.csv", "c"
    )
    sets = list(data_sets(given, 0))
    assert [(each.name, each.kind) for each in sets] == [
        ("digits", REAL), ("wine", REAL), ("breast-cancer", REAL), ("movielens", GIVEN),
        ("jester", GIVEN), ("t", GIVEN),
    ]  # fmt: skip
    assert sets[-1].table.contexts.shape == (20, 3)
    stand_ins = list(data_sets(Given(), 60))[3:]
    assert [each.kind for each in stand_ins] == [STAND_IN] * 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--csv", "t.csv"], "--csv FILE and --label COLUMN belong together; one of them is"),
        (["--ignore", "a"], "--ignore COLUMN is for --csv FILE, which is missing"),
        (["--open-bandit", "gone"], "gone: there is no such file or folder"),
        (["--arch", "t14"], "t14"),
    ],
)
def test_wrong_options(words: list[str], told: str) -> None:
    ended = CliRunner().invoke(app, ["report", "real-data", *words])
    assert ended.exit_code != 0
    assert told in str(ended.exception) + ended.output


@HEAVY
def test_a_small_run_on_files_of_every_format(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "a,b,c\n" + "".join(f"{n},{n % 3},{n % 2}\n" for n in range(20))
    )
    write_movielens(tmp_path / "ml", 60, 300)
    write_jester(tmp_path, 30)
    log = write_stand_in(STAND_INS["open-bandit"](rounds=400, seed=1), tmp_path / "log")
    given = ("--movielens", tmp_path / "ml", "--jester", tmp_path / "jester.csv", "--open-bandit",
             log.parent, "--csv", tmp_path / "t.csv", "--label", "c")  # fmt: skip
    words = ["report", "real-data", *map(str, given), "--arch", "t13"]
    ended = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "out")])
    assert ended.exit_code == 0, ended.output
    text = (tmp_path / "out" / "real-data.md").read_text()
    assert "SYNTHETIC" not in text
    assert "## Open Bandit" in text
    assert "the given files of movielens, jester and t" in " ".join(text.split())


@HEAVY
def test_the_committed_files_are_computed_again(tmp_path: Path) -> None:
    sizes = study.SIZES["full"]
    found = study.run_real_data(
        sizes, Given(), study.MACHINES, Steps(), compute_uncached, compute_uncached
    )
    report = study.report(sizes, found, [], "gnomon report real-data --size full")
    for path in report.write(tmp_path):
        assert path.read_bytes() == (REPORTS / path.name).read_bytes(), path.name
