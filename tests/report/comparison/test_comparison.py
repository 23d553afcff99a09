"""All learners on the same problems: points against direct calls, fronts, files."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.base.progress import Steps
from gnomon.cli.app import app
from gnomon.content.reports.learners import study as package
from gnomon.content.reports.learners.orders import (
    distinct_orders,
    judged,
    order_of,
    sign_flips,
    unconfirmed,
    with_orders,
)
from gnomon.content.reports.learners.page import comparison_report, least_bits
from gnomon.content.reports.learners.pictures import Box, place_labels
from gnomon.content.reports.learners.points import Comparison, ComparisonSize, Point, front, panels
from gnomon.content.reports.learners.problems import (
    DRIFTING,
    LINEAR,
    PROBLEMS,
    Entry,
    settings_of,
)
from gnomon.content.reports.learners.results import committed, comparison_of, tables_of
from gnomon.content.reports.learners.study import SIZES, run_comparison
from gnomon.cost.energy import Energy
from gnomon.measure.learners import EmbeddedSizes, HostLearner, LearnerBench, find_embedded_learner
from gnomon.report.study import size_of
from gnomon.sim import Work

if TYPE_CHECKING:
    from gnomon.content.reports.learners.problems import Problem
    from gnomon.measure.learners import LearnerVariant, Play

ROUNDS = 24
TINY = ComparisonSize("tiny", ROUNDS, 2, 3, 1, ("tuned",), (12, 15))
LEARNERS = ("linucb-disjoint", "bento-epsilon-greedy")
MACHINES = ("t13", "t13-paper-simd8")


HEAVY = pytest.mark.heavy("studies")


@pytest.fixture(scope="module", params=[pytest.param(TINY, marks=HEAVY, id="tiny")])
def found(request: pytest.FixtureRequest) -> Comparison:
    progress, size = Steps(), request.param
    problems = (LINEAR,)
    result = run_comparison(size, progress, problems=problems, learners=LEARNERS, machines=MACHINES)
    assert progress.done == progress.total > 0
    return with_orders(result, 5_000)


def chosen_play(found: Comparison, problem: Problem, name: str) -> tuple[LearnerVariant, Play]:
    """The optimized variant with the setting that was chosen, and what it is given with seed 1."""
    learner = find_embedded_learner(name)
    trials = found.trials
    of_both = (trials["problem"] == problem.name) & (trials["learner"] == name)
    (title,) = trials[of_both & trials["chosen"]]["setting"]
    setting = next(each for each in settings_of(learner, problem) if each.title == title)
    entry = Entry(problem, learner, learner.variant("optimized", "tuned"), setting)
    return entry.built(ROUNDS), entry.play(problem.draw(ROUNDS, 1))


@pytest.mark.parametrize("name", LEARNERS)
def test_points_are_sums_of_measured_steps(found: Comparison, name: str) -> None:
    """Every round alone by ``measure_learner``, its model from the host, against the whole run."""
    learner, machine = find_embedded_learner(name), load_architecture("t13")
    variant, play = chosen_play(found, LINEAR, name)
    sizes = EmbeddedSizes(LINEAR.d, LINEAR.arms)
    host = HostLearner(variant, sizes)
    host.alpha = play.alpha
    whole = LearnerBench(learner, variant, machine, sizes)
    runs = []
    for context, rewards in zip(play.contexts, play.rewards, strict=True):
        model = host.model
        host.context = context
        host.clear_scores()
        arm = host.select()
        scores, selected = host.scores, host.model
        host.update(arm, int(rewards[arm]))
        step = replace(
            whole.step(), model=model, context=context, reward=int(rewards[arm]), alpha=play.alpha,
            arm=arm, scores=scores, model_after=host.model, model_selected=selected,
        )  # fmt: skip
        runs.append(whole.measure(details=False, step=step))
    point = next(
        each
        for each in found.points
        if (each.problem, each.machine, each.learner) == ("linear", "t13", name)
        and each.variant == "optimized"
    )
    selects = [run.select.wall_cycles for run in runs]
    updates = [run.update.wall_cycles for run in runs]
    assert point.select_cycles == sum(selects) / ROUNDS
    assert point.update_cycles == sum(updates) / ROUNDS
    assert point.slowest_select_cycles == max(selects)
    assert point.slowest_update_cycles == max(updates)
    assert point.time_us == pytest.approx((sum(selects) + sum(updates)) / ROUNDS / 100)
    assert point.model_bytes == runs[0].model_bytes
    energy = Energy.from_work(
        Work.joined([stage.work for run in runs for stage in run.stages]), machine, data="dense"
    ).energy_uj
    assert point.energy_uj.value == pytest.approx(energy.value / ROUNDS)
    assert point.energy_uj.low == pytest.approx(energy.low / ROUNDS)
    assert point.energy_uj.high == pytest.approx(energy.high / ROUNDS)
    assert point.select_uj + point.update_uj == pytest.approx(point.energy_uj.value)


def test_regret_by_plain_sums(found: Comparison) -> None:
    """Arms of the host build step by step, regret in plain loops."""
    shares = []
    for seed in (1, 2, 3):
        drawn = LINEAR.draw(ROUNDS, seed)
        variant, play = chosen_play(found, LINEAR, "linucb-disjoint")
        host = HostLearner(variant, EmbeddedSizes(LINEAR.d, LINEAR.arms))
        host.alpha = play.alpha
        lost = blind = 0.0
        for at in range(ROUNDS):
            host.context = np.rint(drawn.contexts[at] * 2**15).astype(np.int32)
            arm = host.select()
            reward = drawn.expected[at, arm] + drawn.noise[at]
            host.update(arm, round(float(reward) * 2**15))
            best = max(drawn.expected[at])
            lost += best - drawn.expected[at, arm]
            blind += sum(best - mean for mean in drawn.expected[at]) / LINEAR.arms
        shares.append(lost / blind)
    regrets = [each.regret for each in found.points
               if (each.problem, each.learner, each.variant)
               == ("linear", "linucb-disjoint", "optimized")]  # fmt: skip
    assert len(regrets) == 2
    for regret in regrets:
        assert regret.value == pytest.approx(sum(shares) / 3)
        half = 4.302653 * np.std(shares, ddof=1) / 3**0.5  # Student, 2 degrees of freedom
        assert regret.high - regret.value == pytest.approx(half, rel=1e-4)
        assert regret.value - regret.low == pytest.approx(half, rel=1e-4)


def beats(one: Point, other: Point) -> bool:
    """No worse in both, better in one."""
    pairs = ((one.energy_uj.value, other.energy_uj.value), (one.regret.value, other.regret.value))
    return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)


def test_fronts_by_comparing_all_pairs(found: Comparison, tmp_path: Path) -> None:
    comparison_report(found).write(tmp_path)
    rows = pd.read_csv(tmp_path / "comparison_points.csv.xz", dtype=str).to_dict("records")
    assert len(rows) == len(found.points)
    for points in panels(found.points).values():
        kept = []
        for at, point in enumerate(points):
            equal = [(each.energy_uj.value, each.regret.value) for each in points[:at]]
            dominated = any(beats(other, point) for other in points)
            if not dominated and (point.energy_uj.value, point.regret.value) not in equal:
                kept.append(point)
        assert front(points) == sorted(kept, key=lambda each: each.energy_uj.value)
        marked = [
            row["front"] == "yes"
            for row, point in zip(rows, found.points, strict=True)
            if point in points
        ]
        assert marked == [point in kept for point in points]


def test_orders_are_of_the_runs_that_they_name(found: Comparison) -> None:
    """Every pair of a front once; differences of regrets as the points have them."""
    titles = {(each.problem, each.machine, each.title): each.regret.value for each in found.points}
    for row in found.orders.itertuples():
        cheaper, better = (titles[row.problem, row.machine, name]
                           for name in (row.cheaper, row.better))  # fmt: skip
        assert row.less == pytest.approx(cheaper - better)
        assert row.less > 0
    pairs = sum(len(front(points)) * (len(front(points)) - 1) // 2
                for points in panels(found.points).values())  # fmt: skip
    assert len(found.orders) == pairs > 0


def test_an_order_is_claimed_against_chance_and_held_on_fresh_runs() -> None:
    few = np.array([0.3, 0.1, -0.2, 0.5, 0.4, 0.2])
    flips = np.array(list(product((-1, 1), repeat=6))) @ few
    exact = np.mean(np.abs(flips) >= few.sum() - 1e-9)
    assert sign_flips(few) == pytest.approx(exact, abs=0.005)

    noise = np.random.default_rng(0).standard_normal((100, 40))
    tables = [judged([row(differences=each, fresh=each, check=each)
                      for each in noise[at : at + 10]]) for at in range(0, 100, 10)]  # fmt: skip
    assert sum(table["claimed"].any() for table in tables) <= 3  # of 10, each in 1 of 20


def row(order: str = "", **differences: Any) -> dict[str, Any]:
    names = dict.fromkeys(("problem", "machine", "cheaper", "better"), "")
    return {**names, "order": order, **differences}


def test_only_confirmed_orders_are_claimed_and_a_third_set_checks_them() -> None:
    noise = np.random.default_rng(1).standard_normal(40)
    clear, weak = 1.0 + noise, 0.32 + noise - noise.mean()
    assert 0.025 < sign_flips(weak) < 0.05  # significant alone, not if two orders are tested
    table = judged([
        row("a", differences=clear, fresh=clear, check=clear),
        row("b", differences=clear, fresh=-clear, check=clear),
        row("c", differences=clear, fresh=weak, check=clear),
        row("d", differences=clear, fresh=clear, check=-clear),
        row("e", differences=weak, fresh=clear, check=clear),
    ])  # fmt: skip
    assert list(table["found"]) == [True, True, True, True, True]  # Holm: the last p counts once
    assert list(table["claimed"]) == [True, False, True, True, True]
    assert list(table["held"]) == [True, True, True, False, True]
    two = judged([row("c", differences=clear, fresh=weak, check=clear)] * 2)
    assert not two["claimed"].any()  # two tests on the fresh seeds
    alone = judged([row("e", differences=weak, fresh=clear, check=clear)] * 2)
    assert not alone["found"].any()
    assert not alone["claimed"].any()


def test_an_order_of_several_implementations_counts_once() -> None:
    clear = 1.0 + np.random.default_rng(1).standard_normal(40)
    table = judged([
        row("a", differences=clear, fresh=clear, check=clear),
        row("a", differences=clear, fresh=clear, check=clear),
        row("b", differences=clear, fresh=clear, check=clear),
        row("b", differences=clear, fresh=-clear, check=clear),
        row("c", differences=0 * clear, fresh=clear, check=clear),
    ])  # fmt: skip
    found = distinct_orders(table).set_index("order")
    assert list(found["pairs"]) == [2, 2, 1]
    assert list(found["found"]) == [True, True, False]
    assert list(found["claimed"]) == [True, False, False]
    assert list(found["held"]) == [True, False, False]
    (text,) = unconfirmed(table)
    assert text.startswith("b on ")


def test_orders_of_points_are_named_by_learners_or_by_code(found: Comparison) -> None:
    one, other = found.points[0], replace(found.points[0], variant="optimized-vector")
    assert order_of(one, replace(one, learner="softucb")) == "SoftUCB over LinUCB disjoint"
    online = replace(other, variant="online-vector")
    assert order_of(other, online) == "LinUCB disjoint online over optimized"
    for each in found.orders.itertuples():
        assert each.order.split(" over ")[0].split()[0] == each.better.split()[0]


def test_files(found: Comparison, tmp_path: Path) -> None:
    first = comparison_report(found).write(tmp_path / "a")
    names = ["comparison", *(f"comparison-{machine}" for machine in MACHINES)]
    assert [path.name for path in first] == [
        "comparison.md",
        "comparison_points.csv.xz",
        "comparison_orders.csv",
        "comparison_settings.csv",
        "comparison_formats.csv",
        *(f"{name}.{kind}" for name in names for kind in ("svg",)),
    ]
    for one, two in zip(first, comparison_report(found).write(tmp_path / "b"), strict=True):
        assert one.read_bytes() == two.read_bytes()
    page = (tmp_path / "a" / "comparison.md").read_text()
    assert "{" not in page
    assert "no vector unit" in page  # of t13, for vector variants
    rows = pd.read_csv(tmp_path / "a" / "comparison_points.csv.xz")
    assert (rows["energy_low_uj"] < rows["energy_uj"]).all()
    assert (rows["energy_uj"] < rows["energy_high_uj"]).all()
    assert rows["regret"].between(rows["regret_low"], rows["regret_high"]).all()


def test_the_setting_of_least_regret_is_chosen(found: Comparison) -> None:
    for problem in found.problems:
        for learner in LEARNERS:
            of_both = (found.trials["problem"] == problem.name) & (
                found.trials["learner"] == learner
            )
            trials = found.trials[of_both].reset_index()
            assert len(trials) == len(settings_of(find_embedded_learner(learner), problem))
            assert list(trials[trials["chosen"]].index) == [trials["regret"].idxmin()]


def test_formats_of_what_has_a_choice(found: Comparison) -> None:
    """The tuned LinUCB has one format; the points are of that with 15 bits."""
    formats = found.formats
    assert set(formats["learner"]) == {"bento-epsilon-greedy"}
    assert set(formats["variant"]) == {"standard", "optimized"}
    assert set(formats["fraction_bits"]) == {12, 15}
    points = {(each.problem, each.variant) for each in found.points}
    assert set(zip(formats["problem"], formats["variant"], strict=True)) < points


def test_least_bits() -> None:
    def of(*regrets: float) -> pd.DataFrame:
        return pd.DataFrame({"fraction_bits": (8, 12, 16, 20), "regret": regrets})

    assert least_bits(of(1.0, 1.0, 1.0, 1.0)) == 8
    assert least_bits(of(1.0, 1.03, 1.019, 1.0)) == 16
    assert least_bits(of(0.5, 0.5, 1.03, 1.0)) == 20


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda each: each.name)
def test_what_is_given(problem: Problem) -> None:
    """Shapes as stated, the same with the same seed; the format holds all numbers."""
    drawn, again, other = (problem.draw(50, seed) for seed in (1, 1, 2))
    assert drawn.contexts.shape == (50, problem.d)
    assert drawn.expected.shape == (50, problem.arms)
    assert drawn.features.shape == (problem.arms, problem.f)
    np.testing.assert_array_equal(drawn.rewards, again.rewards)
    assert not np.array_equal(drawn.rewards, other.rewards)
    best = drawn.expected.argmax(axis=1).astype(np.int32)
    assert drawn.relative_regret(best) == 0
    arms = np.arange(problem.arms)
    shares = [drawn.relative_regret(np.full(50, arm, dtype=np.int32)) for arm in arms]
    assert np.mean(shares) == pytest.approx(1)


def test_all_know_the_same_before_a_choice() -> None:
    """ARES-P is handed with a reward the context that others see in the next round."""
    drawn = DRIFTING.draw(30, 1)
    plays = {}
    for name in ("ares", "linucb-disjoint", "softucb"):
        learner = find_embedded_learner(name)
        setting = settings_of(learner, DRIFTING)[0]
        plays[name] = Entry(DRIFTING, learner, learner.variants[0], setting).play(drawn)
    np.testing.assert_array_equal(
        plays["ares"].contexts[:-1], plays["linucb-disjoint"].contexts[1:]
    )
    assert not plays["softucb"].contexts.any()
    features = plays["softucb"].features
    assert features is not None
    assert (np.linalg.norm(features / 2.0**15, axis=1) <= 1).all()


def test_sentences_follow_the_numbers(found: Comparison) -> None:
    """Other results, other sentences: what no run of the table is like, who is best, what lacks."""
    text = comparison_report(found).page()
    assert "activity lies outside" in text or not any(each.extrapolated for each in found.points)
    points = tuple(replace(each, extrapolated=False) for each in found.points)
    cheap = replace(points[0], energy_uj=points[0].energy_uj * 1e-6, extrapolated=True)
    fewer = replace(found, points=(cheap, *points[1:]), missing=found.missing.head(0))
    changed = comparison_report(fewer).page()
    assert f"the power table: 1 of {len(points)};" in changed
    assert "Every machine runs every implementation." in changed
    assert "Every machine runs every implementation." not in text
    lines = [next(line for line in each.splitlines() if line.startswith("| linear | t13 | "))
             for each in (text, changed)]  # fmt: skip
    assert lines[0] != lines[1]
    assert "Kalman" not in text
    known = replace(found, known={LINEAR.name: found.points[0].regret})
    assert "Kalman" in comparison_report(known).page()


boxes = st.tuples(st.floats(0, 200), st.floats(0, 100))


@given(st.lists(boxes, min_size=1, max_size=6))
def test_names_stay_in_the_frame_when_they_can(marks: list[tuple[float, float]]) -> None:
    frame = Box(-100, -50, 300, 150)
    sizes = [(40.0, 8.0)] * len(marks)
    corners = place_labels(marks, sizes, [], frame)
    assert len(corners) == len(marks)
    for left, bottom in corners:
        assert Box(left, bottom, left + 40, bottom + 8).overlap(frame) == pytest.approx(320)


def test_names_of_two_near_points_are_apart() -> None:
    frame = Box(0, 0, 200, 100)
    (a, b), (c, d) = place_labels([(50, 50), (52, 51)], [(40, 8), (40, 8)], [], frame)
    assert Box(a, b, a + 40, b + 8).overlap(Box(c, d, c + 40, d + 8)) == 0


def test_refusals() -> None:
    with pytest.raises(GnomonError, match=r"^there is no size 'ful' \(allowed: small, full, did"):
        size_of("ful", SIZES)
    run = CliRunner().invoke(app, ["report", "learners", "--seed-base", "1000"])
    assert str(run.exception).startswith("--seed-base must be 1003 or more, not 1000: ")
    with pytest.raises(
        GnomonError, match=r"^rv32im names no power table: its energy is not known$"
    ):
        run_comparison(TINY, machines=("rv32im",))


def test_command(found: Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def run_found(size: ComparisonSize, *_: object, machines: list[str]) -> Comparison:
        asked.append((size.name, machines))
        return found

    monkeypatch.setattr(package, "run_comparison", run_found)
    arguments = ["report", "learners", "--arch", "t13, t13-simd4", "--fresh", "--out",
                 str(tmp_path), "--json"]  # fmt: skip
    run = CliRunner().invoke(app, arguments)
    assert run.exit_code == 0, run.output
    assert asked == [("small", ["t13", "t13-simd4"])]
    names = {path.rpartition("/")[2] for path in json.loads(run.stdout)["files"]}
    made = (
        "points",
        "orders",
        "settings",
        "formats",
        "spread",
        "drift",
        "hybrid",
        "thrifty",
        "windows",
    )
    tables = {f"comparison_{name}.csv" for name in made}
    assert names - {"comparison_claimed.csv"} == {
        "comparison.md", "comparison.svg", *tables, *(f"comparison-{name}.svg" for name in MACHINES)
    }  # fmt: skip


def test_sizes_differ_in_more_than_their_names() -> None:
    small, full = SIZES.values()
    assert small.rounds < full.rounds
    assert set(small.lines) < set(full.lines)


def test_results_come_back_from_their_tables(found: Comparison) -> None:
    tables = tables_of(found)
    again = comparison_of(tables, found.size, found.seed_base)
    for name, table in tables_of(again).items():
        pd.testing.assert_frame_equal(table, tables[name])
    assert comparison_report(again).page() == comparison_report(found).page()


def test_the_committed_page_shows_the_committed_tables() -> None:
    """And the claims of the page hold on seeds by which nothing was chosen."""
    results = committed(SIZES["full"], 500_000)
    page = (Path(package.__file__ or "").parent / "comparison.md").read_text(encoding="utf-8")
    assert comparison_report(results, pages=True).page() == page
    orders = distinct_orders(results.orders)
    claimed = orders[orders["claimed"]]
    assert len(claimed) < len(results.orders[results.orders["claimed"]])
    assert claimed["held"].mean() >= 0.95
