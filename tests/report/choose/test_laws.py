"""The laws of regret and of event counts: a planted law is found, and intervals hold."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from gnomon.arch import load_architecture
from gnomon.base.errors import GnomonError
from gnomon.content.reports.choose import cells, law, playing, tables
from gnomon.content.reports.choose.costs import IMPLEMENTATIONS
from gnomon.content.reports.choose.growing import find_work, grow_cell
from gnomon.content.reports.choose.policies import POLICIES
from gnomon.content.reports.choose.pricing import assigned, policy_of, price
from gnomon.content.reports.choose.tables import CellState
from gnomon.content.reports.choose.tally import Tally
from gnomon.cost.energy import Energy
from gnomon.explore.learner_counts import (
    CYCLES,
    Switching,
    counts_of,
    energy_of,
    macros_of,
    phase_shares,
    read_count_laws,
    work_of,
)
from gnomon.explore.regret_law import (
    CONTEXT_LAWS,
    Conditions,
    from_odds,
    read_regret_laws,
    setting_place,
    to_odds,
)
from gnomon.sim import BUSES, BusCount, VectorCount, Work


def planted(at: Conditions) -> float:
    """Return a smooth relative regret."""
    return from_odds(
        math.log(3.0 * (at.d * at.arms) ** 0.5 * (0.3 + at.noise) / at.horizon**0.5), 1.15
    )


def rows(count: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    of, points = [], []
    for cell in cells.design(count):
        of.append((*tables.cell_row(cell), 8, "1e6", 3))
        for rounds in playing.checkpoints(cell.at.horizon):
            at = Conditions(cell.at.d, cell.at.arms, rounds, cell.at.noise)
            value = planted(at)
            points.append((cell.number, "planted", "", "", rounds, value, value, value, 8, "", ""))
    return (pd.DataFrame(of, columns=list(tables.CELL_COLUMNS)).astype(str),
            pd.DataFrame(points, columns=list(tables.POINT_COLUMNS)).astype(str))  # fmt: skip


def texts(table: pd.DataFrame) -> list[dict[str, str]]:
    return [{str(k): str(v) for k, v in row.items()} for row in table.to_dict("records")]


def test_a_planted_law_of_regret_is_found_with_intervals_that_hold() -> None:
    of, points = rows(60)
    laws = law.regret_laws(of, points)
    (found,) = read_regret_laws(texts(of), texts(points), texts(laws)).values()
    assert found.cells == 60
    assert found.median_error < 0.1
    others = [cell.at for cell in cells.design(60, seed=99)]
    near = [at for at in others if not found.why_not(at)]
    assert len(near) > len(others) / 2
    inside = [found.predict(at).low <= planted(at) <= found.predict(at).high for at in near]
    assert np.mean(inside) >= 0.85
    at = Conditions(8, 8, 100_000)
    to = found.rounds_to(0.5, at)
    assert to.rounds is not None
    assert found.predict(replace(at, horizon=to.rounds)).value == pytest.approx(0.5, rel=0.01)
    assert to.first is not None
    assert to.first <= to.rounds
    assert to.last is None or to.last >= to.rounds
    chances = [found.rounds_to(target, at).chance for target in (0.9, 0.5, planted(at), 1e-4)]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] > 0.99
    assert chances[-1] < 0.01
    until = found.predict(at).value  # as likely as not
    assert found.rounds_to(until, at).chance == pytest.approx(0.5, abs=0.01)


def test_left_out_errors_are_those_of_a_law_without_the_cell() -> None:
    """The errors that decide intervals are those of `gnomon choose` where nothing was measured."""
    of, points = rows(30)
    rng = np.random.default_rng(4)
    noisy = points["regret"].astype(float) * rng.lognormal(0, 0.2, len(points))
    points["regret"] = noisy.astype(str)
    laws = law.regret_laws(of, points)
    (found,) = read_regret_laws(texts(of), texts(points), texts(laws)).values()
    groups = np.array([each.cell for each in found.points])
    places = np.stack([each.at.place() for each in found.points])
    regrets = np.array([each.regret.value for each in found.points])
    odds = to_odds(regrets, found.ceiling) - found.mean
    errors, variances = law.left_out(found.kernel.measured(places, groups), odds, groups)
    for cell in (0, 11, 29):
        rest = replace(found, points=tuple(each for each in found.points if each.cell != cell))
        (place,) = np.flatnonzero((groups == cell) & [each.last for each in found.points])
        predicted = rest.predict(found.points[place].at)
        wanted, half = (
            odds[place] - errors[place] + found.mean,
            found.error * variances[place] ** 0.5,
        )
        assert predicted.value == pytest.approx(from_odds(wanted, found.ceiling))
        assert predicted.high == pytest.approx(from_odds(wanted + half, found.ceiling))


def test_a_law_plays_the_setting_of_most_near_cells_and_knows_its_regret() -> None:
    """Settings follow the noise but in every eighth cell; one doubles the regret."""
    good, bad = "p = 1 x arms", "p = 4 x arms"

    def wanted(at: Conditions) -> str:
        return bad if at.noise > 0.17 else good

    of, points = rows(200)
    where = {row["cell"]: Conditions.from_row(row) for row in texts(of)}
    points["chosen"] = [wanted(where[cell]) if int(cell) % 8 else good for cell in points["cell"]]
    doubled = np.where(points["chosen"] == bad, 1.0, 0.5)
    points["regret"] = (points["regret"].astype(float) * doubled).astype(str)
    laws = law.regret_laws(of, points)
    (found,) = read_regret_laws(texts(of), texts(points), texts(laws)).values()
    others = [at for each in cells.design(60, seed=99) if not found.why_not(at := each.at)]
    voted = np.mean([found.setting(at) == wanted(at) for at in others])
    assert voted > np.mean([found.nearest(at).chosen == wanted(at) for at in others])
    factors = [
        found.predict(at).value / planted(at) * (1 if found.setting(at) == bad else 2)
        for at in others
    ]
    assert np.median(np.abs(np.log(factors))) < 0.15


def test_settings_are_far_apart_by_the_factor_of_their_numbers() -> None:
    symbol = "\N{GREEK SMALL LETTER GAMMA}"
    near, far = (setting_place(f"a = {a}, {symbol} = {b}") for a, b in ((0.2, 0.99), (0.8, 0.999)))
    assert far - near == pytest.approx([1.0, -math.log(10, 4)])
    assert setting_place("p = 16 x arms") == pytest.approx([2.0])
    assert setting_place("").size == 0


def test_few_cells_give_no_law_and_far_conditions_no_prediction() -> None:
    of, points = rows(law.FEWEST_CELLS - 1)
    laws = law.regret_laws(of, points)
    assert laws.empty
    of, points = rows(20)
    laws = law.regret_laws(of, points)
    (found,) = read_regret_laws(texts(of), texts(points), texts(laws)).values()
    assert "outside" in found.why_not(Conditions(100, 8, 1000))
    assert "outside" in found.why_not(Conditions(8, 8, 10**6))


def test_errors_of_groups_left_out_are_those_of_fits_without_them() -> None:
    rng = np.random.default_rng(1)
    places, values = rng.normal(size=(30, 3)), rng.normal(size=30)
    groups = np.repeat(np.arange(10), 3)
    covariance = places @ places.T + np.eye(30)
    errors, variances = law.left_out(covariance, values, groups)
    for group in (0, 7):
        own, rest = groups == group, groups != group
        weights = np.linalg.solve(covariance[np.ix_(rest, rest)], values[rest])
        wanted = values[own] - covariance[np.ix_(own, rest)] @ weights
        assert errors[own] == pytest.approx(wanted)
        inner, cross = covariance[np.ix_(rest, rest)], covariance[np.ix_(own, rest)]
        spread = covariance[np.ix_(own, own)] - cross @ np.linalg.solve(inner, cross.T)
        assert variances[own] == pytest.approx(np.diag(spread))


def test_designs_are_balanced_and_prefixes_of_each_other() -> None:
    more = cells.design(100)
    assert cells.design(40) == more[:40]
    for prefix in (more[:50], more):
        for name in CONTEXT_LAWS:
            share = np.mean([cell.at.contexts == name for cell in prefix])
            assert share == pytest.approx(1 / len(CONTEXT_LAWS), abs=0.05)
    assert not any(cell.at.outside() for cell in more)


@pytest.mark.parametrize("contexts", CONTEXT_LAWS)
def test_systems_are_random_by_seed_and_rewards_of_size_one(contexts: str) -> None:
    at = Conditions(4, 5, 400, noise=0.1, contexts=contexts)
    drawn = [cells.draw(at, 400, seed) for seed in range(40)]
    again = cells.draw(at, 400, 3)
    assert np.array_equal(again.expected, drawn[3].expected)
    assert not np.array_equal(drawn[0].expected, drawn[1].expected)
    if contexts != "state":
        spread = np.mean([each.expected**2 for each in drawn])
        assert spread == pytest.approx(1.0, abs=0.25)


def test_weights_drift_at_the_stated_rate() -> None:
    still, moving = (Conditions(3, 4, 2000, rate=rate) for rate in (0.0, 0.01))
    for at, least, most in ((still, 0.999, 1.001), (moving, -0.5, 0.5)):
        given = cells.draw(at, 2000, 5)
        first, last = (
            np.linalg.lstsq(given.contexts[part], given.expected[part], rcond=None)[0].ravel()
            for part in (slice(0, 5), slice(-5, None))
        )
        assert least <= np.corrcoef(first, last)[0, 1] <= most


def test_counts_are_work_again_and_energy_is_linear_in_rounds() -> None:
    work = Work(1000, {"addi": 300, "lw": 100, "mul": 50}, {"kaddv": VectorCount(4, 64, 0)}, 3,
                (0, 200, 200), 20)  # fmt: skip
    counts = counts_of(work)
    assert work_of(counts, 1) == work
    machine = load_architecture("t13-simd4")
    wanted = Energy.from_work(work, machine, data="dense").energy_uj
    found = energy_of(counts, machine)
    assert found.value == pytest.approx(wanted.value, rel=1e-6)
    assert found.high == pytest.approx(wanted.high, rel=1e-3)


def test_gates_price_the_switching_that_was_measured() -> None:
    """Each size prices as its work does; the interval contains both, and none is an error."""
    machine = load_architecture("t13-simd1", ("power=osu018-t13-simd1",))
    cycles, rates = 1000, ((0.5, 4.0), (0.25, 9.0))
    works = [
        Work(cycles, {"addi": 600}, {}, 0, (), 0,
             {bus: BusCount(round(cycles * values), round(cycles * toggles)) for bus in BUSES})
        for values, toggles in rates
    ]  # fmt: skip
    low, high = sorted(Energy.from_work(work, machine).energy_uj.value for work in works)
    measured = [
        Switching("t13-simd1", 4, 4, dict.fromkeys(BUSES, values), dict.fromkeys(BUSES, toggles))
        for values, toggles in rates
    ]
    found = energy_of({CYCLES: cycles}, machine, measured=measured)
    assert found.value == pytest.approx((low + high) / 2, rel=1e-6)
    assert found.low < low < high < found.high
    with pytest.raises(GnomonError, match="none of this implementation were measured"):
        energy_of({CYCLES: cycles}, machine)


def test_shares_of_phases_are_those_of_the_c() -> None:
    """Epsilon-greedy's random numbers do not depend on rewards, so its phases can be replayed."""
    arms, p, rounds = 5, 20, 4000
    state, dirty = 1, set[int]()
    explored = solved = 0

    def below(n: int) -> int:
        nonlocal state
        state = (state + 0x9E3779B9) & 0xFFFFFFFF
        x = ((state ^ state >> 16) * 0x7FEB352D) & 0xFFFFFFFF
        x = ((x ^ x >> 15) * 0x846CA68B) & 0xFFFFFFFF
        return (x ^ x >> 16) * n >> 32

    for t in range(1, rounds + 1):
        if t <= p:
            arm: int | None = t % arms
        else:
            arm = below(arms) if below(t) < p else None
        if arm is None:
            solved += len(dirty)
            dirty.clear()
        else:
            explored += 1
            dirty.add(arm)
    learner = "bento-epsilon-greedy"
    shares = phase_shares(learner, macros_of(learner, "p = 4 x arms", arms), arms, rounds)
    assert shares["explored"] * rounds == pytest.approx(explored, rel=0.15)
    assert shares["solved"] * rounds == pytest.approx(solved, rel=0.15)
    assert shares["explored"] + shares["exploited"] == pytest.approx(1.0)


def test_a_planted_law_of_counts_is_found() -> None:
    of, _ = rows(30)
    priced = []
    for row in texts(of):
        d, arms = int(row["d"]), int(row["arms"])
        cycles = 100 + 40 * arms + 3 * arms * d * d
        said = f"issued addi:{cycles / 2:.6g}; {CYCLES}:{cycles:.6g}"
        priced.append((row["cell"], "linucb-disjoint", "optimized", "", "t13", "t13", "", "", 6,
                       cycles, 100, 100, "", said))  # fmt: skip
    table = pd.DataFrame(priced, columns=list(tables.PRICED_COLUMNS)).astype(str)
    (found,) = read_count_laws(texts(law.count_laws(of, table))).values()
    counts = found.mean("t13", "", {}, 10, 7, 1000)
    assert counts[CYCLES] == pytest.approx(100 + 40 * 7 + 3 * 7 * 100, rel=0.01)
    assert counts["issued addi"] == pytest.approx(counts[CYCLES] / 2, rel=0.01)
    assert found.error < 0.02


def test_conformal_quantile_leaves_the_stated_share_outside() -> None:
    rng = np.random.default_rng(2)
    inside = np.mean([
        abs(each[-1]) <= law.quantile(each[:-1]) for each in rng.standard_cauchy((2000, 60))
    ])  # fmt: skip
    assert law.LEVEL - 0.015 <= inside <= law.LEVEL + 0.035


def test_locked_runs_are_those_that_stay_bad_while_most_learn() -> None:
    late = np.array([0.1] * 8 + [0.9, 0.8])
    one = Tally.empty(1).add(playing.Runs(POLICIES[0], np.ones((10, 1)), late))
    assert one.locked_share == pytest.approx(0.2)
    bad = Tally.empty(1).add(playing.Runs(POLICIES[0], np.ones((10, 1)), 1 - late))
    assert bad.locked_share is None


@pytest.mark.heavy("studies")
def test_a_cell_is_played_and_priced_from_the_same_rounds() -> None:
    """Arms, scores and state of simulated rounds equal the host's, or `price` raises."""
    cell = cells.Cell(3, Conditions(2, 3, 120, noise=0.2))
    state = CellState(cell)
    asked = find_work(state, 8, 1e7, 3)
    assert asked is not None
    grown = grow_cell(asked)
    assert {each.policy for each in grown.runs} == set(POLICIES)
    assert len(grown.priced) == len(assigned(cell, 3))
    for found in grown.priced:
        assert not found.refused
        for _, rounds, counts in found.phases:
            assert rounds > 0
            assert 0 < dict(counts)[CYCLES] <= found.slowest_cycles * (1 + 1e-9) or math.isfinite(
                dict(counts)[CYCLES]
            )


@pytest.mark.heavy("studies")
@pytest.mark.parametrize("number", [1, 2, 3])
def test_every_phase_of_exploring_is_priced(number: int) -> None:
    """Late rounds rarely solve for an arm, so a round that does is looked for."""
    cell = cells.Cell(number, Conditions(2, 3, 20_000, noise=0.2))
    made = next(each for each in IMPLEMENTATIONS if each.learner == "bento-epsilon-greedy")
    setting = policy_of(made).tried(3)[-1]
    found = price(cell, made, "t13", setting)
    assert not found.refused
    assert {name for name, *_ in found.phases} == {"explored", "exploited", "solved"}
