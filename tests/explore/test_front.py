"""Front, sensitivity and recommendation against plain definitions."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gnomon.explore import (
    PointOutcome,
    SweepResult,
    compute_sensitivities,
    list_sensitivity_notes,
    make_sweep,
    pareto_front,
    recommend,
)
from gnomon.explore._runs import Counts
from gnomon.explore.columns import Row, find_unsure
from gnomon.explore.files import summarize

from .conftest import kernel_sweep

if TYPE_CHECKING:
    from collections.abc import Callable


def dominates(a: list[float], b: list[float]) -> bool:
    return all(x <= y for x, y in zip(a, b, strict=True)) and a != b


COSTS = st.integers(1, 3).flatmap(
    lambda columns: st.lists(
        st.lists(st.integers(0, 6), min_size=columns, max_size=columns), min_size=1, max_size=25
    )
)


@given(COSTS)
def test_a_front_is_what_nothing_dominates(rows: list[list[float]]) -> None:
    expected = [
        place for place, row in enumerate(rows) if not any(dominates(other, row) for other in rows)
    ]
    assert pareto_front(np.array(rows, dtype=np.float64)) == expected


def test_points_that_are_not_known_are_on_no_front() -> None:
    assert pareto_front(np.array([[1.0, np.nan], [2.0, 3.0]])) == [1]
    assert pareto_front(np.array([[np.nan]])) == []
    assert pareto_front(np.empty((0, 2))) == []


def result(
    time_us: Callable[[int, int], float | None],
    energy: Callable[[int, int], float | None],
    **more: object,
) -> SweepResult:
    """Points over n and seed with given times and energies; None: the point failed."""
    axes = {"n": [1, 2, 3], "seed": [0, 1]}
    data = kernel_sweep(
        axes=axes,
        fixed={"variant": "scalar"},
        objectives=["time", "energy"],
        constraints=["time <= 100 us"],
    )
    sweep = make_sweep(data | more)
    rows = []
    for index, values in enumerate(map(sweep.point, range(sweep.grid_points))):
        n, seed = int(values[0]), int(values[1])  # type: ignore[arg-type]
        time, joule = time_us(n, seed), energy(n, seed)
        metrics = {"time_us": time} if time is not None else {}
        metrics |= {"energy_uj": joule} if joule is not None else {}
        outcome = PointOutcome(reason="broken") if time is None else PointOutcome(metrics)
        rows.append(Row(index, values, None, outcome))
    return SweepResult(sweep, tuple(rows), Counts())


def test_shares_and_factors() -> None:
    # time = 2^n, whatever the seed; energy = 3^seed, whatever n.
    found = result(lambda n, _: 2.0**n, lambda _, seed: 3.0**seed)
    time, energy = (objective.metric for objective in found.sweep.objectives)
    by_n, by_seed = compute_sensitivities(found, time)
    assert (by_n.axis, by_n.lines, by_seed.axis, by_seed.lines) == ("n", 2, "seed", 3)
    assert by_n.share == pytest.approx(1)
    assert by_n.factor == pytest.approx(4)
    assert by_n.most == pytest.approx(4)
    assert by_seed.share == pytest.approx(0)
    assert by_seed.factor == pytest.approx(1)
    assert [each.axis for each in compute_sensitivities(found, energy)] == ["seed", "n"]


def test_half_of_the_variance_each() -> None:
    found = result(lambda n, seed: math.exp(n * math.sqrt(3 / 8) + seed), lambda *_: 1.0)
    shares = {
        each.axis: each.share
        for each in compute_sensitivities(found, found.sweep.objectives[0].metric)
    }
    # Variance of the logarithm: of n (1, 2, 3) 2/3 * 3/8 = 1/4, of seed (0, 1) 1/4.
    assert shares == {"n": pytest.approx(0.5), "seed": pytest.approx(0.5)}


def test_shares_are_of_complete_designs_only() -> None:
    # With one point missing, n would get a share of what the seed does, and both more than all.
    found = result(lambda n, seed: None if (n, seed) == (3, 0) else 3.0**seed, lambda *_: 1.0)
    metric = found.sweep.objectives[0].metric
    by_seed, by_n = compute_sensitivities(found, metric)
    assert (by_seed.axis, by_seed.share, by_n.share) == ("seed", None, None)
    assert (by_seed.factor, by_n.factor) == (pytest.approx(3), pytest.approx(1))
    assert list_sensitivity_notes(found, metric) == [
        "shares are not known: unbalanced, 1 point is missing; factors compare like with like"
    ]


def test_an_axis_is_not_said_to_move_what_is_known_at_one_value_alone() -> None:
    found = result(lambda *_: 1.0, lambda n, seed: 3.0**seed if n == 2 else None)
    metric = found.sweep.objectives[1].metric
    by_seed, by_n = compute_sensitivities(found, metric)
    assert (by_seed.axis, by_seed.share, by_seed.unknown) == ("seed", pytest.approx(1), ())
    assert (by_n.share, by_n.factor, by_n.most, by_n.unknown) == (None, None, None, (1, 3))
    assert list_sensitivity_notes(found, metric) == ["n: energy is not known at 1, 3"]
    assert by_n.to_json()["share"] is None


def test_a_quantity_of_0_is_known() -> None:
    found = result(lambda *_: 1.0, lambda n, seed: {1: 0.0, 2: 3.0**seed, 3: None}[n])
    metric = found.sweep.objectives[1].metric
    assert list_sensitivity_notes(found, metric) == [
        "n: energy is 0 at 1, and 0 has no factor",
        "n: energy is not known at 3",
    ]


def test_axes_of_per_are_held_apart() -> None:
    found = result(lambda n, seed: 10.0**n * 2.0**seed, lambda *_: 1.0, per=["n"])
    (only,) = compute_sensitivities(found, found.sweep.objectives[0].metric)
    assert (only.axis, only.share, only.factor) == ("seed", pytest.approx(1), pytest.approx(2))


def test_the_recommended_point_has_the_least_mean_ratio() -> None:
    # (time, energy): n 1: 10, 8; n 2: 20, 2; n 3: 40, 1.9; seed 1 is worse in both.
    times = {1: 10.0, 2: 20.0, 3: 40.0}
    energies = {1: 8.0, 2: 2.0, 3: 1.9}
    found = result(lambda n, seed: times[n] + seed, lambda n, seed: energies[n] + seed)
    (choice,) = recommend(found)
    assert [row.index for row in choice.front] == [0, 2, 4]
    assert choice.take is not None
    assert choice.take.values == (2, 0)
    assert choice.sentence == (
        "take n 2, seed 0: time 20 µs (2.00 times the least), energy 2 µJ (1.05 times the least);"
        " keeps time <= 100 us, as 6 of 6 points do."
    )


@pytest.mark.parametrize(("width", "overlap"), [(0.3, False), (0.4, True), (0, False)])
def test_intervals_are_stated_and_their_overlap(width: float, overlap: bool) -> None:
    found = result(lambda *_: 10.0, lambda n, _: 2.0**n)
    rows = []
    for row in found.rows:
        energy = row.outcome.metrics["energy_uj"]
        ends = {f"energy_{end}_uj": energy * (1 + sign * width)
                for end, sign in (("low", -1), ("high", 1))}  # fmt: skip
        outcome = replace(row.outcome, metrics={**row.outcome.metrics, **ends})
        rows.append(replace(row, outcome=outcome))
    (choice,) = recommend(replace(found, rows=tuple(rows)))
    assert ("Intervals of energy overlap: errors common to" in choice.sentence) == overlap
    shown = f"energy 2 µJ ({2 - 2 * width:.4g} to {2 + 2 * width:.4g} µJ) (the least)"
    assert (shown in choice.sentence) == bool(width)


def test_constraints_come_first() -> None:
    found = result(lambda n, _: 60.0 * n, lambda n, _: 1.0 / n)
    (choice,) = recommend(found)
    assert choice.meeting == 2
    assert choice.take is not None
    assert choice.take.values == (1, 0)
    assert choice.sentence.endswith("keeps time <= 100 us, as 2 of 6 points do.")


def test_nothing_keeps_the_constraints() -> None:
    found = result(lambda n, _: 1000.0 * n, lambda *_: 1.0)
    (choice,) = recommend(found)
    assert choice.take is None
    assert choice.sentence == (
        "no point keeps time <= 100 us; nearest is n 1, seed 0, where time is 1 ms."
    )


def test_what_is_not_known_is_not_said_to_miss_a_limit() -> None:
    limits = ["time <= 2 us", "energy <= 1 uJ"]
    found = result(lambda n, _: n, lambda _, seed: None if seed else 1.0, constraints=limits)
    (choice,) = recommend(found)
    assert choice.sentence.endswith("as 2 of 6 points do; of 2 it is not known.")
    assert find_unsure(found.points).tolist() == [False, True, False, True, False, False]
    (nothing,) = recommend(result(lambda n, _: n, lambda *_: None, constraints=limits))
    assert nothing.sentence == (
        f"no point is known to keep {', '.join(limits)}; of 4 it is not known; energy is not known."
    )


def test_failures_and_what_is_not_known() -> None:
    (nothing,) = recommend(result(lambda *_: None, lambda *_: None))
    assert nothing.sentence == "no point could be measured."
    (unknown,) = recommend(result(lambda *_: 1.0, lambda *_: None))
    assert unknown.take is not None
    assert unknown.sentence.endswith(" Energy is not known: this is by time alone.")
    (neither,) = recommend(result(lambda *_: None, lambda *_: 1.0))
    assert neither.take is None
    (partly,) = recommend(result(lambda *_: 1.0, lambda n, _: 1.0 if n > 1 else None))
    assert {row.values[0] for row in partly.front} == {2, 3}
    assert partly.sentence.endswith(" Not compared: 2 points, whose energy is not known.")


@pytest.mark.parametrize(
    ("reasons", "told"),
    [
        (["slow"] * 4, "slow"),
        (["slow", "wide", "wide", "slow"], "2: slow; 2: wide"),
        (["a", "b", "c", "d"], "1: a; 1: b; 1: c; 1 more, see the results"),
    ],
)
def test_every_reason_is_told_with_its_points(reasons: list[str], told: str) -> None:
    found = result(lambda *_: 1.0, lambda n, _: None if n > 1 else 1.0)
    rows = list(found.rows)
    for place, reason in enumerate(reasons, 2):
        outcome = replace(rows[place].outcome, notes={"energy": reason, "area": "not this"})
        rows[place] = replace(rows[place], outcome=outcome)
    (choice,) = recommend(replace(found, rows=tuple(rows)))
    assert choice.sentence.endswith(f" Not compared: 4 points, whose energy is not known ({told}).")


def test_a_choice_for_each_value_of_per() -> None:
    found = result(lambda n, seed: 10.0 * n + seed, lambda *_: 1.0, per=["n"])
    several = recommend(found)
    assert [choice.where for choice in several] == [(("n", 1),), (("n", 2),), (("n", 3),)]
    assert [choice.take.values for choice in several if choice.take] == [(1, 0), (2, 0), (3, 0)]
    assert several[0].sentence.startswith("for n 1: take seed 0: time 10 µs (the least)")
    assert summarize(found)["failed"] == 0
